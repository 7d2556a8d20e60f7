import type { Terminal } from './terminal.ts'

const WIDTH = 30
/** Work that is over sooner needs no bar. */
const PATIENCE_MS = 400
const FRAME_MS = 100

/** A bar on standard error for work that takes a while; nothing where there is no terminal. */
export class Progress {
  readonly #terminal: Terminal
  readonly #what: string
  readonly #started = performance.now()
  #drawnAt = 0

  constructor(terminal: Terminal, what: string) {
    this.#terminal = terminal
    this.#what = what
  }

  /** `share` is between 0 and 1. */
  show(share: number, note = ''): void {
    const now = performance.now()
    if (this.#terminal.redraw === null || now - this.#started < PATIENCE_MS || now - this.#drawnAt < FRAME_MS)
      return
    this.#drawnAt = now
    const filled = Math.round(Math.min(1, share) * WIDTH)
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
    this.#terminal.redraw(`${this.#what} ${bar} ${Math.floor(share * 100)} % ${note}`)
  }

  done(): void {
    if (this.#drawnAt > 0) this.#terminal.redraw?.('')
  }
}
