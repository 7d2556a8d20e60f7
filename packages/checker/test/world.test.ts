/** What the world around the nodes does: when time-outs fire, and in which order a medium is heard. */
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import type { Search } from '../src/search.ts'
import { checked, failures, propertyOf, type SpelledWorld, searched, told, worldsOf } from './harness.ts'
import { heir } from './toys.ts'
import { type ChoirState, choir, crowd, lender, radio } from './world-toys.ts'

/** The worlds in which a step of the given kind can be taken. */
function* worldsBefore(search: Search, kind: string): Generator<SpelledWorld, void> {
  const buffer = new Int32Array(2048)
  for (const spelled of worldsOf(search)) {
    let can = false
    search.worlds.expand(buffer, search.store.read(spelled.state, buffer), () => {
      if (search.worlds.step.event.is === kind) can = true
    })
    if (can) yield spelled
  }
}

describe('time-outs', () => {
  test('bounded: silence means that nothing is under way', () => {
    const world = { nodes: 2, requests: 2, channels: 'fifo', timing: 'bounded' } as const
    const result = checked(lender, world)
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
    const fires = [...worldsBefore(result.check.search, 'timeout')]
    expect(fires.length).toBeGreaterThan(0)
    for (const { locals, mail } of fires) {
      expect(mail).toEqual([])
      expect(locals.map(({ status }) => status)).not.toContain('inside')
    }
  })

  test('bounded: a round trip is longer than messages take, but someone may stay inside for longer', () => {
    const timers = { silence: 'round-trip' } as const
    const brief: AnyAlgorithm = { ...lender, facts: { ...lender.facts, timers } }
    const mute = (algorithm: AnyAlgorithm): AnyAlgorithm => ({
      ...algorithm,
      receive: {
        ...algorithm.receive,
        'may I': (node: object) => void Object.assign(node, { lent: 'next' }),
      },
    })
    const world = { nodes: 2, requests: 2, channels: 'fifo', timing: 'bounded' } as const
    expect(failures(checked(brief, world))).toEqual([])
    // A node inside that says nothing is not noticed by time-outs that outlast its visit.
    expect(failures(checked(mute(lender), world))).not.toContain('exclusion')
    expect(told(propertyOf(checked(mute(brief), world), 'exclusion'))).toEqual([
      '0 request',
      '1 request',
      '0 receive may I',
      '1 timeout silence',
    ])
  })

  test('at any moment: silence means nothing', () => {
    const exclusion = propertyOf(checked(lender, { nodes: 2, timing: 'any' }), 'exclusion')
    expect(told(exclusion)).toEqual(['0 request', '1 request', '1 timeout silence'])
  })

  test("what the algorithm needs is what it gets unless told: the lender's are bounded", () => {
    expect(failures(checked(lender, { nodes: 2 }))).toEqual([])
  })

  test('bounded: a time-out waits for a crash to be noticed, and for nothing else that may come', () => {
    const search = searched(heir(false), {
      nodes: 2,
      budgets: { crashes: 1, withdrawals: 1 },
      timing: 'bounded',
    })
    expect(search.isComplete).toBe(true)
    const fires = [...worldsBefore(search, 'timeout')]
    for (const { locals, mail } of fires) {
      const unnoticed = locals.some(
        ({ status, suspected }) =>
          status !== 'crashed' &&
          locals.some((peer) => peer.status === 'crashed' && !suspected.includes(peer.node)),
      )
      expect({ unnoticed, mail }).toEqual({ unnoticed: false, mail: [] })
    }
    // After the crash was noticed, and before there is any.
    expect(new Set(fires.map(({ locals }) => locals.some(({ status }) => status === 'crashed')))).toEqual(
      new Set([true, false]),
    )
  })

  test("a node's own pace is never held back", () => {
    const search = searched(heir(true), { nodes: 2, timing: 'bounded' })
    const withMail = [...worldsBefore(search, 'timeout')].filter(({ mail }) => mail.length > 0)
    expect(withMail.length).toBeGreaterThan(0)
  })

  test('a timer that runs out is something that can still happen: no deadlock', () => {
    const patient: AnyAlgorithm = {
      ...lender,
      timeout: () => {},
      receive: { ...lender.receive, 'may I': () => {} },
    }
    const deadlock = propertyOf(checked(patient, { nodes: 2 }), 'no-deadlock')
    expect(told(deadlock)).toEqual(['1 request', '0 receive may I', '1 timeout silence'])
  })
})

describe('a medium that keeps broadcasts in order', () => {
  const search = searched(choir, { nodes: 3 })

  test('is heard by all in one order, whatever else happens when: so a line in common is enough', () => {
    expect(search.isComplete).toBe(true)
    expect(failures(checked(choir, { nodes: 2, requests: 2 }))).toEqual([])
  })

  test('in every world what one has heard is the beginning of what another has', () => {
    const lines = new Set<string>()
    for (const { locals } of worldsOf(search)) {
      const heard = locals
        .map(({ state }) => (state as ChoirState).heard)
        .toSorted((a, b) => a.length - b.length)
      const longest = get(heard, 2)
      for (const shorter of heard) expect(longest.slice(0, shorter.length)).toEqual(shorter)
      if (longest.length === 6) lines.add(longest.filter((what) => what.startsWith('want')).join(', '))
    }
    // All orders of three requests occur.
    expect(lines.size).toBe(6)
  })

  test('the sender hears itself, when its turn comes', () => {
    const own = [...worldsOf(search)].flatMap(({ mail }) => mail.filter(({ from, to }) => from === to))
    expect(own.length).toBeGreaterThan(0)
    expect(own.every(({ medium }) => medium)).toBe(true)
  })

  test('a broadcast is one message: two for each entry', () => {
    expect(checked(choir, { nodes: 3 }).extremes?.messagesPerEntry).toEqual({ min: 2, max: 2 })
  })
})

describe('a medium without order', () => {
  test('is no ground for a line in common', () => {
    const exclusion = propertyOf(checked(crowd, { nodes: 2 }), 'exclusion')
    expect(told(exclusion)).toEqual(['0 request', '1 request'])
  })

  test('reaches all but the sender, in any order even from one node, unless channels keep it', () => {
    const orders = (channels: 'fifo' | 'unordered') => {
      const search = searched(radio, { nodes: 2, channels, setup: { entries: 2 } })
      expect(search.isComplete).toBe(true)
      const heard = new Set<string>()
      for (const { locals, mail } of worldsOf(search)) {
        for (const { from, to } of mail) expect(to).not.toBe(from)
        const ofZero = (get(locals, 1).state as ChoirState).heard.filter((what) => what.endsWith(' 0'))
        heard.add(ofZero.join(', '))
      }
      return heard
    }
    expect(orders('unordered')).toContain('done 0')
    expect(orders('fifo')).not.toContain('done 0')
    expect(orders('fifo')).toContain('want 0, done 0')
  })
})
