import type { Hand } from '../run/hand.ts'
import type { RunSpec } from '../run/spec.ts'
import type { PlayAnswer, PlayTask } from './messages.ts'

/** The page's end of the worker. Of several tasks only the last is of interest: earlier answers are not given. */
export class Player {
  readonly #worker = new Worker(new URL('./player.worker.ts', import.meta.url), { type: 'module' })
  #task = 0
  #answered: (answer: PlayAnswer) => void = () => {}

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<PlayAnswer>) => {
      if (data.task === this.#task) this.#answered(data)
    })
    this.#worker.addEventListener('error', ({ message }) => {
      this.#answered({ task: this.#task, complaint: `the worker cannot be started: ${message}` })
    })
  }

  play(spec: RunSpec, hands: readonly Hand[], answered: (answer: PlayAnswer) => void): void {
    this.#task += 1
    this.#answered = answered
    const task: PlayTask = { task: this.#task, spec, hands }
    this.#worker.postMessage(task)
  }

  close(): void {
    this.#worker.terminate()
  }
}
