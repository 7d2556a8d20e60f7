/** Checks a student's text in a thread of its own. A text that never ends can be stopped, and its output is not ours. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** What the thread is asked. */
export interface GradeTask {
  readonly slug: string
  readonly text: string
  /** How wide runs are drawn, and whether in colour. */
  readonly columns: number
  readonly colours: boolean
}

/** Other programs rely on these names. */
export interface GradeJson {
  readonly exercise: string
  readonly passed: boolean
  /** In one line. */
  readonly verdict: string
  /** The worlds that were checked, up to the first that failed. */
  readonly worlds: readonly {
    readonly nodes: number
    readonly requests: number | 'any'
    readonly states: number
  }[]
  /** The first property that fails, and a shortest run against it; null if there is none. */
  readonly failure: {
    readonly property: string
    readonly reason: string | null
    readonly path: readonly string[]
  } | null
  /** Where a text that cannot be checked is wrong; null if it can, or if that is not known. */
  readonly place: { readonly line: number; readonly column: number } | null
}

export interface GradeAnswer {
  readonly json: GradeJson
  /** The same for people. */
  readonly text: string
}

const MOST_MEGABYTES = 1024

/** Null if the time was over. */
export async function gradeWithin(
  task: GradeTask,
  limitMs: number,
  entry = new URL('./grade-worker.js', import.meta.url),
): Promise<GradeAnswer | null> {
  const worker = new Worker(entry, {
    workerData: task,
    execArgv: [],
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  })
  const limit = AbortSignal.timeout(limitMs)
  try {
    const [answer] = (await Promise.race([
      once(worker, 'message', { signal: limit }),
      once(worker, 'exit').then(() => [refused(task.slug, 'it ended the thread in which it was checked')]),
    ])) as [GradeAnswer]
    return answer
  } catch (error) {
    if (limit.aborted) return null
    const { code, message } = error as NodeJS.ErrnoException
    const verdict =
      code === 'ERR_WORKER_OUT_OF_MEMORY' ? `it needs more than ${MOST_MEGABYTES} MB of memory` : message
    return refused(task.slug, verdict)
  } finally {
    await worker.terminate()
  }
}

/** The outcome for a text that could not be checked to its end. */
export function refused(exercise: string, verdict: string): GradeAnswer {
  return {
    json: { exercise, passed: false, verdict, worlds: [], failure: null, place: null },
    text: `${exercise}: ${verdict}`,
  }
}
