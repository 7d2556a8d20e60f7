import { type AnyAlgorithm, type Here, impossible } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { Check } from '../src/check.ts'
import {
  checked,
  failures,
  fences,
  instanceOf,
  open,
  propertyOf,
  searched,
  stepsOf,
  told,
  worldsOf,
} from './harness.ts'
import {
  copyingRing,
  type DiceState,
  desk,
  dice,
  gate,
  generousDesk,
  miscounting,
  treadmill,
} from './toys.ts'
import { stickler, type TidyState, tidy } from './world-toys.ts'

const ONE = { entries: 1 }

/** The place in a world that knows of one entry only. */
function asForOne(here: Here): Here {
  return { ...here, setup: { ...here.setup, ...ONE } }
}

describe('exclusion', () => {
  test('k may be inside together', () => {
    const result = checked(desk, { nodes: 3, requests: 2, setup: { entries: 2 } })
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
    const { search } = result.check
    const inside = [...worldsOf(search)].map(
      ({ locals }) => locals.filter(({ status }) => status === 'inside').length,
    )
    expect(Math.max(...inside)).toBe(2)
  })

  test('but not k + 1', () => {
    const exclusion = propertyOf(checked(generousDesk, { nodes: 3, setup: { entries: 2 } }), 'exclusion')
    expect(exclusion).toMatchObject({ holds: false, reason: 'nodes 0, 1, 2 are inside together' })
    expect(told(exclusion).filter((step) => step.endsWith('request'))).toHaveLength(3)
    expect(exclusion.trace?.filter(({ is }) => is === 'enter')).toHaveLength(3)
  })

  test('a world may begin with somebody inside, who leaves before anybody else enters', () => {
    const result = checked(desk, { nodes: 2, setup: { entries: 1, inside: [1] } })
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([])
    const first = get([...worldsOf(result.check.search)], 0)
    expect(first.locals.map(({ status }) => status)).toEqual(['idle', 'inside'])
    // If the desk does not know of it, two are inside as soon as one asks.
    const unaware: AnyAlgorithm = {
      ...desk,
      init: (self, setup) => desk.init(self, { ...setup, inside: [] }),
    }
    const exclusion = propertyOf(
      checked(unaware, { nodes: 2, setup: { entries: 1, inside: [1] } }),
      'exclusion',
    )
    expect(told(exclusion)).toEqual(['0 request'])
  })
})

describe('one-token', () => {
  // shows velazquez-1993 3.1 The token-based approach, a token that is asked for
  test('a token that is copied', () => {
    const result = checked(copyingRing, { nodes: 2 })
    expect(failures(result)).toEqual(['one-token'])
    const oneToken = propertyOf(result, 'one-token')
    expect(oneToken.reason).toBe('there are 2 tokens')
    expect(told(oneToken)).toEqual(['0 request', '0 timeout hop'])
  })
})

describe('rules', () => {
  test('what a handler says cannot happen', () => {
    const result = checked(stickler, { nodes: 2 })
    expect(failures(result)).toEqual(['rules'])
    const rules = propertyOf(result, 'rules')
    expect(rules.reason).toBe('node 0 asks')
    expect(told(rules)).toEqual(['0 request', '1 receive ask'])
  })

  const breaking = (request: (here: Here) => void): AnyAlgorithm => ({
    ...stickler,
    request: (_node, here) => request(here),
  })
  test.each<[what: string, request: (here: Here) => void, reason: string]>([
    [
      'entering twice',
      (here) => {
        here.enter(1)
        here.enter(2)
      },
      'node 0 enters without having asked',
    ],
    ['a message to itself', (here) => here.send(here.self, { type: 'ask' }), 'node 0 sends to node 0'],
    ['a message to nobody', (here) => here.send(7, { type: 'ask' }), 'node 0 sends to node 7'],
    [
      'a message to half a node',
      (here) => here.send(Number.NaN, { type: 'ask' }),
      'node 0 sends to node NaN',
    ],
  ])('%s', (_what, request, reason) => {
    const rules = propertyOf(checked(breaking(request), { nodes: 2 }), 'rules')
    expect(rules).toMatchObject({ holds: false, reason })
    expect(told(rules)).toEqual(['0 request'])
  })

  test('a step that breaks a rule is told, though another leads to the same state', () => {
    // Both tick and change nothing by it; that node 1 does is not allowed.
    const strict: AnyAlgorithm = {
      ...treadmill,
      request(_node, here) {
        if (here.self === 0) here.setTimer('tick', 1)
        here.sendToOthers({ type: 'wake' })
      },
      timeout(_node, here) {
        here.setTimer('tick', 1)
        if (here.self === 1) impossible('node 1 ticks')
      },
    }
    const rules = propertyOf(checked(strict, { nodes: 2 }), 'rules')
    expect(rules.reason).toBe('node 1 ticks')
    expect(told(rules)).toEqual(['0 request', '1 receive wake', '1 timeout tick'])
  })

  test('any other error is a mistake of the algorithm, not a property', () => {
    const typo = breaking(() => {
      throw new TypeError('undefined is not a function')
    })
    expect(() => checked(typo, { nodes: 2 })).toThrow('undefined is not a function')
  })

  test('a field that no shape declares would make the search unsound', () => {
    const forgetful: AnyAlgorithm = { ...stickler, init: () => ({ forgotten: 1 }) }
    expect(() => checked(forgetful, { nodes: 2 })).toThrow('field forgotten has no declared shape')
  })
})

describe('sometimes', () => {
  // shows velazquez-1993 2 Requirements
  test('an algorithm that lets nobody in fails, though nothing bad ever happens', () => {
    const result = checked(treadmill, { nodes: 2 })
    expect(result.complete).toBe(true)
    expect(failures(result)).toEqual([
      'can-enter',
      'no-starvation',
      'sometimes-enters',
      'sometimes-all-enter',
    ])
    expect(propertyOf(result, 'sometimes-enters')).toMatchObject({
      reason: 'no run lets anyone in',
      trace: null,
    })
    expect(propertyOf(result, 'sometimes-all-enter').reason).toBe('some node is let in by no run')
    const canEnter = propertyOf(result, 'can-enter')
    expect(canEnter.reason).toBe('node 0 waits and can never enter again')
    expect(told(canEnter)).toEqual(['0 request'])
  })

  test('nodes that never wait together show nothing about competition', () => {
    // Node 0 enters at once. That node 1 waits is not enough, though it does so for ever.
    const haughty: AnyAlgorithm = {
      ...treadmill,
      request: (_node, here) => (here.self === 0 ? here.enter(1) : here.setTimer('tick', 1)),
      release: () => {},
    }
    const result = checked(haughty, { nodes: 2 })
    expect(failures(result)).toContain('sometimes-compete')
    expect(propertyOf(result, 'sometimes-compete').reason).toBe('no two nodes ever wait together')
  })

  test('with a place for everyone nobody need compete', () => {
    const open = gate((entries, here) => entries * here.setup.nodes + here.self)
    expect(failures(checked(open, { nodes: 2, setup: { entries: 2 } }))).toEqual([])
  })

  test('an algorithm with k entries that never lets k in together wastes them', () => {
    const meanDesk: typeof desk = {
      ...desk,
      receive: {
        ...desk.receive,
        ask: (node, here, ask, from) => desk.receive.ask(node, asForOne(here), ask, from),
        back: (node, here, back, from) => desk.receive.back(node, asForOne(here), back, from),
      },
      request: (node, here, ask) => desk.request(node, asForOne(here), ask),
      release: (node, here) => desk.release(node, asForOne(here)),
    }
    const result = checked(meanDesk, { nodes: 3, setup: { entries: 2 } })
    expect(failures(result)).toEqual(['sometimes-full'])
    expect(propertyOf(result, 'sometimes-full').reason).toBe('no run has 2 inside together')
    expect(propertyOf(checked(desk, { nodes: 3, setup: { entries: 2 } }), 'sometimes-full').holds).toBe(true)
  })
})

describe('fences-rise', () => {
  test('a fence that repeats', () => {
    const failure = fences(
      gate(() => 7),
      { nodes: 1, requests: 2, setup: ONE },
    )
    expect(failure).toMatchObject({
      name: 'fences-rise',
      holds: false,
      reason: 'node 0 enters with fence 7 after fence 7',
    })
    expect(told(failure)).toEqual(['0 request', '0 leave', '0 request'])
  })

  test('a fence that falls, and one that rises', () => {
    expect(
      fences(
        gate((entries) => 9 - entries),
        { nodes: 1, requests: 2, setup: ONE },
      ).holds,
    ).toBe(false)
    expect(
      fences(
        gate((entries) => 9 + entries),
        { nodes: 1, requests: 2, setup: ONE },
      ),
    ).toMatchObject({
      holds: true,
      reason: null,
      trace: null,
    })
  })

  test('the run shows the step that failed, not a harmless one to the same world', () => {
    // After a first fence of 1 the second is larger; after a first fence of 2 it is not. Both end alike.
    const failure = fences(
      gate((entries, here) => (entries === 1 ? 1 + here.random(2) : 2)),
      {
        nodes: 1,
        requests: 2,
        setup: ONE,
      },
    )
    expect(failure.reason).toBe('node 0 enters with fence 2 after fence 2')
    expect(failure.trace?.flatMap((event) => (event.is === 'enter' ? [event.fence] : []))).toEqual([2, 2])
  })

  test('the reason has the numbers of the run, not those of a shifted world', () => {
    const failure = fences(miscounting(4), { nodes: 1, requests: 4 })
    expect(failure.reason).toBe('node 0 enters with fence 3 after fence 3')
    expect(failure.trace?.flatMap((event) => (event.is === 'enter' ? [event.fence] : []))).toEqual([
      1, 2, 3, 3,
    ])
  })
})

describe('fences-rise where k may be inside together', () => {
  const TWO = { entries: 2 }
  const inOrder = gate((entries, here) => entries * here.setup.nodes + here.self)

  test('no two grants have the same fence; they need not rise', () => {
    expect(fences(inOrder, { nodes: 2, requests: 3, setup: TWO }).holds).toBe(true)
    const falling = gate((entries, here) => (9 - entries) * here.setup.nodes + here.self)
    expect(fences(falling, { nodes: 2, requests: 3, setup: TWO }).holds).toBe(true)
    const failure = fences(
      gate((entries) => entries),
      { nodes: 2, requests: 2, setup: TWO },
    )
    expect(failure).toMatchObject({ holds: false, reason: 'node 1 enters with fence 1, given out before' })
    expect(told(failure)).toEqual(['0 request', '1 request'])
  })

  test('however long ago it was given out', () => {
    const repeating = gate((entries, here) => (here.self === 1 ? 100 + entries : entries === 3 ? 1 : entries))
    const failure = fences(repeating, { nodes: 2, requests: 3, setup: TWO })
    expect(failure.reason).toBe('node 0 enters with fence 1, given out before')
    expect(failure.trace?.flatMap((event) => (event.is === 'enter' ? [event.fence] : []))).toEqual([1, 2, 1])
  })

  test('runs of any length would have to remember all of them: a bound is set and told', () => {
    expect(fences(inOrder, { nodes: 2, requests: null, setup: TWO })).toMatchObject({
      holds: null,
      reason: 'holds for 2 requests of each node; the search for more grew too large',
    })
  })

  test('with places they rise within each place', () => {
    const placed = (counter: (entries: number) => number): AnyAlgorithm => {
      const toy = gate((entries, here) => counter(entries) * here.setup.entries + here.self)
      return { ...toy, shapes: { ...toy.shapes, fence: { ...toy.shapes.fence, slots: true } } }
    }
    const world = { nodes: 2, requests: 3, setup: TWO }
    expect(
      fences(
        placed((entries) => entries),
        world,
      ).holds,
    ).toBe(true)
    const failure = fences(
      placed((entries) => (entries === 3 ? 1 : entries)),
      world,
    )
    expect(failure.reason).toBe('node 0 enters with fence 2 after fence 4')
    expect(told(failure)).toEqual(['0 request', '0 leave', '0 request', '0 leave', '0 request'])
  })
})

describe('what handlers can do', () => {
  test('chance: every throw is tried, however many there are', () => {
    const result = checked(dice, { nodes: 1 })
    expect(result).toMatchObject({ complete: true, states: 7, transitions: 10, depth: 2 })
    const drawn = [...worldsOf(result.check.search)]
      .filter(({ locals }) => get(locals, 0).status === 'inside')
      .map(({ locals }) => (get(locals, 0).state as DiceState).drawn.join(' '))
    expect(drawn.toSorted()).toEqual(['0', '1 0', '1 1', '2 0', '2 1'])
  })

  test('steps: in the order in which they were scheduled, with room for others in between', () => {
    const search = searched(tidy, { nodes: 2 })
    expect(search.isComplete).toBe(true)
    const logs = new Set<string>()
    const between: string[] = []
    for (const { locals, mail } of worldsOf(search)) {
      for (const { state } of locals) logs.add((state as TidyState).log.join(', '))
      if (get(locals, 1).steps.length === 1)
        between.push(...mail.map(({ message }) => message.type), get(locals, 0).status)
    }
    expect([...logs].toSorted()).toEqual(['', 'give back', 'give back, tidy up'])
    expect(between).toEqual(expect.arrayContaining(['back', 'waiting', 'inside']))
  })
})

describe('a search that is cut short proves nothing', () => {
  test('at the limit', () => {
    const world = { nodes: 3, setup: ONE }
    const whole = checked(desk, world)
    const part = checked(desk, world, whole.states - 1)
    expect(whole.complete).toBe(true)
    expect(part.complete).toBe(false)
    expect(failures(part)).toEqual([])
    expect(open(part)).toEqual(['exclusion', 'no-deadlock', 'rules', 'can-enter', 'no-starvation'])
    // What was seen was seen.
    expect(propertyOf(part, 'sometimes-enters').holds).toBe(true)
    expect(open(checked(desk, world, 1))).toContain('sometimes-enters')
    expect(part.extremes).toBeNull()
    expect(fences(desk, world, 5).holds).toBeNull()
  })

  test('from outside', () => {
    const check = new Check(instanceOf(desk, { nodes: 3, setup: ONE }), 1000)
    expect(check.run(10)).toBe(false)
    check.stop()
    expect(check.run(10)).toBe(true)
    expect(check.result.complete).toBe(false)
    expect(open(check.result)).toContain('exclusion')
  })

  test('to stop what is over changes nothing', () => {
    const { check } = checked(desk, { nodes: 2, setup: ONE })
    check.stop()
    expect(check.search.isComplete).toBe(true)
  })

  test('a failure that was found before is a failure all the same', () => {
    const { complete, properties } = checked(stickler, { nodes: 2, requests: null })
    expect(complete).toBe(false)
    const rules = properties.find(({ name }) => name === 'rules')
    expect(rules?.holds).toBe(false)
    expect(rules === undefined ? [] : stepsOf(rules)).toHaveLength(2)
  })
})
