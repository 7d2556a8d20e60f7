import type { Hand } from '../run/hand.ts'
import type { Recording } from '../run/recording.ts'
import { RecordingBuilder } from '../run/recording-builder.ts'
import type { RunSpec } from '../run/spec.ts'
import { PatchReader } from './patch.ts'
import type { PlayAnswer, PlayTask } from './worker-messages.ts'

/** A run as far as it has come; with the reasons why hands failed, when its recording is whole. */
export interface Progress {
  readonly recording: Recording
  readonly refused: readonly string[]
}

/** The page's end of the worker. Only the last of several tasks counts: earlier answers are dropped. */
export class Player {
  readonly #worker = new Worker(new URL('./player.worker.ts', import.meta.url), { type: 'module' })
  #task = 0
  #heard: (answer: PlayAnswer) => void = () => {}
  /** The worker ended, or never began. */
  hasFailed = false

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<PlayAnswer>) => {
      if (data.task === this.#task) this.#heard(data)
    })
    this.#worker.addEventListener('error', ({ message }) => {
      this.hasFailed = true
      const why = message || 'its script could not be loaded'
      this.#heard({ task: this.#task, complaint: `the run cannot be played: ${why}` })
    })
  }

  /** Tells of the run whenever more of it is there. */
  play(
    spec: RunSpec,
    hands: readonly Hand[],
    told: { progress(run: Progress): void; complaint(why: string): void },
  ): void {
    this.#task += 1
    const task: PlayTask = { task: this.#task, spec, hands }
    const patches = new PatchReader()
    let builder: RecordingBuilder | null = null
    this.#heard = (answer) => {
      if ('complaint' in answer) return told.complaint(answer.complaint)
      if ('head' in answer) {
        builder = new RecordingBuilder(answer.head)
        return
      }
      if (builder === null) return
      if ('part' in answer) {
        const { states, ...part } = answer.part
        builder.add({ ...part, states: states.map((patch) => patches.read(patch)) })
      } else builder.end(answer.end)
      const refused = 'end' in answer ? answer.end.refused.map(({ why }) => why) : []
      told.progress({ recording: builder.recording(), refused })
    }
    this.#worker.postMessage(task)
  }

  /** Nobody listens any more; it can be asked for another run. */
  rest(): void {
    this.#heard = () => {}
  }

  close(): void {
    this.#worker.terminate()
  }
}
