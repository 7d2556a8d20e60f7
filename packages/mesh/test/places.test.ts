/** Places in line, as `query()` tells them: whether callers are let in in that order. */
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { joinNode } from '../src/join.ts'
import type { LockOptions } from '../src/locks/options.ts'
import type { MeshNode } from '../src/mesh.ts'
import { meshes, STEADY, starter } from './meshes.ts'

const SEEDS = Array.from({ length: extent(3, 30) }, (_, i) => i + 1)

interface Asked {
  readonly node: number
  readonly options: LockOptions
}

/** Lets callers wait behind a holder, and says how many were told to be before each, and in which order they were let in. */
async function play(nodes: readonly MeshNode[], name: string, holder: number, callers: readonly Asked[]) {
  const held = await get(nodes, holder).locks.acquire(name)
  const order: number[] = []
  const done = callers.map(({ node, options }, number) =>
    get(nodes, node).locks.request(name, { ...options, info: number }, async () => {
      order.push(number)
      await new Promise(setImmediate)
    }),
  )
  const ahead = await placesOf(nodes, name, callers.length)
  held.release()
  await Promise.all(done)
  return { ahead, order }
}

/** When all requests have met the line, the second answer is the same as the first. */
async function placesOf(nodes: readonly MeshNode[], name: string, count: number): Promise<(number | null)[]> {
  for (let before = ''; ; ) {
    const { pending } = await get(nodes, 0).locks.query()
    const own = pending.filter((each) => each.name === name)
    const places = own
      .toSorted((one, other) => Number(one.info) - Number(other.info))
      .map((each) => each.ahead)
    if (own.length === count && JSON.stringify(places) === before) return places
    before = JSON.stringify(places)
  }
}

const sorted = (ahead: readonly (number | null)[]) =>
  ahead.map((_, caller) => caller).toSorted((one, other) => Number(ahead[one]) - Number(ahead[other]))

async function leaveAll(nodes: readonly MeshNode[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.leave()))
}

let names = 0
const fresh = () => `place ${++names}`

/** Draws a holder and callers, each with the options that are drawn for it. */
function drawn(seed: number, optionsFrom: (chance: Random) => LockOptions) {
  const chance = randomStream(seed, 'places')
  const holder = chance.below(4)
  const callers = Array.from({ length: 9 }, () => ({ node: chance.below(4), options: optionsFrom(chance) }))
  return { holder, callers }
}

type Settings = Partial<Parameters<typeof starter>[0]>

function inMesh(
  algorithm: string,
  suite: (nodes: () => readonly MeshNode[]) => void,
  settings: Settings = {},
): void {
  describe.concurrent(`${algorithm} ${Object.keys(settings).join()}`, () => {
    let nodes: readonly MeshNode[] = []
    beforeAll(async () => {
      const ids = ['a', 'b', 'c', 'd']
      nodes = await Promise.all(
        ids.map(starter({ ids, voters: ids, algorithm, lease: 3 * STEADY, ...settings })),
      )
    })
    afterAll(() => leaveAll(nodes))
    suite(() => nodes)
  })
}

const KNOW: readonly (readonly [string, Settings])[] = [
  ['token-queue', {}],
  ['token-queue', { localTurns: 3 }],
  ['token-queue', { zones: { a: 'x', b: 'y', c: 'x', d: 'y' } }],
  ['suzuki-kasami', {}],
]

for (const [algorithm, settings] of KNOW) {
  const suite = (nodes: () => readonly MeshNode[]) => {
    test.each(SEEDS)('callers at all nodes come in as they were told (%i)', async (seed) => {
      const { holder, callers } = drawn(seed, () => ({}))
      const { ahead, order } = await play(nodes(), fresh(), holder, callers)
      expect(ahead.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
      expect(order).toEqual(sorted(ahead))
    })
  }
  inMesh(algorithm, suite, settings)
}

inMesh('token-queue passes=2', (nodes) => {
  test.each(SEEDS)('so do those with priorities, within the bound (%i)', async (seed) => {
    const { holder, callers } = drawn(seed, (chance) => ({ priority: chance.below(3) }))
    const { ahead, order } = await play(nodes(), fresh(), holder, callers)
    expect(order).toEqual(sorted(ahead))
  })

  // Readers come in together: which of them was the first says nothing.
  test.each(SEEDS)('so do readers and writers (%i)', async (seed) => {
    const { holder, callers } = drawn(seed, (chance) => ({
      mode: chance.below(2) === 0 ? 'shared' : 'exclusive',
    }))
    const { ahead, order } = await play(nodes(), fresh(), holder, callers)
    const known = sorted(ahead).filter((caller) => ahead[caller] !== null)
    expect(known.length).toBeGreaterThan(0)
    const isReader = (caller: number) => get(callers, caller).options.mode === 'shared'
    for (const caller of known) {
      const others = order.filter((other) => !isReader(caller) || !isReader(other))
      const before = others.filter((other) => order.indexOf(other) < order.indexOf(caller))
      const told = known.slice(0, known.indexOf(caller)).filter((other) => others.includes(other))
      expect(before.toSorted()).toEqual(told.toSorted())
    }
  })
})

test('a permission-based algorithm does not know them', async () => {
  const nodes = await meshes(2, 'memory', 'ricart-agrawala', 3 * STEADY)
  onTestFinished(() => leaveAll(nodes))
  const { ahead } = await play(nodes, fresh(), 0, [{ node: 1, options: {} }])
  expect(ahead).toEqual([null])
})

test('an upgrade is before those who wait, and is none of them', async () => {
  const nodes = await meshes(3)
  onTestFinished(() => leaveAll(nodes))
  const name = fresh()
  const update = await nodes[0].locks.acquire(name, { mode: 'update' })
  const reader = await nodes[1].locks.acquire(name, { mode: 'shared' })
  const alone = update.upgrade()
  const waits = [0, 2].map((node) => get(nodes, node).locks.acquire(name, { info: node }))
  const places = async () => {
    const { pending } = await nodes[1].locks.query()
    return Object.fromEntries(pending.map(({ info, ahead }) => [String(info), ahead]))
  }
  await expect.poll(places).toEqual({ 0: 1, 2: 0, undefined: null })
  reader.release()
  await alone
  update.release()
  ;(await get(waits, 1)).release()
  ;(await get(waits, 0)).release()
})

test('a node alone knows them whatever its algorithm', async () => {
  const nodes = [await joinNode({ algorithm: 'ricart-agrawala' })]
  onTestFinished(() => leaveAll(nodes))
  const callers = [3, 0, 7].map((priority) => ({ node: 0, options: { priority } }))
  const { ahead, order } = await play(nodes, fresh(), 0, callers)
  expect(ahead).toEqual([1, 2, 0])
  expect(order).toEqual([2, 0, 1])
})
