import type { Rules } from '../src/protocol/rules.ts'

/** One mistake: the change of the rules, and the kind of world in which it is soonest seen. */
export interface BrokenRules {
  /** Its row in the table of mistakes of docs/mesh-protocol.md. */
  readonly row: number
  readonly name: string
  readonly mistake: string
  readonly schedule: string
  readonly change: Partial<Rules>
  readonly world?: Readonly<Record<string, unknown>>
}

export const brokenRules: readonly BrokenRules[] = []
