import type { Local } from './local.ts'
import type { Envelope } from './parts.ts'
import type { Surroundings } from './surroundings.ts'
import type { Worlds } from './worlds.ts'

/** What some numbers of a world stand for, in the order of these numbers. Plain data. */
export interface Words {
  readonly locals: readonly Local[]
  readonly envelopes: readonly Envelope[]
  readonly surroundings: readonly Surroundings[]
}

/**
 * Keeps two collections of worlds of one instance in step, so that their numbers mean the same. At any time only one of
 * the two meets new parts, and tells the other before it needs them.
 */
export class Vocabulary {
  readonly #worlds: Worlds
  #locals = 0
  #envelopes = 0
  #surroundings = 0

  constructor(worlds: Worlds) {
    this.#worlds = worlds
  }

  /** What was met since this was asked last, and not heard from the other side. */
  news(): Words {
    const { parts, changes } = this.#worlds
    const words = {
      locals: parts.locals.slice(this.#locals),
      envelopes: parts.envelopes.slice(this.#envelopes),
      surroundings: changes?.table.all.slice(this.#surroundings) ?? [],
    }
    this.#catchUp()
    return words
  }

  /** Gives what the other side has met the same numbers as there. */
  learn({ locals, envelopes, surroundings }: Words): void {
    const { parts, changes } = this.#worlds
    for (const local of locals) parts.local(local)
    for (const envelope of envelopes) parts.envelope(envelope)
    for (const around of surroundings) changes?.table.number(around)
    this.#catchUp()
  }

  #catchUp(): void {
    const { parts, changes } = this.#worlds
    this.#locals = parts.locals.length
    this.#envelopes = parts.envelopes.length
    this.#surroundings = changes?.table.all.length ?? 0
  }
}
