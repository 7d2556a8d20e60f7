import { get } from '@turnwise/core/bounds'
import type { NameOverview, NodeStatus } from '@turnwise/mesh/daemon/control-messages'
import { describe, expect, test } from 'vitest'
import { NodeWatch, type WatchedNode } from '../../src/page/node-view.ts'
import { Rate } from '../../src/page/rate.ts'

const status: NodeStatus = {
  id: 'a',
  joined: true,
  epoch: 3,
  members: ['a', 'b', 'c'],
  zones: {},
  voters: ['a', 'b', 'c', 'd'],
  peers: ['a', 'b', 'c', 'd'],
  missing: ['c', 'd'],
  survives: null,
  place: null,
  trouble: [],
  lease: 2000,
  leaseLeft: 1900,
  names: 2,
  clients: 0,
  holding: 0,
  uptime: 1,
}

const orders: NameOverview = {
  name: 'orders',
  kind: 'lock',
  holders: [{ node: 'b', mode: 'exclusive', age: 3000, info: '{"job":4711}', fence: '7' }],
  waiters: [
    { node: 'c', mode: 'exclusive', age: 2, info: null, ahead: 0 },
    { node: 'a', mode: 'exclusive', age: 1, info: '"<b>"', ahead: 1 },
  ],
}

/** A node with a clock that is set by hand. */
function watched(node: Partial<WatchedNode>) {
  const clock = { now: 0 }
  const whole: WatchedNode = {
    happenings: [],
    recordings: [],
    status: () => status,
    metrics: () => null,
    overview: () => Promise.resolve({ names: [orders], circles: ['a waits for itself'] }),
    ...node,
  }
  return { clock, watch: new NodeWatch(whole, () => clock.now) }
}

describe('what a daemon shows', () => {
  test('where its mesh meets, and who is there', async () => {
    const place = { name: './locks', silentFor: 1500, why: 'no answer' }
    const met = {
      ...status,
      place,
      zones: { b: 'eu-west' },
      members: ['b', 'a'],
      voters: [],
      peers: [],
      missing: [],
    }
    const view = await watched({ status: () => met }).watch.view()
    expect(view.place).toEqual(place)
    expect(view.nodes.map(({ id, state, zone }) => [id, state, zone])).toEqual([
      ['b', 'in view', 'eu-west'],
      ['a', 'in view', null],
    ])
    const joins = { ...met, joined: false, epoch: null, members: [] }
    const { nodes } = await watched({ status: () => joins }).watch.view()
    expect(nodes.map(({ id, state }) => [id, state])).toEqual([['a', 'joining']])
  })

  test('members, holder, waiters in their order, the fence', async () => {
    const view = await watched({}).watch.view()
    expect(view).toMatchObject({ title: 'node a', view: { epoch: 3, members: ['a', 'b', 'c'] } })
    expect(view.nodes.flatMap(({ deeds }) => deeds)).toEqual([])
    expect(view.nodes.map(({ id, state, isIn }) => [id, state, isIn])).toEqual([
      ['a', 'in view', true],
      ['b', 'in view', true],
      ['c', 'not heard', true],
      ['d', 'missing', false],
    ])
    expect(view.circles).toEqual(['a waits for itself'])
    expect(view.locks).toEqual([
      {
        name: 'orders',
        holders: ['b'],
        waiters: ['c', 'a'],
        waiting: 2,
        notes: ['b holds for 3.0 s: {"job":4711}', 'a waits for 0.0 s: "<b>"'],
        fence: '7',
        turns: null,
      },
    ])
  })

  test('itself before it has joined, and without a lease', async () => {
    const own = async (more: Partial<NodeStatus>) =>
      (await watched({ status: () => ({ ...status, ...more }) }).watch.view()).nodes[0]
    expect(await own({ joined: false, epoch: null, members: [], leaseLeft: 0 })).toMatchObject({
      state: 'joining',
      isIn: false,
    })
    expect(await own({ leaseLeft: 0 })).toMatchObject({ state: 'left out', leaseLeft: 0 })
  })

  test('what the members told last, with its age, while they do not answer', async () => {
    const told = { names: [orders], circles: [] }
    let answers = [Promise.resolve(told), new Promise<typeof told>(() => {})]
    const { clock, watch } = watched({
      overview: () => answers.shift() ?? Promise.reject(new Error('asked twice')),
    })
    expect((await watch.view()).locksAge).toBe(0)
    clock.now = 3000
    const late = await watch.view()
    expect([late.locks.length, late.locksAge]).toEqual([1, 3000])
    // The question is still open, so nobody is asked again.
    clock.now = 6000
    answers = []
    expect((await watch.view()).locksAge).toBe(6000)
  })

  test('nothing of locks while nobody has told anything, and asks again after a failure', async () => {
    let asked = 0
    const { clock, watch } = watched({
      overview: () => {
        asked += 1
        return asked === 1
          ? Promise.reject(new Error('no quorum'))
          : Promise.resolve({ names: [orders], circles: [] })
      },
    })
    expect(await watch.view()).toMatchObject({ locks: [], locksAge: null })
    clock.now = 999
    expect(await watch.view()).toMatchObject({ locks: [], locksAge: null })
    clock.now = 1000
    expect(await watch.view()).toMatchObject({ locksAge: 0 })
    expect(asked).toBe(2)
  })

  test('of very many names and waiters the first, and how many there are', async () => {
    const crowd = Array.from({ length: 60 }, () => get(orders.waiters, 0))
    const names = Array.from({ length: 103 }, () => ({
      ...orders,
      kind: 'semaphore' as const,
      waiters: crowd,
    }))
    const { locks, more } = await watched({
      overview: () => Promise.resolve({ names, circles: [] }),
    }).watch.view()
    expect([
      locks.length,
      more,
      get(locks, 0).name,
      get(locks, 0).waiters.length,
      get(locks, 0).waiting,
    ]).toEqual([100, 3, 'orders (semaphore)', 50, 60])
  })
})

test('a rate is of the last five seconds, and unknown at the first look', () => {
  const rate = new Rate()
  expect([
    rate.perSecond(0, 10),
    rate.perSecond(1000, 14),
    rate.perSecond(5000, 20),
    rate.perSecond(6000, 29),
    rate.perSecond(60_000, 30),
  ]).toEqual([null, 4, 2, 3, null])
})
