import type { EnlistedFile } from '../code/code-probes.ts'
import type { CodeAnswer, CodeTask } from './worker-messages.ts'

/** What ran in a run, as far as it is known: it grows. */
export interface Followed {
  readonly files: readonly EnlistedFile[]
  /** What ran for an event; null if no handler did, undefined if that is not known yet. */
  wayOf(event: number): readonly number[] | null | undefined
}

/** The page's end of the worker that follows runs through the text of their algorithm. Only the last task counts. */
export class CodeReader {
  readonly #worker = new Worker(new URL('./code.worker.ts', import.meta.url), { type: 'module' })
  #task = 0
  #heard: (answer: CodeAnswer) => void = () => {}

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<CodeAnswer>) => {
      if (data.task === this.#task) this.#heard(data)
    })
    this.#worker.addEventListener('error', ({ message }) => {
      const complaint = `The code cannot be shown: ${message || 'its script could not be loaded'}`
      this.#heard({ task: this.#task, complaint })
    })
  }

  follow(
    { spec, what }: Omit<CodeTask, 'task'>,
    told: { progress(followed: Followed): void; complaint(why: string): void },
  ): void {
    this.#task += 1
    const files: EnlistedFile[] = []
    const ways: (readonly number[])[] = []
    const wayOf: number[] = []
    this.#heard = (answer) => {
      if ('complaint' in answer) return told.complaint(answer.complaint)
      files.push(...answer.files)
      ways.push(...answer.part.ways)
      for (const way of answer.part.wayOf) wayOf.push(way)
      told.progress({
        files: [...files],
        wayOf(event) {
          const way = wayOf[event]
          return way === undefined ? undefined : (ways[way] ?? null)
        },
      })
    }
    const task: CodeTask = { task: this.#task, spec, what }
    this.#worker.postMessage(task)
  }

  close(): void {
    this.#worker.terminate()
  }
}
