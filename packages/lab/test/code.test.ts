import type { AnyProtocol } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { atLeast } from '../../../test/present.ts'
import { instrument } from '../instrument.ts'
import { type EnlistedFile, enlisted } from '../src/code/code-probes.ts'
import { followRecord, followRun } from '../src/code/follow.ts'
import { loadProbed } from '../src/code/load-probed.ts'
import { type ShownFunction, shownCode } from '../src/code/shown-code.ts'
import { play } from '../src/run/play-whole.ts'
import type { Recording } from '../src/run/recording.ts'
import { playable, type RunSpec } from '../src/run/spec.ts'
import { watched } from './runs.ts'

async function probed(name: string): Promise<AnyProtocol> {
  const found = await loadProbed(name)
  if (found === null) throw new Error(`no text of ${name}`)
  return found
}

/** The functions that ran in each step of a run; null where no handler did. */
async function codeOf(spec: RunSpec, { happenings, events }: Recording): Promise<(ShownFunction[] | null)[]> {
  const part = get([...followRun(await probed(spec.algorithm), spec, [], Number.POSITIVE_INFINITY)], 0)
  const shown = part.ways.map((way) => shownCode(enlisted(), way, NO_FIELDS))
  return happenings.map(({ cause }) => shown[part.wayOf[events.indexOf(cause)] ?? -1] ?? null)
}

const NO_FIELDS: ReadonlySet<string> = new Set()

/** What the network, a fault or a judge does: no rule of the algorithm runs. */
const HOST = ['crash', 'lose', 'violation']

const text = ({ lines }: ShownFunction, is?: string) =>
  lines
    .map(({ parts }) => parts.filter((part) => is === undefined || part.is === is).map((part) => part.text))
    .map((parts) => parts.join('').trim())
    .filter((line) => line !== '')

/** Of so many algorithms and broken variants one. */
const SHARE = extent(3, 1)

describe('every algorithm', () => {
  test.each(playable.filter((_, i) => i % SHARE === 0).map(({ facts }) => facts.name))(
    '%s lights lines of a handler in every step',
    async (name) => {
      const { spec, recording } = watched({ algorithm: name, entries: 3 })
      const steps = await codeOf(spec, recording)
      recording.happenings.forEach(({ cause }, step) => {
        if (HOST.includes(cause.is)) return
        const [handler] = steps[step] ?? []
        if (handler === undefined) throw new Error(`nothing ran in step ${step}: ${cause.is}`)
        expect(handler.name).not.toBe('')
        expect(handler.lines.some(({ isLit }) => isLit)).toBe(true)
        // Judges call functions too, which get neither.
        expect(text(handler, 'ran').join(' ')).toMatch(/\b(?:_?here|node)\b/)
      })
      // The probes change nothing: the same run is played with them.
      expect(play(spec, [], [await probed(name)]).events).toEqual(recording.events)
    },
  )
})

test('an extension shows the handlers of its base, and a broken rule its own file', async () => {
  const { spec, recording } = watched({ algorithm: 'raymond-recovery' })
  const steps = await codeOf(spec, recording)
  const received = recording.happenings.findIndex(({ cause }) => cause.is === 'receive')
  const names = steps[received]?.map(({ path, name }) => `${path} ${name}`) ?? []
  expect(names[0]).toBe('src/token/raymond-recovery.ts receive.request')
  expect(names).toContain('src/token/raymond.ts receive.request')

  const broken = watched({ algorithm: 'raymond-forgets-to-ask' })
  const all = (await codeOf(broken.spec, broken.recording)).flatMap((step) => step?.[0] ?? [])
  const files = new Map(all.map(({ name, path }) => [name, path]))
  expect(files.get('receive.privilege')).toBe('broken/raymond-forgets-to-ask.ts')
  expect(files.get('receive.request')).toBe('src/token/raymond.ts')
})

test('a branch that was not taken is not lit', async () => {
  const { spec, recording } = watched({
    algorithm: 'raymond',
    nodes: 2,
    load: 'script:0 request 0; 9 request 1',
  })
  const [first] = await codeOf(spec, recording)
  const assign = first?.find(({ name }) => name === 'assignPrivilege')
  if (assign === undefined) throw new Error('it assigns the privilege to itself')
  // Node 0 holds the privilege: it enters, and sends nothing.
  expect(text(assign, 'ran')).toContain('here.enter(node.fence)')
  expect(text(assign, 'not')).toContain("here.send(next, { type: 'privilege', fence: node.fence })")
  for (const { parts, isLit } of assign.lines)
    if (isLit) expect(parts.map((part) => part.text).join('')).not.toContain('here.send(')
})

test('a record is followed like the run that it is of', async () => {
  const { spec, recording } = watched({ algorithm: 'ricart-agrawala' })
  const [played] = atLeast(1, followRun(await probed(spec.algorithm), spec, [], Number.POSITIVE_INFINITY))
  const { header, events } = recording
  const record = followRecord(await probed(spec.algorithm), spec, { header, events })
  const handlers = ({ ways, wayOf }: typeof played) =>
    events.map((_, event) => shownCode(enlisted(), ways[wayOf[event] ?? -1] ?? [], NO_FIELDS)[0]?.name)
  expect(record === null ? null : handlers(record)).toEqual(handlers(played))
  const other = events.map((event) => (event.is === 'enter' ? { ...event, fence: 77 } : event))
  expect(followRecord(await probed(spec.algorithm), spec, { header, events: other })).toBeNull()
})

describe('of a text', () => {
  /** Calls the function `f` of a text, and returns what of it ran. */
  function ranIn(source: string, ...given: unknown[]): { ran: string[]; result: unknown } {
    const made = instrument('f.ts', source)
    const { outputText } = ts.transpileModule(made.text, {
      compilerOptions: { target: ts.ScriptTarget.ES2023 },
    })
    const way: number[] = []
    // oxlint-disable-next-line no-implied-eval
    const f = new Function('__ran', `${outputText}\nreturn f`)((stretch: number) => way.push(stretch))
    const result: unknown = f(...given)
    const file: EnlistedFile = { ...made, text: source, path: 'f.ts', first: 0 }
    return { ran: shownCode([file], way, NO_FIELDS).flatMap((each) => text(each, 'ran')), result }
  }

  test.each([
    [
      'function f(a) {\n  if (a) return 1\n  return 2\n}',
      true,
      1,
      ['function f(a) {', 'if (a) return 1', '}'],
    ],
    [
      'function f(a) {\n  if (a) return 1\n  return 2\n}',
      false,
      2,
      ['function f(a) {', 'if (a)', 'return 2', '}'],
    ],
    ['const f = (a) =>\n  a ?\n    1\n  : 2', true, 1, ['const f = (a) =>', 'a ?', '1', ':']],
    ['const f = (a) =>\n  a &&\n  [2]', 0, 0, ['const f = (a) =>', 'a &&']],
    ['const f = (a) =>\n  a ??\n  [2]', null, [2], ['const f = (a) =>', 'a ??', '[2]']],
    [
      'function f(a) {\n  for (const b of a)\n    b()\n  return a\n}',
      [],
      [],
      ['function f(a) {', 'for (const b of a)', 'return a', '}'],
    ],
    [
      "function f(a) {\n  switch (a) {\n    case 1:\n    case 2:\n      return 'x'\n    default:\n      return 'y'\n  }\n}",
      1,
      'x',
      ['function f(a) {', 'switch (a) {', 'case 1:', 'case 2:', "return 'x'", '}', '}'],
    ],
    [
      'function f(a) {\n  return a.map((b) =>\n    ({ b }))\n}',
      [],
      [],
      ['function f(a) {', 'return a.map(', ')', '}'],
    ],
  ])('%s', (source, given, result, ran) => {
    expect(ranIn(source, given)).toEqual({ ran, result })
  })

  test('names of variables are marked where they are read from the state, and comments are comments', () => {
    const source =
      '/** Why. */\nfunction f(node, here) {\n  // node.last\n  return node.last === here.last\n}'
    const file: EnlistedFile = { ...instrument('f.ts', source), text: source, path: 'f.ts', first: 0 }
    const [shown] = shownCode([file], [0, 1], new Set(['last']))
    expect(
      shown?.lines.flatMap(({ number, parts }) =>
        parts.filter(({ field }) => field === 'last').map(() => number),
      ),
    ).toEqual([4])
    expect(shown === undefined ? [] : text(shown, 'comment')).toEqual(['/** Why. */', '// node.last'])
  })
})
