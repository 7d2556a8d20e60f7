import { catalogue } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { servable } from '../src/protocol/serving.ts'
import { isServable } from './is-servable.ts'
import { type Counts, noCounts } from './simulation/counts.ts'
import { ALGORITHMS, planFor, type Wishes } from './simulation/plan.ts'
import { simulate } from './simulation/voters.ts'
import '../check/texts.ts'

const FIRST = Number(process.env['PROPERTY_SEED'] ?? 1981)

/** Runs so many seeds; a violation tells the command that replays it. */
function holds(runs: number, wishes: Wishes, flags: string): Counts {
  const total = noCounts()
  for (let seed = FIRST; seed < FIRST + runs; seed += 1) {
    const { violation, counts } = simulate(planFor(seed, wishes))
    if (violation !== null) {
      const { judge, text } = violation
      throw new Error(`${judge}: ${text}\nreplay: npm run -s mesh:runs -- --seed ${seed}${flags}`)
    }
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key]
  }
  return total
}

describe('random worlds: one holder, rising fences, no two claims, and everyone enters when faults end', () => {
  test('three to five nodes, any of the algorithms', () => {
    const counts = holds(extent(8, 40, 150), {}, '')
    // What the run is about did happen.
    for (const what of [
      'chosen',
      'carried',
      'lost',
      'crashes',
      'lostStates',
      'frozenHandOns',
      'replaced',
    ] as const) {
      expect(counts[what], what).toBeGreaterThan(extent(0, 1, 10))
    }
    expect(counts.quietTails - counts.halted).toBeGreaterThan(extent(1, 5, 20))
  })

  test('thieves', () => {
    const counts = holds(extent(2, 15, 40), { steals: 0.2 }, ' --steals 0.2')
    expect(counts.stolen).toBeGreaterThan(extent(2, 15, 50))
  })

  for (const algorithm of ['token-queue', 'carvalho-roucairol', 'ricart-agrawala', 'raymond']) {
    test(`writers that go on as readers: ${algorithm}`, () => {
      const wishes = { algorithm, shared: 0.5, downgrades: 0.7 }
      const flags = ` --algorithm ${algorithm} --shared 0.5 --downgrades 0.7`
      const counts = holds(extent(1, 12, 40), wishes, flags)
      expect(counts.downgrades).toBeGreaterThan(extent(10, 50, 200))
      expect(counts.joinedAfter).toBeGreaterThan(extent(0, 5, 20))
    })
  }

  for (const algorithm of ['token-queue', 'carvalho-roucairol', 'raymond']) {
    test(`updates that become exclusive: ${algorithm}`, () => {
      const wishes = { algorithm, shared: 0.7, downgrades: 0.3, updates: 0.3 }
      const flags = ` --algorithm ${algorithm} --shared 0.7 --downgrades 0.3 --updates 0.3`
      const counts = holds(extent(1, 12, 40), wishes, flags)
      expect(counts.upgraded).toBeGreaterThan(extent(1, 20, 100))
    })
  }

  for (const [nodes, localTurns] of [
    [1, 2],
    [3, 1],
    [3, 3],
  ] as const) {
    test(`${nodes} nodes of the default algorithm, with all that a caller may do: turns in a row ${localTurns}`, () => {
      const drawn = { steals: 0.1, shared: 0.6, downgrades: 0.4, updates: 0.3, priorities: 0.5, idle: 20 }
      const wishes = {
        algorithm: 'token-queue',
        nodes,
        voters: nodes,
        slow: [],
        leases: [],
        localTurns,
        ...drawn,
      }
      const counts = holds(extent(2, 15, 60), wishes, ` --plan '${JSON.stringify(wishes)}'`)
      for (const what of ['downgrades', 'upgraded'] as const)
        expect(counts[what], what).toBeGreaterThan(extent(2, 20, 100))
    })
  }

  for (const semaphore of ['#2=S', '#3/raymond-k=S']) {
    test(`locks and the semaphore ${semaphore}`, () => {
      holds(extent(1, 8, 20), { names: ['L', semaphore] }, ` --names L,${semaphore}`)
    })
  }

  test('a group, whose callers want some of its names, beside a lock', () => {
    const names = ['L', '&a,b,c=G']
    const counts = holds(extent(4, 40, 150), { names }, ` --plan '${JSON.stringify({ names })}'`)
    for (const what of ['carried', 'lost', 'crashes', 'pauses'] as const)
      expect(counts[what], what).toBeGreaterThan(extent(0, 5, 20))
  })

  const others = catalogue
    .map(({ facts }) => facts.name)
    .filter((name) => !ALGORITHMS.includes(name) && isServable(name))
  // Whatever serves, the mesh around it is the same.
  for (const name of others.filter((_, i) => i % extent(4, 1) === 0)) {
    test(`${name} in every view`, () => {
      holds(extent(1, 3, 6), { algorithm: name }, ` --algorithm ${name}`)
    })
  }
})

test('what a mesh cannot run is refused by name and reason', () => {
  expect(() => servable('token-ring')).toThrow(
    '"token-ring" cannot serve a mesh: it sends messages even while nobody wants the lock',
  )
  expect(() => servable('raymond-k')).toThrow(
    '"raymond-k" cannot serve a mesh: it lets several callers in at a time',
  )
  expect(() => servable('composed')).toThrow(
    '"composed" cannot serve a mesh: its zones are blocks of numbers',
  )
  expect(() => servable('ricart-agrawala steps=1,9 delay=3')).toThrow(
    '"ricart-agrawala steps=1,9 delay=3" cannot serve a mesh: delay=3 sets a timer, and a mesh has none for algorithms',
  )
})

test('a run is its seed', () => {
  const lines = () => {
    const seen: string[] = []
    simulate(planFor(FIRST), undefined, (line) => seen.push(line))
    return seen
  }
  expect(lines()).toEqual(lines())
})
