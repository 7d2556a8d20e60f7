import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { judgeTrace } from '@turnwise/core/judges/of-trace'
import { readOptions } from '@turnwise/core/options'
import { arrange } from '@turnwise/core/setup'
import { mergeParts } from '@turnwise/core/trace/merge'
import { readTrace, type Trace, type TraceEvent } from '@turnwise/core/trace/trace'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { SOUND } from '../broken/under.ts'
import { Recorder } from '../src/host/recorder.ts'
import { Recording } from '../src/host/recording-file.ts'
import { join } from '../src/join.ts'
import type { Effect, Event } from '../src/protocol/events.ts'
import { fenceNumber } from '../src/protocol/fence.ts'
import { handle } from '../src/protocol/node.ts'
import type { ViewRecord } from '../src/protocol/record.ts'
import { home } from '../src/protocol/view-worlds.ts'
import type { Mesh } from '../src/surface.ts'
import { LEASE, meshes } from './meshes.ts'
import { Script } from './script.ts'
import '../check/texts.ts'

const directory = mkdtempSync(joinPath(tmpdir(), 'turnwise record '))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

let files = 0
function newFile(): string {
  files += 1
  return joinPath(directory, `${files}.trace`)
}

const read = (file: string) => readTrace(readFileSync(file, 'utf8'))
const kinds = ({ events }: Trace) => events.map(({ is }) => is)
const count = ({ events }: Trace, is: TraceEvent['is']) => events.filter((event) => event.is === is).length
const turn = () => new Promise((resolve) => void setImmediate(resolve))

/** So many callers at each node, who all want in at once. */
function crowd(nodes: readonly Mesh[], each: number): Promise<unknown> {
  return Promise.all(
    nodes.flatMap((node) => Array.from({ length: each }, () => node.locks.request('invoices', turn))),
  )
}

/** Three nodes that take turns, of which one leaves, and two that go on. */
async function recorded(medium: 'memory' | 'tcp', algorithm: string): Promise<Trace[]> {
  // No lease is to end here, on a busy machine either.
  const nodes = await meshes(3, medium, algorithm, 8 * LEASE)
  const paths = nodes.map((node) => {
    const file = newFile()
    node.record('invoices', file)
    return file
  })
  await crowd(nodes, 5)
  const last = nodes.slice(0, 2)
  const goingOn = crowd(last, 20)
  await nodes[2].leave()
  await goingOn
  // The view without it may begin after all have had their turn.
  while (last.some(({ status }) => status.members.length !== 2)) await turn()
  await crowd(last, 5)
  await Promise.all(last.map((node) => node.leave()))
  return paths.map(read)
}

describe.each([
  ['memory', 'carvalho-roucairol'],
  ['memory', 'suzuki-kasami'],
  ['memory', 'maekawa'],
  ['tcp', 'carvalho-roucairol'],
  ['tcp', 'raymond'],
] as const)('three nodes over %s with %s', (medium, algorithm) => {
  let parts: Trace[] = []
  beforeAll(async () => {
    parts = await recorded(medium, algorithm)
  })

  test('record one run, on which the judges have nothing to say', () => {
    const { trace, notes } = mergeParts(parts)
    // A busy machine may stop a node between its two clocks. Then its part is moved by as much.
    expect(notes.filter((note) => !/^the clock of node \d \(\w\) is behind/.test(note))).toEqual([])
    expect(trace.header).toMatchObject({
      algorithm,
      nodes: 3,
      settings: { lock: 'invoices', ids: 'a, b, c' },
    })
    expect(judgeTrace(trace).violations).toBe(0)
    expect(count(trace, 'enter')).toBe(65)
    expect(count(trace, 'leave')).toBe(65)
    expect(count(trace, 'request')).toBe(65)
    const views = trace.events.flatMap((event) => (event.is === 'proceed' ? [event.step] : []))
    expect(views.some((view) => view.endsWith('of a, b, c'))).toBe(true)
    expect(views.filter((view) => view.endsWith('of a, b')).length).toBeGreaterThanOrEqual(2)
    expect(trace.events.at(-1)?.is).toBe('gone')
  })

  test('and no more messages than the algorithm says', () => {
    const { trace } = mergeParts(parts)
    const { facts, options } = algorithmNamed(algorithm)
    const { setup } = arrange(facts, { nodes: 3, options: readOptions(options, []) })
    const most = Math.max(facts.messages.heavy(setup).max, facts.messages.light(setup).max)
    // With a view its requests are over, and callers that still wait ask again.
    const views = new Set(trace.events.flatMap((event) => (event.is === 'proceed' ? [event.step] : [])))
    const requests = count(trace, 'enter') + 3 * (views.size - 1)
    const sent = count(trace, 'send')
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThanOrEqual(most * requests)
    const received = trace.events.flatMap((event) => (event.is === 'receive' ? [event.id] : []))
    expect(new Set(received).size).toBe(received.length)
    // What was under way when its view ended did not arrive, nor did what was sent to the one that had left.
    const between = trace.events.filter((event) => event.is === 'send' && event.from < 2 && event.to !== 2)
    const arrived = between.filter((event) => event.is === 'send' && received.includes(event.id))
    expect(arrived.length).toBeGreaterThanOrEqual(between.length - most * 2 * (views.size - 1))
  })
})

test('two inside at one time are found', async () => {
  const parts = await recorded('memory', 'carvalho-roucairol')
  const { trace } = mergeParts(parts)
  // A node that claims to have been inside from the entry of another on.
  const other = trace.events.find((event) => event.is === 'enter' && event.node === 0) as TraceEvent
  const at = other.at + Number(trace.header.settings['start'])
  const doctored = parts.map((part, node) => {
    if (node !== 1) return part
    const lie = { at, is: 'enter', node: 1, mode: 'exclusive', fence: 1 } as const
    return { ...part, events: [...part.events, lie] }
  })
  const judged = judgeTrace(mergeParts(doctored).trace)
  const judges = judged.trace.events.flatMap((event) => (event.is === 'violation' ? [event.judge] : []))
  expect(judges).toContain('exclusion')
  expect(judges).toContain('fence')
})

describe('one node', () => {
  test('records from the start, and into a file of its own each time', async () => {
    const file = newFile()
    const said: string[] = []
    for (let life = 0; life < 2; life += 1) {
      const mesh = await join({ record: { name: 'invoices', file }, log: (line) => void said.push(line) })
      await mesh.locks.request('invoices', () => {})
      await mesh.locks.request('others', () => {})
      await mesh.leave()
    }
    expect(said).toEqual([`"${file}" exists, so "invoices" is recorded in "${file}.1"`])
    for (const path of [file, `${file}.1`]) {
      expect(kinds(read(path))).toEqual(['join', 'proceed', 'request', 'enter', 'leave', 'gone'])
    }
    expect(count(mergeParts([read(file), read(`${file}.1`)]).trace, 'enter')).toBe(2)
  })

  test('shows the fence that the caller sees', async () => {
    const file = newFile()
    const mesh = await join({ record: { name: 'L', file } })
    const fence = await mesh.locks.request('L', (lock) => lock.fence)
    await mesh.leave()
    const enter = read(file).events.find(({ is }) => is === 'enter')
    expect(enter).toMatchObject({ fence: Number(fence) })
  })

  test('begins and ends amid what goes on', async () => {
    const mesh = await join()
    const file = newFile()
    const held = await mesh.locks.acquire('L')
    const next = mesh.locks.request('L', () => {})
    const stop = mesh.record('L', file)
    held.release()
    await next
    const second = await mesh.locks.acquire('L')
    await stop()
    second.release()
    const trace = read(file)
    const turns = 'request enter leave request enter leave request enter'
    expect(kinds(trace).join(' ')).toBe(`proceed ${turns} unseen`)
    await mesh.leave()
    expect(read(file)).toEqual(trace)
  })

  test('a caller that gives up withdraws', async () => {
    const mesh = await join()
    const file = newFile()
    const held = await mesh.locks.acquire('L')
    const stop = mesh.record('L', file)
    await expect(mesh.locks.request('L', { timeout: 1 }, () => {})).rejects.toThrow('timed out')
    held.release()
    await stop()
    await mesh.leave()
    // It waited behind a caller of its own node, which was inside.
    expect(kinds(read(file))).toEqual(['proceed', 'request', 'enter', 'leave', 'unseen'])
  })

  test('and one that waits for another node', async () => {
    const nodes = await meshes(2)
    const file = newFile()
    nodes[1].record('L', file)
    const held = await nodes[0].locks.acquire('L')
    await expect(nodes[1].locks.request('L', { timeout: 20 }, () => {})).rejects.toThrow('timed out')
    held.release()
    await Promise.all(nodes.map((node) => node.leave()))
    const told = kinds(read(file)).filter((is) => is !== 'send' && is !== 'receive' && is !== 'proceed')
    expect(told).toEqual(['request', 'withdraw', 'gone'])
  })

  test('a thief takes over', async () => {
    const mesh = await join()
    const file = newFile()
    const stop = mesh.record('L', file)
    const robbed = mesh.locks.request('L', () => new Promise(() => {}))
    const thief = mesh.locks.request('L', { steal: true }, () => {})
    await expect(robbed).rejects.toThrow('stolen')
    await thief
    await stop()
    await mesh.leave()
    expect(kinds(read(file))).toEqual(['proceed', 'request', 'enter', 'leave', 'enter', 'leave', 'unseen'])
  })

  test('a writer goes on as a reader', async () => {
    const nodes = await meshes(2)
    const files = nodes.map((node) => {
      const file = newFile()
      node.record('L', file)
      return file
    })
    const held = await nodes[0].locks.acquire('L')
    held.downgrade()
    const reader = await nodes[1].locks.acquire('L', { mode: 'shared' })
    held.release()
    reader.release()
    await Promise.all(nodes.map((node) => node.leave()))
    expect(kinds(read(get(files, 0)))).toContain('downgrade')
    const { trace } = mergeParts(files.map(read))
    expect(judgeTrace(trace).violations).toBe(0)
    const without = trace.events.filter(({ is }) => is !== 'downgrade')
    expect(judgeTrace({ ...trace, events: without }).violations).toBeGreaterThan(0)
  })

  test('does not begin where nothing can be written', async () => {
    await expect(join({ record: { name: 'L', file: joinPath(directory, 'none', 'a') } })).rejects.toThrow(
      'cannot record in',
    )
  })
})

describe('what the recorder is told by hand', () => {
  /** Nodes that were brought to where they are without it, and then a recorder at one of them. */
  function recorderAt(id: string) {
    const script = new Script(['a', 'b', 'c'], SOUND)
    script.beat('a', 'b', 'c')
    script.pass(12)
    let text = ''
    const node = script.node(id)
    const recorder = new Recorder('=L', node, script.now, Math.round, (lines) => {
      text += lines
    })
    const tell = (event: Event, now = script.now) => {
      recorder.before(node)
      const effects = handle(node, event, now)
      recorder.after(event, effects, node, now)
      return effects
    }
    const all = () => readTrace(text).events
    const events = () => all().filter(({ is }) => is !== 'proceed')
    return { script, node, tell, all, events }
  }

  const ask: Event = { kind: 'request', name: '=L', caller: 1, mode: 'exclusive', priority: 0, steals: false }

  function linkIn(effects: readonly Effect[]) {
    const sent = effects.find((effect) => effect.kind === 'send' && effect.message.type === 'link')
    if (sent?.kind !== 'send') throw new Error('nothing was sent over a link')
    return sent
  }

  const first = get(
    ['a', 'b', 'c'].filter((id) => id === home('=L', ['a', 'b', 'c'])),
    0,
  )
  const other = first === 'a' ? 'b' : 'a'

  test('what lapsed is over when the lease is, however late that is found out', () => {
    const { script, node, tell, all, events } = recorderAt(first)
    tell(ask)
    const { deadline } = node
    tell({ kind: 'tick' }, deadline + 500)
    expect(deadline).toBeGreaterThan(script.now)
    expect(events().map(({ is, at }) => [is, at])).toEqual([
      ['request', Math.round(script.now)],
      ['enter', Math.round(script.now)],
      ['leave', Math.round(deadline)],
    ])
    // What the algorithm was told then is told of then.
    expect(all().at(-1)).toMatchObject({ is: 'proceed', at: Math.round(deadline + 500), step: 'giving back' })
    expect(all().at(-1)?.state).toMatchObject({ desk: { holder: null } })
  })

  test('all variables are told with a view, then those that changed, with the last that the call brought', () => {
    const { tell, all } = recorderAt(first)
    const self = ['a', 'b', 'c'].indexOf(first)
    tell(ask)
    const [view, request, enter] = atLeast(3, all())
    // The algorithm counts from the home of the lock on, the trace in the order of the ids.
    expect(view.view).toEqual([self, (self + 1) % 3, (self + 2) % 3])
    expect(view.state).toMatchObject({ desk: { holder: null, queue: [] } })
    expect([request.is, request.state]).toEqual(['request', undefined])
    expect([enter.is, enter.state]).toMatchObject(['enter', { desk: { holder: self } }])
    tell({ kind: 'tick' })
    expect(all()).toHaveLength(3)
  })

  test('a message is sent once, however often it is repeated', () => {
    const { tell, events } = recorderAt(other)
    tell(ask)
    const repeated = [...tell({ kind: 'tick' }), ...tell({ kind: 'tick' })]
    expect(linkIn(repeated).message).toBeDefined()
    expect(events().map(({ is }) => is)).toEqual(['request', 'send'])
  })

  test('and received once, when the link takes it, under the same id', () => {
    const sender = recorderAt(other)
    const receiver = recorderAt(first)
    const { message } = linkIn(sender.tell(ask))
    if (message.type !== 'link') throw new Error('no link')
    receiver.tell({ kind: 'receive', from: other, message: { ...message, seq: message.seq + 1 } })
    expect(receiver.events()).toEqual([])
    receiver.tell({ kind: 'receive', from: other, message })
    receiver.tell({ kind: 'receive', from: other, message })
    const [received, ...answers] = receiver.events()
    expect(received).toMatchObject({ is: 'receive', id: sentId(sender.events()) })
    expect(answers.map(({ is }) => is)).toEqual(['send'])
  })

  test('a recording ends when too much waits for the disk', async () => {
    const { node, tell } = recorderAt(first)
    const file = newFile()
    const said: string[] = []
    const recording = new Recording('=L', file, node, 0, (line) => void said.push(line), 1000)
    // Nothing is written before the event loop turns.
    for (let turns = 0; turns < 10; turns += 1) {
      recording.before(node)
      recording.after(ask, tell(ask), node, turns)
      const release: Event = { kind: 'release', name: '=L', caller: 1 }
      recording.after(release, tell(release), node, turns)
    }
    await recording.stop(20)
    expect(said).toEqual([`recording in "${file}" has ended: more than 1000 bytes wait for the disk`])
    const { events, torn } = read(file)
    expect(torn).toBeUndefined()
    expect(events.at(-1)?.is).not.toBe('unseen')
    expect(events.length).toBeLessThan(30)
  })

  test('a fence that no number can hold is a text of digits', () => {
    const { node, tell, events } = recorderAt(first)
    node.begun = { ...(node.begun as ViewRecord), epoch: 8_000_000_000 }
    node.durable = { ...node.durable, promised: { ...node.durable.promised, epoch: 8_000_000_000 } }
    tell(ask)
    const hold = get(node.names.get('=L')?.seats[0]?.holds ?? [], 0)
    const fence = String(fenceNumber(hold.fence))
    expect(fence).toHaveLength(19)
    expect(events().at(-1)).toMatchObject({ is: 'enter', fence })
  })
})

function sentId(events: readonly TraceEvent[]): number | undefined {
  return events.flatMap((event) => (event.is === 'send' ? [event.id] : []))[0]
}
