import type { Marks } from '../src/protocol/state.ts'

/** Marks that anybody could make: no test of the rules guesses them. */
export function marksFor(voterId: string): Marks {
  const of: Marks['of'] = ({ k, promised, accepted }) => `${voterId}:${k}:${promised}:${accepted}`
  return { of, isOwn: (word) => word.mark === of(word) }
}
