import type { Page } from 'playwright-core'
import { type Doing, measure } from './measure.ts'

/** Where the processor time of a frame went, in milliseconds per frame: the main thread's by kind of work, and that of other threads. */
export interface Kinds {
  readonly main: ReadonlyMap<string, number>
  readonly others: ReadonlyMap<string, number>
}

/** What Chromium calls a piece of work of the main thread, and what we call it. What has no name here counts as the work around it. */
const MAIN: Readonly<Record<string, string>> = {
  RunTask: 'other',
  FunctionCall: 'script',
  EvaluateScript: 'script',
  RunMicrotasks: 'script',
  FireAnimationFrame: 'script',
  UpdateLayoutTree: 'styles',
  Layout: 'layout',
  PrePaint: 'paint',
  Paint: 'paint',
  Layerize: 'layers',
  UpdateLayer: 'layers',
  Commit: 'layers',
  MinorGC: 'garbage',
  MajorGC: 'garbage',
  HitTest: 'hit test',
}

/** The threads that put on the screen what the main thread painted. With a graphics card it does most of their work. */
const OTHERS: Readonly<Record<string, string>> = {
  ThreadPoolForegroundWorker: 'rasterizer',
  Compositor: 'compositor',
  VizCompositorThread: 'display',
}

const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', '__metadata']

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** When it began and how long it took, in microseconds of its thread's own processor time. */
  readonly tts?: number
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

type Piece = TraceEvent & { readonly tts: number; readonly tdur: number }

/** Measures once more while Chromium traces itself, which slows it down: these figures tell shares, not costs. */
export async function kindsOf(page: Page, doing: Doing, frames: number): Promise<Kinds> {
  const browser = page.context().browser()
  if (browser === null) throw new Error('the page has no browser that could be traced')
  await browser.startTracing(page, { categories: CATEGORIES })
  await measure(page, doing, frames)
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    traceEvents: readonly TraceEvent[]
  }
  return kindsIn(traceEvents, frames)
}

export function kindsIn(events: readonly TraceEvent[], frames: number): Kinds {
  const threads = new Map<string, string>()
  const pieces = new Map<string, Piece[]>()
  for (const event of events) {
    const thread = `${event.pid} ${event.tid}`
    if (event.name === 'thread_name') threads.set(thread, event.args.name ?? '')
    if (event.ph !== 'X' || event.tts === undefined || event.tdur === undefined) continue
    const piece = { ...event, tts: event.tts, tdur: event.tdur }
    const known = pieces.get(thread)
    if (known === undefined) pieces.set(thread, [piece])
    else known.push(piece)
  }
  const main = new Map<string, number>()
  const others = new Map<string, number>()
  const busiest = busiestOf([...pieces].filter(([thread]) => threads.get(thread) === 'CrRendererMain'))
  const per = (sums: Map<string, number>, kind: string, time: number) =>
    sums.set(kind, (sums.get(kind) ?? 0) + time / 1000 / frames)
  for (const [thread, done] of pieces) {
    const name = OTHERS[threads.get(thread) ?? '']
    if (thread === busiest) for (const [kind, time] of ownTimes(done, MAIN)) per(main, kind, time)
    else if (name !== undefined) for (const [, time] of ownTimes(done, {})) per(others, name, time)
  }
  return { main: descending(main), others: descending(others) }
}

/** The page's main thread, among those of other pages. */
function busiestOf(threads: readonly (readonly [string, readonly Piece[]])[]): string | null {
  const busy = (pieces: readonly Piece[]) => pieces.reduce((sum, { tdur }) => sum + tdur, 0)
  return threads.toSorted(([, a], [, b]) => busy(b) - busy(a))[0]?.[0] ?? null
}

/** The time of each kind without the pieces of another kind within it. Pieces of one thread are nested. */
function ownTimes(
  pieces: readonly Piece[],
  kinds: Readonly<Record<string, string>>,
): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  const add = (kind: string, time: number) => times.set(kind, (times.get(kind) ?? 0) + time)
  const around: { kind: string; until: number }[] = []
  for (const { name, tts, tdur } of pieces.toSorted((a, b) => a.tts - b.tts || b.tdur - a.tdur)) {
    while ((around.at(-1)?.until ?? Number.POSITIVE_INFINITY) <= tts) around.pop()
    const outer = around.at(-1)
    const kind = kinds[name] ?? outer?.kind ?? 'other'
    if (outer !== undefined) add(outer.kind, -tdur)
    add(kind, tdur)
    around.push({ kind, until: tts + tdur })
  }
  return times
}

function descending(sums: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map([...sums].toSorted(([, a], [, b]) => b - a))
}
