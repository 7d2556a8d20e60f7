/**
 * Whether a view fits its settings. Every algorithm says in its options what it needs of the number of its processes
 * (`misfit`): the rules of some let two in among more members than they were set for, those of others let nobody in among
 * fewer. What is numbered by place, such as votes, begins at the home of each lock: all orders of members fit, or none.
 *
 * Semaphores are served without settings, and nothing that serves them has needs of its own: they fit every view.
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { misfits } from '@turnwise/core/options'
import { servable, serving } from './instances.ts'
import type { Settings } from './record.ts'

/** Of one view. */
export const MOST_MEMBERS = 256

/** Why the settings do not serve a view of so many members, or null. */
export function whyUnfit({ algorithm: text }: Pick<Settings, 'algorithm'>, members: number): string | null {
  const why = members > MOST_MEMBERS ? `a view has at most ${MOST_MEMBERS}` : whyMisfit(text, members)
  return why === null ? null : `"${text}" cannot serve ${members} member${members === 1 ? '' : 's'}: ${why}`
}

/** For those who are about to start so many nodes: throws InvalidInput for what cannot serve them. */
export function requireFit(algorithm: string, members: number): void {
  servable(algorithm)
  const why = whyUnfit({ algorithm }, members)
  if (why !== null) throw new InvalidInput(why)
}

/** Settings come in records of others too, whose algorithm this node may not know. */
function whyMisfit(text: string, members: number): string | null {
  try {
    const { algorithm, options } = serving(text)
    return misfits(algorithm.options, options, members)[0] ?? null
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
