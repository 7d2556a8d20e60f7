/**
 * Performs the effects of one node in their order. Effects after a `persist` wait until it is on disk, and those of later events
 * queue behind them. After a sleep they wait for a time in the same way.
 */
import { get } from '@turnwise/core/bounds'
import type { Disk } from '../disk/disk.ts'
import type { Effect } from '../protocol/events.ts'
import type { CallerId, Node } from '../protocol/state.ts'

type Persist = Extract<Effect, { kind: 'persist' }>
export type Performed = Exclude<Effect, Persist>

interface Host {
  do(effect: Performed): void
  /** The disk has written, or the time is over. The host calls `goOn` within its next event. */
  written(): void
  failed(error: Error): void
}

export class OrderedEffects {
  readonly #disk: Pick<Disk, 'persist'>
  readonly #host: Host
  /** Effects that wait for the disk, or for a time to be over; null while they wait for nothing. */
  #behind: Effect[] | null = null
  /** For how many of these they wait. */
  #awaited = 0
  /** Whether they may go on. */
  #isWritten = false

  constructor(disk: Pick<Disk, 'persist'>, host: Host) {
    this.#disk = disk
    this.#host = host
  }

  get isWriting(): boolean {
    return this.#behind !== null
  }

  perform(effects: readonly Effect[]): void {
    if (this.#behind !== null) return this.#queue(effects, this.#behind)
    for (let i = 0; i < effects.length; i += 1) {
      const effect = get(effects, i)
      if (effect.kind === 'persist') {
        this.#behind = effects.slice(i + 1)
        this.#write(effect)
        return
      }
      this.#host.do(effect)
    }
  }

  /** A lost hold is reported at once, even while the disk is busy, unless its grant was not reported yet. */
  #queue(effects: readonly Effect[], behind: Effect[]): void {
    // Very many holds may be lost in one event while very many effects wait.
    const untold = new Set<CallerId>()
    if (effects.some(({ kind }) => kind === 'lost')) {
      for (const effect of behind) if (effect.kind === 'grant') untold.add(effect.caller)
    }
    for (const effect of effects) {
      if (effect.kind === 'grant') untold.add(effect.caller)
      if (effect.kind === 'lost' && !untold.has(effect.caller)) this.#host.do(effect)
      else behind.push(effect)
    }
  }

  /** Nothing leaves for so many milliseconds, as if a write took so long. */
  wait(milliseconds: number): void {
    this.#behind ??= []
    this.#awaited += 1
    this.#isWritten = false
    setTimeout(this.#isOver, Math.ceil(milliseconds)).unref()
  }

  readonly #isOver = (): void => {
    this.#awaited -= 1
    if (this.#awaited > 0) return
    this.#isWritten = true
    this.#host.written()
  }

  #write({ durable }: Persist): void {
    this.#awaited += 1
    this.#disk
      .persist(durable)
      .then(this.#isOver, (error: unknown) =>
        this.#host.failed(error instanceof Error ? error : new Error(String(error))),
      )
  }

  /** Within an event: R6 came before callers believe in their grants, and what they do then comes after all effects. */
  goOn(node: Node): void {
    if (!this.#isWritten) return
    this.#isWritten = false
    const behind = this.#behind ?? []
    this.#behind = null
    this.perform(behind.filter((effect) => effect.kind !== 'grant' || isHeld(node, effect)))
  }
}

/** A grant that was lost while it waited for the disk is not reported: another node may have a later one by now. */
function isHeld({ names }: Node, { name, caller }: Extract<Effect, { kind: 'grant' }>): boolean {
  const seats = names.get(name)?.seats ?? []
  return seats.some(({ holds }) => holds.some((hold) => hold.caller === caller))
}
