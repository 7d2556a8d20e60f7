import { expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { LockLostError } from '../src/locks/errors.ts'
import { memoryHub, STEADY, starter } from './meshes.ts'
import { hold, reasonOf } from './web-locks/worlds.ts'

const IDS = ['a', 'b', 'c']

function threeThatCanBeCut() {
  const hub = memoryHub(IDS)
  const start = starter({ ids: IDS, voters: IDS, hub, lease: STEADY })
  const others = (id: string) => IDS.filter((other) => other !== id)
  const both = (id: string, act: (from: string, to: string) => void) => {
    for (const other of others(id)) {
      act(id, other)
      act(other, id)
    }
  }
  return {
    nodes: Promise.all(IDS.map(start)),
    cutOff: (id: string) => both(id, (from, to) => hub.cut(from, to)),
    heal: (id: string) => both(id, (from, to) => hub.heal(from, to)),
  }
}

test.concurrent('rule 24: who is cut off has lost its lock before another has it, and comes back', async () => {
  const { nodes, cutOff, heal } = threeThatCanBeCut()
  const [a, b, c] = atLeast(3, await nodes)
  const order: string[] = []
  const victim = hold(a.locks, 'L')
  const lost = await victim.entered
  lost.signal.addEventListener('abort', () => order.push('lost'))
  const next = hold(b.locks, 'L')
  void next.entered.then(() => order.push('next'))
  const waits = hold(a.locks, 'L')
  await b.locks.query()
  cutOff('a')
  const lock = await next.entered
  expect(order).toEqual(['lost', 'next'])
  expect(await reasonOf(victim.settled)).toBeInstanceOf(LockLostError)
  expect(lock.fence).toBeGreaterThan(lost.fence)
  expect(waits.isInside).toBe(false)
  heal('a')
  await next.release()
  expect((await waits.entered).fence).toBeGreaterThan(lock.fence)
  await waits.release()
  await Promise.all([a, b, c].map((node) => node.leave()))
})

test.concurrent('rule 22, 24: a thief that is cut off before anybody heard of it is taken for what it is when it is back', async () => {
  const { nodes, cutOff, heal } = threeThatCanBeCut()
  const [a, b, c] = atLeast(3, await nodes)
  const victim = hold(b.locks, 'L')
  await victim.entered
  cutOff('a')
  const thief = hold(a.locks, 'L', { steal: true, waitForQuorum: true })
  while (c.status.members.includes('a')) await c.pause()
  expect(thief.isInside).toBe(false)
  expect(await c.locks.request('M', () => 'others go on')).toBe('others go on')
  heal('a')
  await thief.entered
  expect(await reasonOf(victim.settled)).toMatchObject({ reason: 'stolen' })
  expect(await thief.release('kept')).toBe('kept')
  await Promise.all([a, b, c].map((node) => node.leave()))
})
