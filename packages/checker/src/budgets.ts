import type { Budgets } from './instance.ts'

/** The remaining trouble, packed into one number of a world. For joins, leaves and channels see `Surroundings`. */
const BUDGETS = ['crashes', 'drops', 'duplicates', 'withdrawals', 'suspicions'] as const
const BUDGET_BITS = 4

export function packBudgets(budgets: Budgets): number {
  return BUDGETS.reduce((packed, name, i) => packed | (budgets[name] << (i * BUDGET_BITS)), 0)
}

export function has(packed: number, name: (typeof BUDGETS)[number]): boolean {
  return ((packed >> (BUDGETS.indexOf(name) * BUDGET_BITS)) & 0xf) > 0
}

export function spend(packed: number, name: (typeof BUDGETS)[number]): number {
  return packed - (1 << (BUDGETS.indexOf(name) * BUDGET_BITS))
}
