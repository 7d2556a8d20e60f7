import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { present } from '../../../test/present.ts'
import { broken, brokenRules } from '../broken/rules.ts'
import { SOUND } from '../broken/under.ts'
import type { Rules } from '../src/protocol/rules.ts'
import { home } from '../src/protocol/view-worlds.ts'
import { Script } from './script.ts'
import { planFor } from './simulation/plan.ts'
import { simulate } from './simulation/voters.ts'
import '../check/texts.ts'

describe('a broken rule is caught by the simulation', () => {
  for (const { row, name, seed, world } of brokenRules) {
    if (seed === null) continue
    test(`${row} ${name}, seed ${seed}`, () => {
      const { violation } = simulate(planFor(seed, world), broken(name))
      expect(violation?.judge).toMatch(/exclusion|fence|impossible/)
      expect(simulate(planFor(seed, world), SOUND).violation).toBeNull()
    })
  }
})

test('rows are in order, and names are used once', () => {
  const rows = brokenRules.map(({ row }) => row)
  expect(rows).toEqual(rows.toSorted((a, b) => a - b))
  expect(new Set(brokenRules.map(({ name }) => name)).size).toBe(rows.length)
})

test('docs/mesh-evidence.md has each row, with the seed that shows it', async () => {
  const page = await readFile(new URL('../../../docs/mesh-evidence.md', import.meta.url), 'utf8')
  for (const { row, name, mistake, seed, world } of brokenRules) {
    const shown = seed === null ? '' : `seed ${seed}${world === undefined ? '' : ' in a world of its own'} |`
    expect(page).toContain(`| ${row} | \`${name}\` | ${mistake} | ${shown}`)
  }
})

/** What X does about the view from which it is left out. */
type Move = 'ballot' | 'ballot alone' | 'ballot first' | 'restart of v'

/**
 * Rows 11, 12, 14 and 16, too rare for chance. X holds L by the acks of w and itself. w prepares view 2 with v alone: v
 * owes X nothing and accepts; w must wait until 100. Meanwhile X tries to have v acknowledge it again; if it can, X is
 * valid until 180, and w, whose debt ended, begins view 2 and enters.
 */
function underneath(rules: Rules, move: Move): Script {
  const script = whileViewTwoIsChosen(rules, move === 'ballot first')
  const isAlone = move === 'ballot alone'
  script.passes = (from, to, { type }) =>
    between('v', 'x')(from, to) &&
    VIEWS.includes(type) &&
    !(isAlone && (type === 'promise' || type === 'prepare'))
  script.now = 45
  if (move === 'restart of v') script.restart('v')
  else {
    // The first is refused, and teaches x the epoch; alone it has to guess.
    script.do('x', { kind: 'renew' })
    if (isAlone) script.node('x').proposal = null
    script.do('x', { kind: 'renew' })
  }
  script.now = 78
  const ballots = script.passes
  script.passes = (from, to, { type }) => from === 'v' && to === 'w' && type === 'accepted'
  script.letGo()
  script.passes = ballots
  script.do('x', { kind: 'tick' })

  script.passes = (from, to, { type }) =>
    between('v', 'x')(from, to) && (type === 'heartbeat' || type === 'ack')
  script.now = 80
  script.beat('x')

  script.passes = () => false
  script.now = 101
  script.do('w', { kind: 'tick' })
  script.request('w', LOCK, 'w')
  return script
}

/** A lock whose home is w in a view without x, and x in a view with it. */
const LOCK = Array.from({ length: 50 }, (_, i) => `L${i}`).find(
  (name) => home(name, ['v', 'w']) === 'w' && home(name, ['v', 'w', 'x']) === 'x',
) as string

/** The messages by which views are chosen. */
const VIEWS = ['prepare', 'promise', 'refuse', 'install', 'accepted']

function between(a: string, b: string): (from: string, to: string) => boolean {
  return (from, to) => (from === a && to === b) || (from === b && to === a)
}

/** X holds the lock, and w has prepared view 2; v has accepted it, unless its INSTALL is held back. */
function whileViewTwoIsChosen(rules: Rules, isHeldBack: boolean): Script {
  const script = new Script(['v', 'w', 'x'], rules)
  // v hears no heartbeat of x and w, so it owes them nothing; but it says its own once.
  script.passes = (_from, to, { type }) => to !== 'v' || type !== 'heartbeat'
  script.now = -200
  script.do('w', { kind: 'renew' })
  script.beat('v')
  expect(script.node('x').begun?.epoch).toBe(1)

  script.now = 0
  script.beat('x')
  script.request('x', LOCK, 'x')
  expect(script.holds('x', LOCK)).toMatchObject([{ caller: 'x' }])

  script.passes = (from, to, { type }) => between('v', 'w')(from, to) && VIEWS.includes(type)
  script.holdsBack = (from, to, { type }) => isHeldBack && from === 'w' && to === 'v' && type === 'install'
  // Neither waits long for one that says it does not hear it.
  const isDeaf = (id: string, to: string) =>
    Object.assign(present(script.node(to).heard[id]), { suspects: [to] })
  isDeaf('x', 'w')
  script.now = 5
  script.do('w', { kind: 'renew' })
  script.now = 40
  script.do('w', { kind: 'tick' })
  expect(script.node('v').durable.accepted?.epoch).toBe(isHeldBack ? 1 : 2)
  script.holdsBack = () => false

  // The last ack that w gets from x: it lets w act until 144.
  script.now = 44
  script.passes = (from, to, { type }) =>
    between('w', 'x')(from, to) && (type === 'heartbeat' || type === 'ack')
  script.beat('w')
  isDeaf('w', 'x')
  return script
}

describe('too rare for chance, so scripted: x holds on while w begins the view that chose to do without it', () => {
  const rows: [name: string, move: Move][] = [
    ['takes-in-who-is-not-in-h', 'ballot'],
    ['prepare-without-majority', 'ballot alone'],
    ['accept-in-memory', 'restart of v'],
    ['accepts-lower', 'ballot first'],
  ]
  for (const [name, move] of rows) {
    test(name, () => {
      expect(underneath(broken(name), move).twoHolders).toContain('both hold')
    })
    test(`${name}, not with the rules as they are`, () => {
      expect(underneath(SOUND, move).twoHolders).toBeNull()
    })
  }
})

/** x holds a lock by the acks of c and itself, and b has heard nothing of it; then c loses its disk. */
function withoutDisk(rules: Rules): { script: Script; lock: string } {
  const lock = Array.from({ length: 50 }, (_, i) => `L${i}`).find(
    (name) => home(name, ['b', 'c']) === 'b' && home(name, ['b', 'c', 'x']) === 'x',
  ) as string
  const script = new Script(['b', 'c', 'x'], rules)
  script.now = -200
  script.do('b', { kind: 'renew' })
  script.now = 0
  script.passes = (from, to) => from !== 'b' && to !== 'b'
  script.beat('x')
  script.request('x', lock)
  expect(script.grants(lock).map(({ id }) => id)).toEqual(['x'])
  script.now = 10
  script.loseDisk('c')
  return { script, lock }
}

/** A ballot of b, of which x hears and says only these. */
function ballot(script: Script, types: string[]): void {
  script.passes = (from, to, { type }) => (from !== 'x' && to !== 'x') || types.includes(type)
  script.now += 5
  script.node('b').proposal = null
  script.do('b', { kind: 'renew' })
}

/** Row 21: b replaces c in view 2, which x promised but does not hear of again, and leaves x out of view 3: b and the new c owe x nothing. */
function replaced(rules: Rules): Script {
  const { script, lock } = withoutDisk(rules)
  ballot(script, ['prepare', 'promise'])
  ballot(script, [])
  script.beat('b')
  script.request('b', lock)
  return script
}

/** Row 22: the same with one view more. x accepts the joint view and does not begin it, and promises the next. */
function settledEarly(rules: Rules): Script {
  const { script, lock } = withoutDisk(rules)
  ballot(script, ['prepare', 'promise', 'install', 'accepted'])
  expect(script.views).toEqual({ b: 2, c: 2, x: 1 })
  ballot(script, ['prepare', 'promise'])
  ballot(script, [])
  script.beat('b')
  script.request('b', lock)
  return script
}

describe('voters replaced while a lease rests on the old ones, scripted', () => {
  for (const [name, schedule] of [
    ['no-joint-view', replaced],
    ['joint-view-ends-early', settledEarly],
  ] as const) {
    test(name, () => {
      expect(schedule(broken(name)).twoHolders).toContain('both hold')
      expect(schedule(SOUND).twoHolders).toBeNull()
    })
  }
})

/**
 * Row 28: x holds a lock whose home is v, and another caller of x waits. x promises view 2, its lease ends, and only then does it
 * begin: it releases the entry that the table has of it, and asks for the other caller. A second release arrives after that
 * request was granted, and frees the lock for w.
 */
function lapsedBeforeBegin(rules: Rules): Script {
  const ids = ['v', 'w', 'x']
  const lock = Array.from({ length: 50 }, (_, i) => `L${i}`).find((name) => home(name, ids) === 'v') as string
  const script = new Script(ids, rules)
  script.do('v', { kind: 'renew' })
  script.now = 10
  script.beat('x')
  script.request('x', lock, 'first')
  script.request('x', lock, 'second')
  expect(script.holds('x', lock)).toMatchObject([{ caller: 'first' }])

  script.holdsBack = (_from, to, { type }) => to === 'x' && type === 'begin'
  script.passes = (_from, to, { type }) => to !== 'x' || (type !== 'heartbeat' && type !== 'ack')
  script.now = 50
  script.do('v', { kind: 'renew' })
  expect(script.node('v').begun?.table[lock]).toMatchObject([{ id: 'x' }])
  script.now = 120
  script.do('x', { kind: 'wake' })
  expect(script.of('x', 'lost')).toMatchObject([{ caller: 'first', why: 'lapsed' }])

  script.letGo()
  script.holdsBack = () => false
  script.passes = () => true
  script.beat('v', 'w', 'x')
  expect(script.holds('x', lock)).toMatchObject([{ caller: 'second' }])
  script.request('w', lock)
  return script
}

describe('what lapsed while a view changed is released once, scripted', () => {
  test('releases-twice', () => {
    expect(lapsedBeforeBegin(broken('releases-twice')).twoHolders).toContain('both hold')
  })
  test('not with the rules as they are', () => {
    expect(lapsedBeforeBegin(SOUND).twoHolders).toBeNull()
  })
})
