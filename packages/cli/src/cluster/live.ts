/** `turnwise up` on a terminal: the table, drawn again and again, and the keys. */
import { get } from '@turnwise/core/bounds'
import type { Terminal } from '../terminal/terminal.ts'
import { draw } from './draw.ts'
import { type Wish, wishOf } from './key-presses.ts'
import type { Happening } from './picture.ts'
import { type Input, type Output, Screen } from './screen.ts'
import type { Session } from './session.ts'
import { ENGINE } from './up-deeds.ts'

const FRAME_MS = 100
const NOTE_MS = 4000

/** What of a session the table shows and the keys reach. */
export type Watched = Pick<Session, 'options' | 'elapsed' | 'snapshot' | 'act' | 'stop'>

export class Live {
  readonly #session: Watched
  readonly #happenings: readonly Happening[]
  /** Where else it can be looked at. */
  readonly #words: string
  readonly #paint: Terminal['paint']
  readonly #screen: Screen
  readonly #timer: NodeJS.Timeout
  #selected = 0
  #note: { readonly text: string; readonly until: number } | null = null

  constructor(
    session: Watched,
    happenings: readonly Happening[],
    words: string,
    paint: Terminal['paint'],
    input: Input,
    output: Output,
  ) {
    this.#session = session
    this.#happenings = happenings
    this.#words = words
    this.#paint = paint
    this.#screen = new Screen(
      input,
      output,
      (key) => this.#press(key),
      () => this.#draw(),
    )
    this.#timer = setInterval(() => this.#draw(), FRAME_MS)
    this.#draw()
  }

  #press(key: string): void {
    const { ids } = this.#session.options
    const wish = wishOf(key, this.#selected, ids.length)
    if (wish === null) return
    if (wish.is === 'quit') return this.#session.stop()
    if (wish.is === 'select') this.#selected = wish.index
    const complaint = wish.is === 'select' ? null : this.#do(wish, get(ids, this.#selected))
    this.#note = complaint === null ? null : { text: complaint, until: performance.now() + NOTE_MS }
    this.#draw()
  }

  #do(wish: Extract<Wish, { is: 'deed' | 'engine' }>, selected: string): string | null {
    if (wish.is === 'deed') return this.#session.act(selected, wish.deed)
    const isDead = this.#session.snapshot().place?.engine === 'dead'
    return this.#session.act(ENGINE, isDead ? 'restart' : 'kill')
  }

  #draw(): void {
    const { algorithm, leaseMs, distance, for: end } = this.#session.options
    const { columns, rows } = this.#screen
    const note = this.#note !== null && performance.now() < this.#note.until ? this.#note.text : null
    const frame = {
      ...this.#session.snapshot(),
      algorithm,
      leaseMs,
      latency: distance?.text ?? null,
      elapsed: this.#session.elapsed,
      for: end,
      selected: this.#selected,
      happenings: this.#happenings,
      page: this.#words,
      note,
    }
    this.#screen.draw(draw(frame, { columns, rows, paint: this.#paint }))
  }

  close(): void {
    clearInterval(this.#timer)
    this.#screen.close()
  }
}
