import type { Evidence } from '../evidence.ts'

/** A section of a document that describes behaviour, and what shows that behaviour here. */
export interface Section {
  readonly section: string
  /** What it describes, in a few words of our own. */
  readonly describes: string
  readonly files: readonly string[]
  /** Besides the tests, which say themselves what they show (`tags.ts`). */
  readonly shownBy?: readonly Evidence[]
  /** After `npx turnwise`. */
  readonly command: string
}

/** A document, named as `references.ts` names it, or a part of one. */
export interface Coverage {
  readonly source: string
  readonly sections: readonly Section[]
}
