/**
 * Rounds in which everyone was served too late, and which only a stall of the machine excuses. A mesh that does not settle
 * looks the same, so a run of such rounds proves nothing of service.
 */

/** More than this share of the rounds is too much. */
const MOST_EXCUSED = 0.2
/** So many are excused in any run, however short. */
const FREE = 1

/** `served` and `patience`: how long after the repair all were served, and had to be. Null: they were not. */
export function isExcused(served: number | null, patience: number, isFinding: boolean): boolean {
  return !isFinding && (served === null || served > patience)
}

/** What is wrong with so many of so many, or null. */
export function tooManyExcused(excused: number, rounds: number): string | null {
  if (excused <= Math.max(FREE, Math.floor(MOST_EXCUSED * rounds))) return null
  const most = `one round and ${MOST_EXCUSED * 100} % of a run may be`
  return `a stall of the machine excuses ${excused} of ${rounds} rounds, and at most ${most}`
}
