import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Deed, ENGINE, PLACES } from '../src/deeds.ts'
import { type PlanOptions, plan, type Round } from '../src/plan.ts'
import { setPiecesAt } from '../src/set-pieces.ts'

const anyOptions = fc.record({
  seed: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  ids: fc.integer({ min: 3, max: 9 }).map((count) => 'a b c d e f g h i'.split(' ').slice(0, count)),
  leaseMs: fc.integer({ min: 300, max: 10_000 }),
  leases: fc.integer({ min: 1, max: 200 }),
  beginWith: fc.constantFrom(null, ...setPiecesAt(null)),
})

const anyAtPlaces = fc
  .constantFrom(...PLACES)
  .chain((at) =>
    fc
      .record({ options: anyOptions, beginWith: fc.constantFrom(null, ...setPiecesAt(at)) })
      .map(({ options, beginWith }) => ({ ...options, beginWith, at })),
  )

function planOf({ leases, ...options }: Omit<PlanOptions, 'milliseconds'> & { leases: number }): Round[] {
  return plan({ ...options, milliseconds: leases * options.leaseMs })
}

/** What the plan may rely on: how everything stands after its deeds, in their order. Throws if one is impossible. */
class Model {
  readonly #processes = new Map<string, 'runs' | 'stopped' | 'gone'>()
  readonly #cut = new Set<string>()
  readonly #ready = new Set<string>()
  #engine: 'runs' | 'stopped' | 'gone' = 'runs'
  #voters: number

  constructor(ids: readonly string[]) {
    this.#voters = ids.length
    for (const id of ids) this.#processes.set(id, 'runs')
  }

  do(deed: Deed): void {
    if (deed.do === 'cut' || deed.do === 'heal') {
      const link = `${deed.from} to ${deed.to}`
      const isPossible = deed.from !== deed.to && this.#cut.has(link) === (deed.do === 'heal')
      if (!isPossible) throw new Error(`cannot ${deed.do} ${link}`)
      if (deed.do === 'cut') this.#cut.add(link)
      else this.#cut.delete(link)
      return
    }
    if (deed.do === 'stand-by') {
      if (this.#ready.has(deed.id)) throw new Error(`${deed.id} has a process that stands by`)
      this.#ready.add(deed.id)
      return
    }
    if (deed.do === 'change-voters') {
      this.#voters = deed.voters.length
      return
    }
    if (deed.do === 'engine') {
      const [from, to] = ENGINE_DEEDS[deed.what]
      if (this.#engine !== from) throw new Error(`cannot ${deed.what} an engine that ${this.#engine}`)
      this.#engine = to
      return
    }
    if (deed.do === 'start') this.#ready.delete(deed.id)
    if (deed.do === 'clone' && deed.of === deed.id) throw new Error(`${deed.id} is no clone of its own`)
    const now = this.#processes.get(deed.id)
    const [from, to] = {
      kill: [['runs', 'stopped'], 'gone'],
      leave: [['runs'], 'gone'],
      stop: [['runs'], 'stopped'],
      continue: [['stopped'], 'runs'],
      start: [['gone'], 'runs'],
      clone: [['gone'], 'runs'],
      copy: [['gone'], 'gone'],
      'put-back': [['gone'], 'gone'],
      fill: [['runs'], 'runs'],
      protect: [['runs'], 'runs'],
      block: [['runs'], 'runs'],
      hoard: [['runs'], 'runs'],
      linger: [['runs'], 'runs'],
      lose: [['runs'], 'runs'],
    }[deed.do] as [string[], 'runs' | 'stopped' | 'gone']
    if (now === undefined || !from.includes(now))
      throw new Error(`cannot ${deed.do} ${deed.id}, which ${now}`)
    this.#processes.set(deed.id, to)
  }

  get isWell(): boolean {
    const isUsed = this.#cut.size === 0 && this.#ready.size === 0 && this.#voters === this.#processes.size
    return (
      isUsed && this.#engine === 'runs' && [...this.#processes.values()].every((state) => state === 'runs')
    )
  }
}

const REPAIRS = ['start', 'continue', 'heal', 'change-voters']

const ENGINE_DEEDS = {
  kill: ['runs', 'gone'],
  start: ['gone', 'runs'],
  stop: ['runs', 'stopped'],
  continue: ['stopped', 'runs'],
} as const

describe('the schedule', () => {
  test('is the same for the same seed, and another for another', () => {
    fc.assert(
      fc.property(anyOptions, (options) => {
        expect(planOf(options)).toEqual(planOf(options))
      }),
    )
    const options = { ids: ['a', 'b', 'c'], leaseMs: 1000, milliseconds: 60_000 }
    expect(plan({ ...options, seed: 1 })).not.toEqual(plan({ ...options, seed: 2 }))
  })

  test('asks for nothing impossible, and every round ends with everything repaired', () => {
    fc.assert(
      fc.property(fc.oneof(anyOptions, anyAtPlaces), (options) => {
        const model = new Model(options.ids)
        for (const { steps, repairs } of planOf(options)) {
          for (const { deed } of steps) model.do(deed)
          for (const deed of repairs) model.do(deed)
          expect(model.isWell).toBe(true)
        }
      }),
    )
  })

  test('so does every choice of its parts: nothing impossible, and in the end everything is repaired', () => {
    fc.assert(
      fc.property(fc.oneof(anyOptions, anyAtPlaces), fc.nat(), (options, bits) => {
        const parts = Array.from({ length: 31 }, (_, i) => i + 1).filter((part) => (bits >> (part - 1)) & 1)
        const model = new Model(options.ids)
        for (const { steps, repairs } of planOf({ ...options, parts })) {
          for (const { deed } of steps) model.do(deed)
          for (const deed of repairs) model.do(deed)
          expect(model.isWell).toBe(true)
        }
      }),
    )
  })

  test('takes the state directory of a minority of the voters of a round, and of no more', () => {
    let most = 0
    fc.assert(
      fc.property(anyOptions, (options) => {
        for (const { steps, repairs } of planOf(options)) {
          const deeds = [...steps.map(({ deed }) => deed), ...repairs]
          const lost = deeds.filter((deed) => deed.do === 'start' && !deed.keepsState).length
          const voters = deeds.flatMap((deed) => (deed.do === 'change-voters' ? [deed.voters.length] : []))
          expect(2 * lost).toBeLessThan(Math.min(options.ids.length, ...voters))
          most = Math.max(most, lost)
        }
      }),
    )
    expect(most).toBeGreaterThan(1)
  })

  test('is in order, in time, and as long as asked', () => {
    fc.assert(
      fc.property(fc.oneof(anyOptions, anyAtPlaces), (options) => {
        const rounds = planOf(options)
        rounds.forEach(({ number, steps, lasts, repairs }, i) => {
          expect(number).toBe(i + 1)
          expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted((a, b) => a - b))
          expect(steps.every(({ at }) => at >= 0 && at <= lasts)).toBe(true)
          expect(repairs.every((deed) => REPAIRS.includes(deed.do === 'engine' ? deed.what : deed.do))).toBe(
            true,
          )
        })
        const total = rounds.reduce((sum, { lasts, calm }) => sum + lasts + calm, 0)
        // One round at least, and never so much less that another would have fitted.
        const asked = options.leases * options.leaseMs
        expect(total).toBeLessThanOrEqual(Math.max(asked, 8 * options.leaseMs) + rounds.length)
        expect(total).toBeGreaterThan(asked - 8 * options.leaseMs)
      }),
    )
  })

  test('a minute more leaves what was planned before it as it was', () => {
    const options = { seed: 5, ids: ['a', 'b', 'c', 'd', 'e'], leaseMs: 1000 }
    const short = plan({ ...options, milliseconds: 60_000 })
    const long = plan({ ...options, milliseconds: 120_000 })
    expect(long.slice(0, short.length - 1)).toEqual(short.slice(0, -1))
  })

  test('begins every round with what is asked for', () => {
    const options = { seed: 1, ids: ['a', 'b', 'c'], leaseMs: 2000, milliseconds: 600_000 }
    const rounds = plan({ ...options, beginWith: 'forgetful' })
    // Two of three are killed while the third is inside, and there again at once.
    const isForgetful = ({ steps }: Round) =>
      steps.filter(({ deed }) => deed.do === 'kill' && deed.meets !== null && deed.meets.inside !== deed.id)
        .length === 2
    expect(rounds.length).toBeGreaterThan(20)
    expect(rounds.filter((round) => !isForgetful(round))).toEqual([])
    expect(plan(options).some((round) => !isForgetful(round))).toBe(true)
  })

  test('does everything to somebody, sooner or later', () => {
    const rounds = plan({ seed: 1, ids: ['a', 'b', 'c', 'd', 'e'], leaseMs: 1000, milliseconds: 3_600_000 })
    const deeds = rounds.flatMap(({ steps, repairs }) => [...steps.map(({ deed }) => deed), ...repairs])
    const kinds = new Set(
      deeds.map((deed) => {
        if (deed.do === 'cut') return deed.how
        if (deed.do === 'start' && deed.leaseFactor !== undefined) return 'start with another lease'
        return deed.do === 'start' && !deed.keepsState ? 'start without state' : deed.do
      }),
    )
    expect([...kinds].toSorted()).toEqual([
      'block',
      'change-voters',
      'clone',
      'continue',
      'copy',
      'dropped',
      'fill',
      'half-open',
      'heal',
      'hoard',
      'kill',
      'leave',
      'linger',
      'lossy',
      'protect',
      'put-back',
      'refused',
      'stalled',
      'stand-by',
      'start',
      'start with another lease',
      'start without state',
      'stop',
      'swallowed',
    ])
    // One that meets a holder is to be heard by nobody.
    expect(deeds.some((deed) => deed.do === 'cut' && deed.how === 'lossy' && deed.meets !== null)).toBe(false)
    // Nobody runs: a massacre. And a link that works one way only.
    expect(rounds.some((round) => fewestRunning(round, 5) === 0)).toBe(true)
    expect(rounds.some(({ steps }) => hasOneWay(steps.map(({ deed }) => deed)))).toBe(true)
  })
})

describe('at a place', () => {
  const options = { seed: 1, ids: ['a', 'b', 'c', 'd', 'e'], leaseMs: 1000, milliseconds: 3_600_000 }
  const kindsAt = (at: (typeof PLACES)[number]) => {
    const deeds = plan({ ...options, at }).flatMap(({ steps, repairs }) => [
      ...steps.map(({ deed }) => deed),
      ...repairs,
    ])
    return new Set(deeds.map(kindAtPlace))
  }
  const toProcesses = ['block', 'continue', 'hoard', 'kill', 'leave', 'stand-by', 'start', 'stop']

  const WAYS = ['dropped', 'half-open', 'lossy', 'refused', 'stalled', 'swallowed']

  test('in a directory processes are killed and stopped; nothing is done to disks, voters or links', () => {
    expect([...kindsAt('directory')].toSorted()).toEqual([...toProcesses].toSorted())
  })

  test.each(['postgres', 'etcd'] as const)('at %s also the engine and the ways to it', (at) => {
    expect([...kindsAt(at)].toSorted()).toEqual(
      [
        ...toProcesses,
        ...WAYS.map((how) => `engine ${how}`),
        ...['continue', 'kill', 'start', 'stop'].map((what) => `engine ${what}`),
        'heal',
        'linger',
        'lose answer',
        'lose question',
        ...WAYS.map((how) => `member ${how}`),
      ].toSorted(),
    )
  })
})

function kindAtPlace(deed: Deed): string {
  if (deed.do === 'engine') return `engine ${deed.what}`
  if (deed.do === 'lose') return `lose ${deed.what}`
  if (deed.do === 'cut') return `${deed.to === ENGINE ? 'engine' : 'member'} ${deed.how}`
  if (deed.do === 'start' && (deed.leaseFactor !== undefined || !deed.keepsState)) return 'start otherwise'
  return deed.do
}

function fewestRunning({ steps }: Round, nodes: number): number {
  const gone = new Set<string>()
  let fewest = nodes
  for (const { deed } of steps) {
    if (deed.do === 'kill' || deed.do === 'leave') gone.add(deed.id)
    if (deed.do === 'start') gone.delete(deed.id)
    fewest = Math.min(fewest, nodes - gone.size)
  }
  return fewest
}

function hasOneWay(deeds: readonly Deed[]): boolean {
  const cut = new Set(deeds.flatMap((deed) => (deed.do === 'cut' ? [`${deed.from} ${deed.to}`] : [])))
  return [...cut].some((link) => !cut.has(link.split(' ').toReversed().join(' ')))
}
