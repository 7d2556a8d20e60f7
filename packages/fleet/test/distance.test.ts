import { latencyFrom, latencyFromFile } from '@turnwise/simulator/latency'
import { expect, test } from 'vitest'
import { distanceBetween, longestWay, roundRobin } from '../src/distance.ts'

const ids = ['a', 'b', 'c', 'd']

test('members get zones in turn, and bytes take as long as it is between them', () => {
  const far = distanceBetween(ids, latencyFrom('three-continents', 4, roundRobin), 1)
  expect(far.zones).toEqual([['a', 'd'], ['b'], ['c']])
  expect(['a', 'b', 'd'].map((id) => far.stating(id))).toEqual([
    { zone: 'zone-0' },
    { zone: 'zone-1' },
    { zone: 'zone-0' },
  ])
  expect(distanceBetween(ids, latencyFrom('three-continents', 4, roundRobin), 1, false).stating('a')).toEqual(
    {},
  )
  const [near, across] = [far.delay('a', 'd'), far.delay('b', 'c')]
  for (let i = 0; i < 100; i += 1) {
    expect(near()).toBeLessThanOrEqual(0.6)
    expect(across()).toBeGreaterThanOrEqual(150)
  }
  expect(far.delay('b', 'c')()).toBe(far.delay('b', 'c')())
})

test('a file says who is where', () => {
  const zones = [
    ['constant:1', 'constant:60'],
    ['constant:70', 'constant:2'],
  ]
  const latency = latencyFromFile({ zones, of: [1, 1, 0, 1] }, 4, roundRobin)
  const far = distanceBetween(ids, latency, 1)
  expect(far.zones).toEqual([['c'], ['a', 'b', 'd']])
  expect([far.delay('a', 'c')(), far.delay('c', 'a')(), far.delay('a', 'b')()]).toEqual([70, 60, 2])
  expect(longestWay(latency)).toBe(70)
})

test('one law for all has no zones, and more zones than members leave none empty', () => {
  const far = distanceBetween(ids, latencyFrom('exponential:5', 4, roundRobin), 1)
  expect([far.zones, far.stating('a')]).toEqual([null, {}])
  expect(longestWay(latencyFrom('exponential:5', 4))).toBe(15)
  expect(distanceBetween(['a', 'b'], latencyFrom('three-continents', 2, roundRobin), 1).zones).toEqual([
    ['a'],
    ['b'],
  ])
})
