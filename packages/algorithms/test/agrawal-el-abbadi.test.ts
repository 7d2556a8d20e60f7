import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Agrawal and El Abbadi (1991) claim, as Velazquez (1993, section 5) tells it. */

const COMPLETE = [
  [3, 2],
  [7, 3],
  [15, 4],
  [31, 5],
  [63, 6],
] as const

// shows velazquez-1993 5 Agrawal-El Abbadi
test('a path of log2(n+1) nodes: 3 messages for each other member without competition', () => {
  for (const [nodes, height] of COMPLETE) {
    const { messages } = measured('agrawal-el-abbadi', { nodes, load: 'light', entries: 40 })
    const each = 40 * (height - 1)
    expect(messages.byType).toEqual({ request: each, grant: each, release: each })
  }
})

test('any number of nodes: at most 3 floor(log2 n) without competition, twice that with it', () => {
  for (const nodes of SIZES) {
    const most = 3 * Math.floor(Math.log2(nodes))
    const light = measured('agrawal-el-abbadi', { nodes, load: 'light', entries: 60 })
    expect(light.messages.perEntry).toBeLessThanOrEqual(most)
    expect(light.predicted.perEntry.max).toBeLessThanOrEqual(most)
    const wishes = { nodes, load: 'heavy', entries: 4 * nodes, latency: 'exponential:1', seed: nodes }
    const heavy = measured('agrawal-el-abbadi', wishes)
    expect(heavy.messages.perEntry).toBeLessThanOrEqual(2 * most)
    expect(heavy.messages.byType['fail']).toBeUndefined()
  }
})

// shows velazquez-1993 5 Agrawal-El Abbadi
test('any rooted tree: of a star the root and one leaf, of a line the far end', () => {
  const light = (topology: string, nodes: number) =>
    measured('agrawal-el-abbadi', { nodes, topology, load: 'light', entries: 100 }).predicted.perEntry
  expect(light('star', 8)).toMatchObject({ min: 3, max: 3 })
  expect(light('line', 8)).toMatchObject({ min: 0, max: 3, mean: (3 * 7) / 8 })
  expect(light('tree:3', 13)).toMatchObject({ min: 6, max: 6 })
})

describe('failed nodes are replaced', () => {
  // shows velazquez-1993 5.1 Table 2
  test('without the root both of its children are asked: four nodes of seven instead of three', () => {
    const wishes = { nodes: 7, load: 'light', entries: 60, warmup: 20, fault: ['crash:0@1'] }
    expect(measured('agrawal-el-abbadi', wishes).messages.perEntry).toBe(3 * (4 - 1))
  })

  test.each([3, 4, 5, 7, 10])('%i nodes: any one may fail at any time', (nodes) => {
    for (let seed = 1; seed <= 24; seed += 1) {
      const fault = [`crash:${seed % nodes}@${seed}`]
      const wishes = { nodes, load: 'poisson:0.2', entries: 50, latency: 'exponential:1', seed, fault }
      expect(measured('agrawal-el-abbadi', wishes)).toMatchObject({ unserved: 0, gaveUp: false })
    }
  })

  // shows velazquez-1993 5 Agrawal-El Abbadi
  // shows claim tree-with-failures
  test('fifteen nodes: all but the leaves may fail, and then a quorum is all the leaves', () => {
    const fault = [0, 1, 2, 3, 4, 5, 6].map((node, i) => `crash:${node}@${1 + 8 * i}`)
    const wishes = { nodes: 15, load: 'light', entries: 100, warmup: 50, fault }
    expect(measured('agrawal-el-abbadi', wishes).messages.perEntry).toBe(3 * (8 - 1))
  })

  test('seven nodes: the three of a path are too many', () => {
    const fault = ['crash:0@5', 'crash:1@5', 'crash:3@5']
    const run = () => measured('agrawal-el-abbadi', { nodes: 7, load: 'heavy', entries: 60, fault })
    expect(run).toThrow(/progress/)
  })
})
