import type { Evidence } from '../evidence.ts'

/** A number, a bound or a theorem that is not so, although no rule fails by it. */
export interface Claim {
  readonly claimed: string
  /** Author, year and section. */
  readonly where: string
  readonly instead: string
  readonly shownBy: readonly Evidence[]
  /** After `npx turnwise`. */
  readonly command?: string
}
