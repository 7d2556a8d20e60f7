import { loadScript, page } from 'virtual:sandbox'
import type { WriteAnswer, WriteTask } from './sandbox-messages.ts'

/**
 * Runs texts in a frame of an origin of its own, which `sandbox.html` describes. Whatever comes from there may have been said by a text: it is
 * shown as words, and nothing else.
 */
export class Sandbox {
  readonly #frame: HTMLIFrameElement
  readonly #ready: Promise<void>
  /** False until its page and script are there, or for ever without a server. */
  isReady = false
  #run = 0
  #tell: (answer: WriteAnswer) => void = () => {}

  constructor(place: HTMLElement) {
    const frame = document.createElement('iframe')
    frame.setAttribute('sandbox', 'allow-scripts')
    frame.referrerPolicy = 'no-referrer'
    frame.hidden = true
    frame.title = 'Sandbox'
    frame.src = page
    this.#frame = frame
    this.#ready = new Promise((ready) => {
      this.#hear = ({ source, data }) => {
        if (source !== frame.contentWindow || typeof data !== 'object' || data === null) return
        if ('ready' in data)
          void loadScript().then(
            (script) => {
              this.#post({ script })
              this.isReady = true
              ready()
            },
            () => {
              // The caller that waits for an answer sees that nothing is ready.
            },
          )
        else if (data.run === this.#run) this.#tell(data.said as WriteAnswer)
      }
    })
    window.addEventListener('message', this.#hear)
    place.append(frame)
  }

  #hear: (event: MessageEvent) => void = () => {}

  /** Ends what runs, and checks this instead. */
  run(task: WriteTask, tell: (answer: WriteAnswer) => void): void {
    this.#run += 1
    const run = this.#run
    this.#tell = tell
    void this.#ready.then(() => {
      if (run === this.#run) this.#post({ run, task })
    })
  }

  stop(): void {
    this.#run += 1
    this.#post({ run: this.#run })
  }

  close(): void {
    window.removeEventListener('message', this.#hear)
    this.#frame.remove()
  }

  /** The frame has no origin to name. Nothing secret is said. */
  #post(message: object): void {
    this.#frame.contentWindow?.postMessage(message, '*')
  }
}
