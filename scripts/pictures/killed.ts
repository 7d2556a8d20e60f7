/**
 * A lock that moves on after `kill -9`, drawn from a recorded run of `turnwise up`. The picture moves as the run did, and shows
 * nothing that the record does not tell. A record in which the lock does not move on is refused.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { judgeTrace } from '@turnwise/core/judges/of-trace'
import { readTrace, TICKS_PER_UNIT, type Trace } from '@turnwise/core/trace/trace'
import { oneTrace, openTrace } from '../../packages/lab/src/run/opened.ts'
import type { Recording } from '../../packages/lab/src/run/recording.ts'
import { record } from '../../packages/lab/src/run/recording-builder.ts'
import { playable } from '../../packages/lab/src/run/spec.ts'

export const KILLED: URL = new URL('../../docs/pictures/killed/', import.meta.url)
/** What the command printed, among the files of the record. */
export const SAID = 'up.lines'

/** A line that the command printed, and when: wall time in microseconds. The first is the command. */
export interface Line {
  readonly at: number
  readonly text: string
}

/** The files of a record, by their names. */
export type Files = ReadonlyMap<string, string>

export function recordedFiles(): Files {
  return new Map(readdirSync(KILLED).map((file) => [file, readFileSync(new URL(file, KILLED), 'utf8')]))
}

interface Kill {
  /** Of the line that tells it. */
  readonly at: number
  /** Seconds since all nodes were in one view, as the line says. */
  readonly seconds: number
  readonly id: string
  readonly lock: string
}

/** Null if nobody was killed while it held one lock. */
export function killIn(said: readonly Line[]): Kill | null {
  for (const { at, text } of said) {
    const found = /^ *([\d.]+) s {2}(\w+) is killed with kill -9 while it holds (\w+)$/.exec(text)
    const [, seconds, id, lock] = found ?? []
    if (id !== undefined && lock !== undefined) return { at, seconds: Number(seconds), id, lock }
  }
  return null
}

/** What the picture tells. Times are ticks of the trace. */
export interface Story {
  readonly trace: Trace
  readonly command: string
  /** The names of the nodes, by their numbers. */
  readonly ids: readonly string[]
  readonly lock: string
  /** How long a silent node counts, as the command says it. */
  readonly lease: string
  readonly killed: {
    readonly node: number
    readonly at: number
    readonly entered: number
    readonly fence: bigint
  }
  readonly next: { readonly node: number; readonly at: number; readonly fence: bigint }
  /** When the command counts its seconds from. */
  readonly zero: number
  /** What the command said from then on. */
  readonly said: readonly Line[]
}

/** Reads a record. It throws one line if the record does not parse, or does not tell that story. */
export function storyOf(files: Files): Story {
  const said = (files.get(SAID) ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
  const kill = killIn(said)
  if (kill === null) throw new Error(`${SAID}: no line tells that a holder was killed`)
  const parts = [...files].filter(([name]) => name !== SAID).map(([, text]) => readTrace(text))
  if (parts.length === 0) throw new Error('the record has no trace')
  const { trace } = oneTrace(parts)
  const { settings } = trace.header
  const ids = String(settings['ids']).split(', ')
  if (settings['lock'] !== kill.lock) throw new Error(`the traces are not of ${kill.lock}`)
  const { trace: judged } = judgeTrace(trace)
  const wrong = judged.events.find(({ is }) => is === 'violation')
  if (wrong !== undefined) throw new Error(`the record violates a property: ${JSON.stringify(wrong)}`)
  const start = Number(settings['start'])
  const { killed, next } = handOver(trace, ids.indexOf(kill.id), kill.at - start)
  const zero = kill.at - start - kill.seconds * TICKS_PER_UNIT
  const lines = said.slice(1).map(({ at, text }) => ({ at: at - start, text }))
  const lease = said
    .map(({ text }) => / lease ([\d.]+ m?s) /.exec(text)?.[1])
    .find((found) => found !== undefined)
  if (lease === undefined) throw new Error(`${SAID}: no line tells the lease`)
  const { lock } = kill
  return { trace, command: get(said, 0).text, ids, lock, lease, killed, next, zero, said: lines }
}

/** The last entry of the killed node, which it did not leave, and the first of another after it. */
function handOver({ events }: Trace, node: number, at: number): Pick<Story, 'killed' | 'next'> {
  const entries = events.flatMap((event) =>
    event.is === 'enter' ? [{ node: event.node, at: event.at, fence: BigInt(event.fence) }] : [],
  )
  const fences = entries.map(({ fence }) => fence)
  const falls = fences.findIndex((fence, i) => i > 0 && fence <= get(fences, i - 1))
  if (falls >= 0) throw new Error(`fence ${fences[falls]} does not rise above ${fences[falls - 1]}`)
  const last = entries.findLastIndex((entry) => entry.node === node)
  const own = entries[last]
  const next = entries[last + 1]
  if (own === undefined || own.at > at) throw new Error('the killed node was not inside')
  if (events.some((event) => event.is === 'leave' && event.node === node && event.at >= own.at))
    throw new Error('the killed node had left the lock')
  if (next === undefined || next.at < at) throw new Error('nobody entered after the holder was killed')
  return { killed: { node, at, entered: own.at, fence: own.fence }, next }
}

/** The record as the page keeps a run. */
export function recordingOf({ trace }: Story): Recording {
  return record(openTrace({ trace, notes: [] }, playable).played)
}
