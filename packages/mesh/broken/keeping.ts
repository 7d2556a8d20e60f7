/** Mistakes where voters remember for callers. Each replaces one decision. The random runs of test/once must catch every one of them. */
import { type KeepingRules, keepingRules } from '../src/protocol/keeping-rules.ts'

const SOUND: KeepingRules = { ...keepingRules }

export interface BrokenKeeping {
  readonly name: string
  readonly mistake: string
  readonly change: Partial<KeepingRules>
}

export const brokenKeeping: readonly BrokenKeeping[] = [
  {
    name: 'late-writer',
    mistake: 'A voter heeds a holder that has lost its lock.',
    change: { heeds: () => true },
  },
  {
    name: 'minority',
    mistake: 'One voter is enough to ask.',
    change: { enough: (_roster, among) => among.length > 0 },
  },
  {
    name: 'new-voters-know',
    mistake: 'What new voters have is taken for the latest.',
    change: { isLatest: () => true },
  },
  {
    name: 'nothing-is-nothing',
    mistake: 'Where new voters have nothing, nothing was.',
    change: { knowsAll: () => true },
  },
  {
    name: 'old-era',
    mistake: 'New voters are taken to know what the old ones knew.',
    change: { era: (_joint, before) => before ?? 0 },
  },
]

/** What `ask` returns with this mistake in force. */
export function underKeeping<Answer>(change: Partial<KeepingRules>, ask: () => Answer): Answer {
  Object.assign(keepingRules, change)
  try {
    return ask()
  } finally {
    Object.assign(keepingRules, SOUND)
  }
}
