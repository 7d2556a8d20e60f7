import { InvalidInput } from '@turnwise/core/invalid-input'

/** A place in a text; lines and columns count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** A text that is no algorithm. The message is one line, with the place if it is known. */
export class FaultyText extends InvalidInput {
  /** What is wrong, without the place. */
  readonly what: string
  readonly place: Place | null

  constructor(what: string, place: Place | null, options?: ErrorOptions) {
    super(place === null ? what : `line ${place.line}: ${what}`, options)
    this.what = what
    this.place = place
  }
}

export function placeAt(text: string, position: number): Place {
  const before = text.slice(0, position).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}
