/** What the explorer leaves out is what nobody could tell apart: with and without it the same can be seen of the mesh. */
import { StateStore } from '@turnwise/checker/state-store'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { present } from '../../../test/present.ts'
import { SOUND } from '../broken/under.ts'
import { BOUNDS } from '../check/bounds.ts'
import { MOST_THINGS } from '../check/draft.ts'
import { Machine } from '../check/machine.ts'
import { ALL, NONE, type Reductions, reductionsFor } from '../check/reductions.ts'
import { Worlds } from '../check/worlds.ts'
import type { Rules } from '../src/protocol/rules.ts'

interface Seen {
  readonly worlds: number
  /** Of every world: sessions, promises, accepted and begun views, and who holds, validly or not. */
  readonly sights: ReadonlySet<string>
  readonly violations: readonly string[]
}

function seen(name: string, reductions: Reductions, rules: Rules = SOUND): Seen {
  const machine = new Machine(present(BOUNDS[name]), rules, reductions)
  const worlds = new Worlds(machine)
  const store = new StateStore()
  const world = new Int32Array(MOST_THINGS)
  store.add(world, worlds.initial(world), 0)
  const sights = new Set<string>()
  const violations: string[] = []
  for (let from = 0; from < store.length; from += 1) {
    const size = store.read(from, world)
    sights.add(sightOf(machine, world))
    worlds.expand(world, size, (next, nextSize, finding) => {
      if (finding === null) store.add(next, nextSize, from)
      else violations.push(finding.property)
    })
  }
  return { worlds: store.length, sights, violations }
}

function sightOf(machine: Machine, world: Int32Array): string {
  return machine.bounds.nodes
    .map((_, p) => {
      const { durable, begun } = get(machine.processes.list, present(world[p])).node
      const { holds, isValid } = machine.traitsOf(present(world[p]))
      const members = begun?.members.map(({ id, session }) => `${id}${session.k}`).join('')
      const { voterId, k, promised, accepted } = durable
      return `${voterId}.${k} ${promised.epoch} ${accepted?.epoch} ${begun?.epoch} ${members} ${holds} ${isValid}`
    })
    .join('; ')
}

const full = new Map<string, Seen>()

/** What is seen without any reduction, with which several tests compare. */
function seenInFull(name: string): Seen {
  const known = full.get(name) ?? seen(name, NONE)
  full.set(name, known)
  return known
}

const FEW = ['genesis-1', 'locks-1-thief']
const MORE = ['locks-2-member', 'ballots-2']
const LARGE = [
  'locks-2-x-restart',
  'ballots-3-wish',
  'locks-3-blank',
  'ballots-3-lean',
  'locks-2-lean',
  'locks-2-lean-x',
]

describe('with all reductions the same is seen as with none, in fewer worlds', () => {
  for (const name of extent(FEW, MORE, [...FEW, ...MORE, ...LARGE])) {
    test(name, () => {
      const reduced = seen(name, ALL)
      const whole = seenInFull(name)
      expect(whole.violations).toEqual([])
      expect(reduced.violations).toEqual([])
      expect([...reduced.sights].toSorted()).toEqual([...whole.sights].toSorted())
      expect(reduced.worlds).toBeLessThanOrEqual(whole.worlds)
    })
  }
})

describe('each reduction alone', () => {
  for (const reduction of Object.keys(ALL) as (keyof Reductions)[]) {
    for (const name of extent(['locks-1-thief'], ['ballots-2', 'locks-2-member'])) {
      test(`${reduction} within ${name}`, () => {
        const reduced = seen(name, { ...NONE, [reduction]: true })
        expect([...reduced.sights].toSorted()).toEqual([...seenInFull(name).sights].toSorted())
      })
    }
  }
})

test('a reduction that rests on a broken rule is left out', () => {
  const bounds = present(BOUNDS['locks-2-lean'])
  expect(reductionsFor(ALL, bounds, SOUND)).toEqual(ALL)
  expect(reductionsFor(ALL, bounds, { ...SOUND, closes: () => false }).leases).toBe(false)
  expect(reductionsFor(ALL, bounds, { ...SOUND, freezes: () => false }).frozenViews).toBe(false)
  expect(reductionsFor(ALL, bounds, { ...SOUND, isChosen: () => true }).lostBallots).toBe(false)
  expect(reductionsFor(ALL, present(BOUNDS['locks-2-thief']), SOUND).fences).toBe(false)
  expect(reductionsFor(ALL, present(BOUNDS['disk-3']), SOUND).leases).toBe(false)
})
