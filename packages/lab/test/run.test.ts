import { get } from '@turnwise/core/bounds'
import { happenings } from '@turnwise/core/trace/happening'
import { Simulation } from '@turnwise/simulator/simulation'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { conesOf } from '../src/run/causality.ts'
import { counterAt } from '../src/run/counters.ts'
import { branchOf, handPlace, TRUNK, withHand } from '../src/run/forks.ts'
import { type Hand, readHands, writeHands } from '../src/run/hand.ts'
import { lettersAt, nextEntry, positionAt, previousEntry } from '../src/run/moment.ts'
import { play } from '../src/run/play-whole.ts'
import { propertiesAt } from '../src/run/properties.ts'
import type { Recording } from '../src/run/recording.ts'
import { record } from '../src/run/recording-builder.ts'
import { sharedCopy } from '../src/run/shared-copy.ts'
import { known, variants, worldOf } from '../src/run/spec.ts'
import { tallyOf } from '../src/run/tally.ts'
import { specOf, watched } from './runs.ts'

const fails = (run: ReturnType<typeof watched>, position: number) =>
  propertiesAt(run.recording, run.at(position), run.world.config.algorithm)
    .filter(({ holds }) => !holds)
    .map(({ name }) => name)

describe('a run', () => {
  test.each(variants.map(({ algorithm }) => algorithm.facts.name))(
    '%s, broken on purpose, can be watched too',
    (algorithm) => {
      const { events, header } = play(specOf({ algorithm }), [])
      expect(header.algorithm).toBe(algorithm)
      expect(events.length).toBeGreaterThan(0)
    },
  )

  test.each(known.map(({ facts }) => facts.name))('%s plays to its end and twice the same', (algorithm) => {
    const spec = specOf({ algorithm, nodes: 5, entries: 15, latency: 'uniform:0.5,2' })
    const played = play(spec, [])
    expect(played.isCut).toBe(false)
    expect(played.events.length).toBeGreaterThan(5)
    expect(play(spec, [])).toEqual(played)
    const run = watched(spec)
    const last = run.recording.happenings.length
    expect(fails(run, 0)).toEqual([])
    expect(fails(run, last)).toEqual([])
    expect(lettersAt(run.recording, last).filter(({ ends }) => ends !== null)).toEqual([])
  })

  test('the states at its end are those of the simulation', () => {
    for (const algorithm of ['maekawa', 'suzuki-kasami', 'raymond', 'lamport']) {
      const run = watched({ algorithm, nodes: 7, entries: 30 })
      if (run.world.is !== 'exclusion') throw new Error('not an election')
      const simulation = new Simulation(run.world.config).runToEnd()
      const moment = run.at(run.recording.happenings.length)
      expect(moment.nodes.map(({ state }) => state)).toEqual(
        moment.nodes.map(({ node }) => simulation.stateOf(node)),
      )
    }
  })

  test('what a step changed is at the node where it happened', () => {
    const { recording, at } = watched()
    for (let position = 1; position <= recording.happenings.length; position += 1) {
      const { happening, nodes } = at(position)
      const changed = nodes.filter(({ before }) => before !== null).map(({ node }) => node)
      expect(changed.every((node) => node === happening?.node)).toBe(true)
    }
    expect(at(1).nodes.filter(({ before }) => before !== null)).toHaveLength(1)
  })

  test('letters under way are what was sent and has not ended, at every position', () => {
    const run = watched({ algorithm: 'maekawa', nodes: 7, entries: 40, latency: 'uniform:0.5,4' })
    const { recording } = run
    for (let position = 0; position <= recording.happenings.length; position += 1) {
      const slow = recording.letters.filter(({ since, until }) => since <= position && position < until)
      expect(new Set(lettersAt(recording, position))).toEqual(new Set(slow))
    }
  })

  test('a run of which nothing more can come is broken off', () => {
    const crash: Hand = { after: 3, at: 0, act: { does: 'crash', node: 1 } }
    const played = play(specOf({ algorithm: 'token-ring', nodes: 4, load: 'hands' }), [crash])
    expect(played.events.length).toBeLessThan(5000)
  })

  test('what cannot be built is told by name', () => {
    expect(() => worldOf(specOf({ algorithm: 'maekava' }))).toThrow('did you mean maekawa')
    expect(() => worldOf(specOf({ latency: 'slow' }))).toThrow('latency: "slow" is not')
    expect(() => worldOf(specOf({ nodes: 5000 }))).toThrow('nodes: at most')
  })
})

describe('hands', () => {
  test('are read as they were written', () => {
    const node = fc.nat(20)
    const id = fc.integer({ min: 1, max: 999 })
    const act = fc.oneof(
      fc.record({ does: fc.constantFrom('elect', 'release', 'withdraw', 'crash', 'pause', 'resume'), node }),
      fc.record({ does: fc.constant('request'), node, mode: fc.constantFrom('exclusive', 'shared') }),
      fc.record({ does: fc.constant('restart'), node, memory: fc.boolean() }),
      fc.record({ does: fc.constantFrom('deliver', 'drop', 'duplicate'), id, to: node }),
      fc.record({ does: fc.constant('delay'), id, to: node, by: id }),
      fc.record({ does: fc.constantFrom('cut', 'heal'), from: node, to: node }),
      fc.record({ does: fc.constant('timeout'), node, timer: fc.string({ minLength: 1 }) }),
      fc.record({ does: fc.constant('proceed'), node, step: fc.constantFrom('begin', '3.1, then;') }),
      fc.record({ does: fc.constantFrom('suspect', 'restore', 'linked', 'unlinked'), node, peer: node }),
      fc.record({ does: fc.constant('notice'), node, message: id }),
    )
    const hand = fc.record({ after: fc.nat(), at: fc.nat(), act })
    fc.assert(
      fc.property(fc.array(hand), (hands) => {
        expect(readHands(writeHands(hands as Hand[]))).toEqual(hands)
      }),
    )
    expect(readHands('nonsense,1@2.crash.1,3@')).toHaveLength(1)
    expect(readHands('1@2.crash.T,1@2.timeout.x.T,1@2.timeout.1.%E0,1@2.timeout.1')).toEqual([])
  })

  test('a fork is the same run up to its moment, and another after it', () => {
    const spec = specOf({ nodes: 4, latency: 'uniform:0.5,2' })
    const trunk = play(spec, [])
    const event = trunk.events.findIndex(({ is }) => is === 'enter')
    const hand: Hand = {
      after: get(trunk.steps, event),
      at: get(trunk.events, event).at,
      act: { does: 'crash', node: 2 },
    }
    const fork = play(spec, [hand])
    expect(fork.events.slice(0, event + 1)).toEqual(trunk.events.slice(0, event + 1))
    expect(fork.events[event + 1]).toEqual({ at: get(trunk.events, event).at, is: 'crash', node: 2 })
    expect(fork.events).not.toEqual(trunk.events)
    expect(fork.refused).toEqual([])
  })

  test('what cannot be done is told and changes nothing', () => {
    const hand: Hand = { after: 1, at: 0, act: { does: 'restart', node: 0, memory: true } }
    const { refused, events } = play(specOf(), [hand])
    expect(refused).toEqual([{ hand, why: 'node 0 has not crashed' }])
    expect(events).toEqual(play(specOf(), []).events)
  })

  test('a hand at the end lets the run go on', () => {
    const ended = play(specOf({ load: 'script:0 request 0' }), [])
    const after = ended.steps.at(-1) ?? 0
    const { events } = play(specOf({ load: 'script:0 request 0' }), [
      { after, at: 99, act: { does: 'request', node: 1, mode: 'exclusive' } },
    ])
    expect(events.length).toBe(2 * ended.events.length)
  })

  test('a hand laid on a deadlock, after all that judges say of it, lets the run go on', () => {
    const crash: Hand = { after: 1, at: 0, act: { does: 'crash', node: 0 } }
    for (const algorithm of ['ricart-agrawala', 'naimi-trehel']) {
      const spec = specOf({ algorithm, load: 'script:0 request 2; 1 request 1' })
      const { happenings, ...stuck } = record(play(spec, [crash]))
      expect(happenings.at(-1)?.cause.is).toBe('violation')
      const { after, events } = handPlace({ happenings, ...stuck }, happenings.length)
      const at = happenings.at(-1)?.at ?? 0
      const goesOn = play(spec, [crash, { after, at, act: { does: 'restart', node: 0, memory: true } }])
      expect(goesOn.refused).toEqual([])
      expect(goesOn.events[events]).toEqual({ at, is: 'restart', node: 0, memory: true })
    }
  })

  test('a hand whose moment never comes is refused', () => {
    const hand: Hand = { after: 1000, at: 0, act: { does: 'crash', node: 0 } }
    expect(play(specOf(), [hand]).refused).toEqual([{ hand, why: 'the run had ended before' }])
  })

  test('a hand in the past leaves out later ones, and both branches stay', () => {
    const early: Hand = { after: 5, at: 5, act: { does: 'crash', node: 1 } }
    const late: Hand = { after: 9, at: 9, act: { does: 'crash', node: 2 } }
    expect(withHand([early], late)).toEqual([early, late])
    const forked = withHand([late], early)
    expect(forked).toEqual([early])
    const one = branchOf([TRUNK], { hands: [late], parent: 0, forkedAt: 9, label: 'crash 2' })
    const two = branchOf(one.branches, { hands: forked, parent: 0, forkedAt: 5, label: 'crash 1' })
    expect(two.branches).toHaveLength(3)
    expect(branchOf(two.branches, { ...TRUNK, label: 'again' })).toEqual({ branches: two.branches, index: 0 })
  })
})

describe('the truth of a moment', () => {
  test('a crash that lets others wait for ever turns a property red, from the crash on', () => {
    const spec = { load: 'script:0 request 0', nodes: 3 }
    const crash: Hand = { after: 1, at: 500_000, act: { does: 'crash', node: 2 } }
    const run = watched(spec, [crash])
    expect(fails(run, 1)).toEqual([])
    expect(fails(run, 2)).toEqual(['waiting'])
    const last = run.recording.happenings.length
    expect(fails(run, last)).toEqual(['deadlock', 'waiting'])
    const [, , waiting] = atLeast(3, propertiesAt(run.recording, run.at(last), run.world.config.algorithm))
    expect(waiting.reason).toBe(
      'Node 0 has waited since 0.000 and is never let in: its request to node 2 reached a crashed node.',
    )
  })

  test('a token that crashes with its holder is missed', () => {
    const crash: Hand = { after: 1, at: 0, act: { does: 'crash', node: 0 } }
    const run = watched({ algorithm: 'suzuki-kasami', load: 'script:0 request 1' }, [crash])
    const position = run.recording.happenings.findIndex(({ cause }) => cause.is === 'crash') + 1
    expect(fails(run, position)).toContain('tokens')
    const tokens = get(propertiesAt(run.recording, run.at(position), run.world.config.algorithm), 1)
    expect(tokens.reason).toBe('There are 0 tokens; node 0 crashed with it.')
  })

  test('two tokens are seen', () => {
    const run = watched({ algorithm: 'suzuki-kasami', load: 'script:0 request 1' })
    const token = run.recording.letters.find(({ message }) => message.type === 'privilege')
    if (token === undefined) throw new Error('no token was sent')
    const after = get(run.recording.steps, token.since - 1)
    const twice: Hand = { after, at: 0, act: { does: 'duplicate', id: token.id, to: token.to } }
    const doubled = watched(run.spec, [twice])
    const position = doubled.recording.letters.find(({ isCopy }) => isCopy)?.since ?? 0
    expect(fails(doubled, position)).toContain('tokens')
  })

  test('the counter is the formula, where every entry costs the same', () => {
    for (const nodes of [3, 9]) {
      const run = watched({ nodes, entries: 4 * nodes })
      const last = run.recording.happenings.length
      const { algorithm, setup } = run.world.config
      const counter = counterAt(run.recording, run.at(last), algorithm, setup, 'heavy')
      expect(counter.perEntry).toBe(2 * (nodes - 1))
      expect(counter.theory?.mean).toBe(2 * (nodes - 1))
      expect(counter.remark).toBeNull()
      const early = run.recording.entered.indexOf(1)
      expect(counterAt(run.recording, run.at(early), algorithm, setup, 'heavy').remark).toContain(
        'still wait',
      )
    }
  })

  test('messages are counted over the requests that are over, while others wait', () => {
    const load = 'script:0 request 0; 10 request 1; 20 request 2'
    const run = watched({ load })
    const { algorithm, setup } = run.world.config
    const second = run.recording.happenings.findIndex(
      ({ cause }) => cause.is === 'request' && cause.node === 1,
    )
    const counter = counterAt(run.recording, run.at(second + 1), algorithm, setup, 'light')
    expect(counter).toMatchObject({ sent: 6, entries: 1, perEntry: 4 })
    expect(counter.remark).toBe('Counted over the one request that has ended.')
    expect(tallyOf(run.recording)(second + 1)).toMatchObject({ perEntry: 4, hasWaiting: false })
    // If somebody always waits, the figure has to include that, and says so: also where it is what theory says.
    const heavy = watched({ entries: 12, algorithm: 'token-ring' })
    const tally = tallyOf(heavy.recording)
    for (const [position] of heavy.recording.happenings.entries()) {
      const { perEntry, hasWaiting } = tally(position)
      const { remark } = counterAt(
        heavy.recording,
        heavy.at(position),
        heavy.world.config.algorithm,
        heavy.world.config.setup,
        'heavy',
      )
      expect(remark?.includes('still wait') ?? false).toBe(hasWaiting)
      if (perEntry !== null && heavy.at(position).waiting.length > 0) expect(hasWaiting).toBe(true)
    }
  })

  test('entries are found forwards and backwards', () => {
    const { recording } = watched()
    const found: number[] = []
    for (let at = nextEntry(recording, 0); at < recording.happenings.length; at = nextEntry(recording, at))
      found.push(at)
    expect(found).toHaveLength(6)
    expect(previousEntry(recording, get(found, 3))).toBe(found[2])
    expect(previousEntry(recording, get(found, 0))).toBe(0)
    expect(positionAt(recording, -1)).toBe(0)
    expect(positionAt(recording, 1e12)).toBe(recording.happenings.length)
  })
})

describe('causes', () => {
  test('cones are those of the slow definition', () => {
    const { recording } = watched({ algorithm: 'lamport', entries: 4, latency: 'uniform:0.5,3' })
    const length = recording.happenings.length
    const reaches = slowReach(recording)
    for (let of = 0; of < length; of += 3) {
      const { past, future } = conesOf(recording, of)
      const numbers = Array.from({ length }, (_, i) => i)
      expect([...future].toSorted((a, b) => a - b)).toEqual(
        numbers.filter((i) => i !== of && get(reaches, of)[i]),
      )
      expect([...past].toSorted((a, b) => a - b)).toEqual(
        numbers.filter((i) => i !== of && get(reaches, i)[of]),
      )
    }
  })
})

/** Reachability by trying all pairs. */
function slowReach({ header, events }: Recording): boolean[][] {
  const all = [...happenings({ header, events })]
  const senderOf = (id: number) =>
    all.findIndex(({ cause, consequences }) =>
      [cause, ...consequences].some((event) => event.is === 'send' && event.id === id),
    )
  const reaches = all.map(() => all.map(() => false))
  all.forEach(({ node, transit }, i) => {
    if (transit !== null && senderOf(transit.id) !== i) get(reaches, senderOf(transit.id))[i] = true
    for (let j = 0; j < i; j += 1) if (node !== null && get(all, j).node === node) get(reaches, j)[i] = true
  })
  for (let k = 0; k < all.length; k += 1)
    for (let i = 0; i < all.length; i += 1)
      if (get(reaches, i)[k])
        for (let j = 0; j < all.length; j += 1) if (get(reaches, k)[j]) get(reaches, i)[j] = true
  return reaches
}

test('a copy is equal, and shares what has not changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (old, now) => {
      const copy = sharedCopy(old, now)
      expect(copy).toEqual(now)
      expect(sharedCopy(copy, structuredClone(now))).toBe(copy)
    }),
  )
  const before = { a: [1, 2], b: { c: 3 } }
  const after = sharedCopy(before, { a: [1, 2], b: { c: 4 } })
  expect(after.a).toBe(before.a)
  expect(after.b).not.toBe(before.b)
})
