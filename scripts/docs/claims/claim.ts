import type { Evidence } from '../evidence.ts'

/** A number, a bound or a theorem that is false, although no rule fails because of it. */
export interface Claim {
  /** In the tags of the tests that show it. A claim that no test is about needs none. */
  readonly name?: string
  readonly claimed: string
  /** Author, year and section. */
  readonly where: string
  readonly instead: string
  /** Besides the tests, which say themselves what they show (`tags.ts`). */
  readonly shownBy?: readonly Evidence[]
  /** After `npx turnwise`. */
  readonly command?: string
}
