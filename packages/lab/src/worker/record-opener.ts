import { type Opened, worldIn } from '../run/opened.ts'
import type { Recording } from '../run/recording.ts'
import { RecordingBuilder } from '../run/recording-builder.ts'
import type { RunSpec, WorldSpec } from '../run/spec.ts'
import { PatchReader } from './patch.ts'
import type { OpenAnswer, OpenTask } from './worker-messages.ts'

/** A record that was opened. */
export interface OpenedRecord {
  readonly spec: RunSpec
  readonly world: WorldSpec
  readonly recording: Recording
  readonly notes: readonly string[]
}

/** How far the opening of a record is, from 0 to 1, and what is being done. */
export interface Opening {
  readonly share: number
  readonly text: string
}

interface Listener {
  progress(opening: Opening): void
  done(record: OpenedRecord): void
  complaint(why: string): void
}

/** Opens a record in a worker of its own, which ends with it. Returns how to stop it. */
export function openRecord(files: readonly Blob[], told: Listener): () => void {
  const worker = new Worker(new URL('./open.worker.ts', import.meta.url), { type: 'module' })
  const ask = (task: OpenTask) => worker.postMessage(task)
  const taking = takeIn(told)
  worker.addEventListener('message', ({ data }: MessageEvent<OpenAnswer>) => {
    if (taking(data)) ask('next')
    else if ('end' in data || 'complaint' in data) worker.terminate()
  })
  worker.addEventListener('error', ({ message }) => {
    told.complaint(`the record cannot be opened: ${message || 'its worker could not be started'}`)
    worker.terminate()
  })
  ask({ files })
  return () => worker.terminate()
}

/** A run that was opened elsewhere. */
export function recordOf({ spec, played, notes }: Opened): OpenedRecord {
  const builder = new RecordingBuilder(played)
  builder.add(played)
  builder.end(played)
  return { spec, world: worldIn(spec), recording: builder.recording(), notes }
}

/** What share of the work is done when it is read, and when it is understood. */
const READ = 0.3
const UNDERSTOOD = 0.6

/** In milliseconds: how often the page is told of progress, for it draws itself anew. */
const TELL_EVERY = 100

/** True if the next part can come. */
function takeIn(told: Listener): (answer: OpenAnswer) => boolean {
  const patches = new PatchReader()
  let begun: {
    readonly builder: RecordingBuilder
    readonly head: Extract<OpenAnswer, { head: unknown }>
  } | null = null
  let events = 0
  let toldAt = Number.NEGATIVE_INFINITY
  const progress = (share: number, text: string) => {
    if (performance.now() - toldAt < TELL_EVERY) return
    toldAt = performance.now()
    told.progress({ share, text })
  }
  return (answer) => {
    if ('complaint' in answer) told.complaint(answer.complaint)
    else if ('read' in answer) {
      const { bytes, of } = answer.read
      progress(
        (READ * bytes) / Math.max(1, of),
        `Reading the record: ${megabytes(bytes)} of ${megabytes(of)} MB`,
      )
    } else if ('understanding' in answer)
      told.progress({ share: READ, text: 'Finding out what each node did, and what it knew…' })
    else if ('head' in answer) {
      begun = { builder: new RecordingBuilder(answer.head), head: answer }
      return true
    } else if (begun !== null && 'part' in answer) {
      begun.builder.add({ ...answer.part, states: answer.part.states.map((patch) => patches.read(patch)) })
      events += answer.part.events.length
      const share = UNDERSTOOD + ((1 - UNDERSTOOD) * events) / begun.head.events
      const [taken, all] = [events, begun.head.events].map((count) => count.toLocaleString('en-US'))
      progress(share, `Taking in the record: ${taken} of ${all} events`)
      return true
    } else if (begun !== null && 'end' in answer) {
      begun.builder.end(answer.end)
      const { spec, notes } = begun.head
      told.done({ spec, world: worldIn(spec), recording: begun.builder.recording(), notes })
    }
    return false
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
