/** A whole terminal to draw on: only lines that changed are written, so nothing flickers. */
import { keysIn } from './key-presses.ts'

/** The part of standard input and output that it needs. */
export interface Input {
  setRawMode(isRaw: boolean): unknown
  setEncoding(encoding: 'utf8'): unknown
  on(event: 'data', heard: (text: string) => void): unknown
  off(event: 'data', heard: (text: string) => void): unknown
  resume(): unknown
  pause(): unknown
}

export interface Output {
  readonly columns: number
  readonly rows: number
  write(text: string): unknown
  on(event: 'resize', heard: () => void): unknown
  off(event: 'resize', heard: () => void): unknown
}

const CSI = '\u001B['
/** The other screen, so that what was there before comes back; no cursor; long lines are not continued below. */
const OPEN = `${CSI}?1049h${CSI}?25l${CSI}?7l${CSI}2J`
const CLOSE = `${CSI}?7h${CSI}?25h${CSI}?1049l`

export class Screen {
  readonly #input: Input
  readonly #output: Output
  readonly #pressed: (key: string) => void
  readonly #resized: () => void
  #shown: readonly string[] = []
  #isOpen = true

  constructor(input: Input, output: Output, pressed: (key: string) => void, resized: () => void) {
    this.#input = input
    this.#output = output
    this.#pressed = pressed
    this.#resized = resized
    input.setRawMode(true)
    input.setEncoding('utf8')
    input.on('data', this.#onData)
    input.resume()
    output.on('resize', this.#onResize)
    output.write(OPEN)
    // Whatever ends this process, the terminal is given back as it was.
    process.on('exit', this.#onExit)
  }

  get columns(): number {
    return this.#output.columns
  }

  get rows(): number {
    return this.#output.rows
  }

  draw(lines: readonly string[]): void {
    const length = Math.max(lines.length, this.#shown.length)
    let text = ''
    for (let i = 0; i < length; i += 1) {
      if (lines[i] !== this.#shown[i]) text += `${CSI}${i + 1};1H${lines[i] ?? ''}${CSI}0m${CSI}K`
    }
    this.#shown = [...lines]
    if (text !== '') this.#output.write(text)
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#input.off('data', this.#onData)
    this.#output.off('resize', this.#onResize)
    process.off('exit', this.#onExit)
    this.#input.setRawMode(false)
    this.#input.pause()
    this.#output.write(CLOSE)
  }

  readonly #onData = (typed: string) => {
    for (const key of keysIn(typed)) this.#pressed(key)
  }

  readonly #onResize = () => {
    this.#output.write(`${CSI}2J`)
    this.#shown = []
    this.#resized()
  }

  readonly #onExit = () => this.close()
}
