import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { afterAll, describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { atLeast, present } from '../../../test/present.ts'
import { brokenRules } from '../broken/rules.ts'
import { SOUND } from '../broken/under.ts'
import { copyOf, textOf } from '../check/text.ts'
import { join } from '../src/join.ts'
import {
  type AuditHead,
  type AuditLine,
  auditLine,
  digest,
  frozen,
  Overhearing,
  Replay,
  thawed,
} from '../src/protocol/audit.ts'
import { AuditHistory } from '../src/protocol/audit-history.ts'
import { DERIVED } from '../src/protocol/derived.ts'
import type { Effect, Event } from '../src/protocol/events.ts'
import type { Node } from '../src/protocol/state.ts'
import { meetingPlanFor } from './meeting/plan.ts'
import { simulateMeeting } from './meeting/register.ts'
import { Script } from './script.ts'
import { planFor } from './simulation/plan.ts'
import { type Beside, simulate } from './simulation/voters.ts'
import '../check/texts.ts'

/** A dictionary that came in a message is a plain object in an audit. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  const { $dictionary } = value as { $dictionary?: [string, unknown][] }
  const fields = $dictionary ?? Object.entries(value)
  return Object.fromEntries(fields.map(([key, field]) => [key, plain(field)]))
}

const stateOf = (node: Node) => plain(roundTrip(frozen(node)))

const roundTrip = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** As many audits of each node as begin at different moments of its life, all gone through while it runs. */
class Auditors implements Beside {
  readonly differences: string[] = []
  steps = 0
  readonly #watched = new Map<Node, { readonly overheard: Overhearing; readonly replays: Replay[] }>()
  #events = 0

  before(node: Node): void {
    this.#events += 1
    const known = this.#watched.get(node)
    if (known !== undefined && this.#events % 400 !== 0) return
    const { overheard, replays } = known ?? { overheard: new Overhearing(), replays: [] }
    if (known === undefined) {
      const { marks } = node.config
      if (marks !== undefined) node.config = { ...node.config, marks: overheard.marks(marks) }
      this.#watched.set(node, { overheard, replays })
    }
    replays.push(new Replay({ node: roundTrip(frozen(node)) }))
    if (replays.length > 3) replays.shift()
  }

  after(event: Event, effects: readonly Effect[], node: Node, now: number): void {
    const { overheard, replays } = this.#watched.get(node) as { overheard: Overhearing; replays: Replay[] }
    const line: AuditLine = roundTrip(auditLine(now, event, effects, overheard.take()))
    for (const replay of replays.splice(0)) {
      // The world of these runs lets the years of each node pass by themselves.
      if (replay.node.meeting !== null) Object.assign(replay.node.meeting, { seconds: node.meeting?.seconds })
      const step = replay.step(line)
      this.steps += 1
      if ('what' in step) this.differences.push(`${node.id}, ${event.kind}: ${step.what}`)
      else replays.push(replay)
      if (this.steps % 300 === 0 && this.differences.length === 0)
        expect(stateOf(replay.node)).toEqual(stateOf(node))
    }
  }
}

describe('an audit is gone through again', () => {
  test('in random runs with voters, from any moment on', () => {
    const auditors = new Auditors()
    for (let seed = 1; seed <= extent(2, 5); seed += 1) {
      const { violation } = simulate(planFor(seed, { heedsRank: true }), SOUND, undefined, auditors)
      expect([seed, violation]).toEqual([seed, null])
    }
    expect(auditors.differences).toEqual([])
    expect(auditors.steps).toBeGreaterThan(1000)
  })

  test('in random runs at a register', () => {
    const auditors = new Auditors()
    for (let seed = 1; seed <= extent(2, 4); seed += 1) {
      const { violation } = simulateMeeting(meetingPlanFor(seed), undefined, undefined, auditors)
      expect([seed, violation]).toEqual([seed, null])
    }
    expect(auditors.differences).toEqual([])
    expect(auditors.steps).toBeGreaterThan(1000)
  })

  test('in random runs with a group', () => {
    const auditors = new Auditors()
    for (let seed = 1; seed <= extent(1, 3); seed += 1) {
      const names = ['&a,b,c=G']
      const { violation } = simulate(planFor(seed, { heedsRank: true, names }), SOUND, undefined, auditors)
      expect([seed, violation]).toEqual([seed, null])
    }
    expect(auditors.differences).toEqual([])
    expect(auditors.steps).toBeGreaterThan(500)
  })

  test('a node that followed another rule is found out', () => {
    const waits = brokenRules.find(({ name }) => name === 'accept-at-once')
    const auditors = new Auditors()
    const broken = { ...SOUND, ...waits?.change }
    simulate(planFor(Number(waits?.seed), { heedsRank: true }), broken, undefined, auditors)
    expect(auditors.differences[0]).toContain('the effects of the node differ')
  })

  test('what a node has worked out from its state is in no audit, text or copy of it', () => {
    const script = new Script(['a', 'b'], SOUND)
    script.pass(4)
    script.request('a', '=x')
    const node = script.node('a')
    const instanceOf = ({ names }: Node) => present(names.get('=x')?.seats[0]?.instance ?? undefined)
    const [text, audit] = [textOf(node), frozen(node)]
    for (const copy of [copyOf(node), thawed(roundTrip(audit)) as Node])
      for (const holder of [copy, instanceOf(copy)]) expect(holder[DERIVED]).toBeUndefined()
    for (const holder of [node, instanceOf(node)]) {
      expect(holder[DERIVED]).toBeDefined()
      delete holder[DERIVED]
    }
    expect([textOf(node), frozen(node)]).toEqual([text, audit])
  })

  test('a state stays what it is in a file', () => {
    const state = {
      deadline: Number.NEGATIVE_INFINITY,
      names: new Map([['=x', { seats: [{ joinUntil: Number.POSITIVE_INFINITY }] }]]),
      used: new Set(['=x', '__proto__']),
      heard: Object.assign(Object.create(null) as object, { constructor: { at: 1 }, $map: 2 }),
      none: null,
    }
    expect(thawed(roundTrip(frozen(state)))).toEqual(state)
    expect(Object.getPrototypeOf((thawed(roundTrip(frozen(state))) as typeof state).heard)).toBeNull()
  })

  test('a digest depends on every value, and not on the order of fields', () => {
    expect(digest({ a: 1, b: [2, null] })).toBe(digest({ b: [2, null], c: undefined, a: 1 }))
    const others = [
      { a: 1, b: [null, 2] },
      { a: 1, b: [2] },
      { a: 2, b: [2, null] },
      { a: '1', b: [2, null] },
      { b: 1, a: [2, null] },
    ]
    expect(new Set([{ a: 1, b: [2, null] }, ...others].map(digest)).size).toBe(6)
  })
})

describe('real nodes', () => {
  const directory = mkdtempSync(joinPath(tmpdir(), 'turnwise audit '))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  const linesOf = (file: string) => readFileSync(joinPath(directory, file), 'utf8').trimEnd().split('\n')

  /** Goes through a file; returns what happened. */
  function listen(file: string, history: AuditHistory): number {
    const [first, ...lines] = atLeast(1, linesOf(file))
    const head = JSON.parse(first) as AuditHead
    const replay = new Replay(head)
    const ear = history.listen(head)
    let last = 0
    for (const text of lines) {
      const line = JSON.parse(text) as AuditLine
      const step = replay.step(line)
      if ('what' in step) throw new Error(`${file}: ${step.what} ${text}`)
      ear.hear(step)
      last = step.now
    }
    ear.end(last, replay.node.deadline)
    return lines.length
  }

  test('all kinds of locks, an upgrade, a downgrade and a loss', async () => {
    const node = await join({ audit: { file: joinPath(directory, 'alone.audit') } })
    await node.locks.request('x', async () => {})
    await node.locks.request('x', { mode: 'shared' }, () =>
      node.locks.request('x', { mode: 'shared' }, () => {}),
    )
    const updating = await node.locks.acquire('x', { mode: 'update' })
    await updating.upgrade()
    updating.downgrade()
    const beside = await node.locks.acquire('x', { mode: 'shared' })
    beside.release()
    updating.release()
    const victim = await node.locks.acquire('x')
    await node.locks.request('x', { steal: true }, () => expect(victim.isHeld).toBe(false))
    await Promise.all([1, 2, 3].map(() => node.semaphore('pool', 2).request(async () => {})))
    const stock = node.group('stock', ['east', 'west'])
    await stock.request(['east'], () => stock.request(['west'], async () => {}))
    await node.leave()
    const history = new AuditHistory()
    expect(listen('alone.audit', history)).toBeGreaterThan(20)
    expect(history.judge()).toEqual([])
    const stays = history.holds.filter(({ key }) => key.startsWith('&'))
    expect(stays.map(({ resources }) => resources)).toEqual([[0], [1]])
    const modes = history.holds.filter(({ key }) => key === '=x').map(({ mode, end }) => `${mode} ${end}`)
    expect(modes).toEqual([
      'exclusive released',
      'shared released',
      'shared released',
      'update replaced',
      'exclusive released',
      'shared released',
      'exclusive lost',
      'exclusive released',
    ])
  })

  test('a file that cannot be written is told, and the node lets go of its directory', async () => {
    const stateDir = joinPath(directory, 'state')
    const nowhere = joinPath(directory, 'none', 'a.audit')
    await expect(join({ stateDir, audit: { file: nowhere } })).rejects.toThrow(
      `cannot record in "${nowhere}": ENOENT`,
    )
    const node = await join({ stateDir })
    await node.leave()
  })

  test('when a file is half of what is allowed another begins, and the last two are kept', async () => {
    const node = await join({ audit: { file: joinPath(directory, 'long.audit'), limit: 1024 ** 2 } })
    const info = { text: 'x'.repeat(900) }
    for (let i = 0; i < 2500; i += 1) await node.locks.request(`name ${i % 100}`, { info }, async () => {})
    await node.leave()
    const files = readdirSync(directory).filter((file) => file.startsWith('long.audit'))
    const parts = files
      .map((file) => (JSON.parse(get(linesOf(file), 0)) as AuditHead).part)
      .toSorted((a, b) => a - b)
    expect(parts).toEqual([Math.max(...parts) - 1, Math.max(...parts)])
    expect(Math.max(...parts)).toBeGreaterThan(2)
    for (const file of files) expect(listen(file, new AuditHistory())).toBeGreaterThan(0)
  })
})

describe('the judges of several audits', () => {
  const head = (id: string, machine = 'm'): AuditHead => ({
    format: 'turnwise-audit',
    version: 1,
    id,
    machine,
    life: id,
    part: 0,
    wall: 0,
    node: null,
  })
  const fence = (counter: number) => ({ epoch: 1, counter })
  const grant = (caller: number, counter: number): Effect => ({
    kind: 'grant',
    name: '=x',
    caller,
    mode: 'exclusive',
    fence: fence(counter),
  })
  const link = (message: unknown): Event =>
    ({ kind: 'receive', from: 'a', message: { type: 'link', epoch: 1, seq: 1, payload: message } }) as Event
  const step = (now: number, event: Event, effects: readonly Effect[]) => ({
    now,
    event,
    effects,
    deadline: 1e9,
  })

  test('two inside together', () => {
    const history = new AuditHistory()
    const [a, b] = [history.listen(head('a')), history.listen(head('b'))]
    a.hear(step(1, { kind: 'wake' }, [grant(1, 16)]))
    b.hear(step(2, { kind: 'wake' }, [grant(1, 32)]))
    a.hear(step(3, { kind: 'release', name: '=x', caller: 1 }, []))
    b.end(4, 1e9)
    expect(history.judge()).toMatchObject([{ judge: 'exclusion', holds: [{ id: 'a' }, { id: 'b' }] }])
  })

  test('what is let in and lost with one event is over with it', () => {
    const history = new AuditHistory()
    const [a, b] = [history.listen(head('a')), history.listen(head('b'))]
    const stolen: Effect = { kind: 'lost', name: '=x', caller: 1, why: 'stolen' }
    a.hear(step(1, { kind: 'wake' }, [grant(1, 16), stolen]))
    a.end(9, 1e9)
    b.hear(step(2, { kind: 'wake' }, [grant(1, 32)]))
    b.end(4, 1e9)
    expect(history.judge()).toEqual([])
  })

  test('a holder whose lease has ended is no longer inside', () => {
    const history = new AuditHistory()
    const [a, b] = [history.listen(head('a')), history.listen(head('b'))]
    a.hear(step(1, { kind: 'wake' }, [grant(1, 16)]))
    a.end(100, 50)
    b.hear(step(60, { kind: 'wake' }, [grant(1, 32)]))
    b.end(70, 1e9)
    expect(history.judge()).toEqual([])
  })

  test('a fence that falls, and one that two machines have', () => {
    const turn = (history: AuditHistory, of: AuditHead, at: number, counter: number) => {
      const ear = history.listen(of)
      ear.hear(step(at, { kind: 'wake' }, [grant(at, counter)]))
      ear.hear(step(at + 1, { kind: 'release', name: '=x', caller: at }, []))
    }
    const falls = new AuditHistory()
    turn(falls, head('a'), 1, 32)
    turn(falls, head('b'), 5, 16)
    expect(falls.judge()).toMatchObject([{ judge: 'fence', holds: [{ id: 'a' }, { id: 'b' }] }])
    const apart = new AuditHistory()
    turn(apart, head('a', 'one'), 1, 32)
    turn(apart, head('b', 'other'), 1, 16)
    expect(apart.judge()).toEqual([])
    turn(apart, head('c', 'other'), 3, 32)
    expect(apart.judge()).toMatchObject([{ judge: 'fence', isRepeated: true }])
  })

  test('a message that is not what was sent', () => {
    const history = new AuditHistory()
    const [a, b] = [history.listen(head('a')), history.listen(head('b'))]
    const sent = { kind: 'lock', name: '=x', from: 0, to: 0, message: { type: 'token' } }
    a.hear(
      step(1, { kind: 'wake' }, [
        {
          kind: 'send',
          to: 'b',
          message: { type: 'link', epoch: 1, seq: 1, payload: sent },
        } as unknown as Effect,
      ]),
    )
    b.hear(step(2, link({ ...sent }), []))
    expect(history.compared).toBe(1)
    expect(history.judge()).toEqual([])
    const other = new AuditHistory()
    other.listen(head('a')).hear(
      step(1, { kind: 'wake' }, [
        {
          kind: 'send',
          to: 'b',
          message: { type: 'link', epoch: 1, seq: 1, payload: sent },
        } as unknown as Effect,
      ]),
    )
    other.listen(head('b')).hear(step(2, link({ ...sent, name: '=y' }), []))
    expect(other.judge()).toMatchObject([{ judge: 'message', seq: 1 }])
  })
})
