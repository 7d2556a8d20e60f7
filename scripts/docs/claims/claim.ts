import type { Evidence } from '../evidence.ts'

/** A number, a bound or a theorem that is false, although no rule fails because of it. */
export interface Claim {
  readonly claimed: string
  /** Author, year and section. */
  readonly where: string
  readonly instead: string
  readonly shownBy: readonly Evidence[]
  /** After `npx turnwise`. */
  readonly command?: string
}
