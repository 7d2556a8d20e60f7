/** What a mesh at a meeting place costs by its number of members. Tests hold it against the protocol in virtual time. */

/** M5: members that come within so many seconds are taken in together. */
const GATHERING = 0.2
/** A write for each renewal, of which there are five in two leases (M1). */
const WRITES_PER_LEASE = 2.5
/**
 * From the proposer to all members, and back, three times. Beside that, what the new member and the proposer say to each other, and
 * two drafts.
 */
const MESSAGES_PER_MEMBER = 6
const MESSAGES_BESIDE = 12
/** On the way while nobody is let in. */
const MESSAGES_OF_A_PAUSE = 4

/** While nothing happens, in a second. */
export function idleWrites(members: number, lease: number): number {
  return (WRITES_PER_LEASE * members * 1000) / lease
}

export function messagesOfView(members: number): number {
  return MESSAGES_PER_MEMBER * members + MESSAGES_BESIDE
}

/** Milliseconds, if a message takes so long. */
export function pauseOfView(delay: number): number {
  return MESSAGES_OF_A_PAUSE * delay
}

/**
 * If so many come and so many go in a minute, at any time and in good order. From one view to the next: nothing happens for a while. Then a member goes,
 * and the view follows at once. Or one comes, with the same chance, and the others wait for more to come, unless one goes meanwhile.
 */
export function viewsPerHour(perMinute: number): number {
  const rate = perMinute / 60
  const quiet = 1 / (2 * rate)
  const gathered = (1 - Math.exp(-rate * GATHERING)) / rate
  return 3600 / (quiet + gathered / 2)
}

/** The share of the time in which nobody is let in. */
export function pausedShare(perMinute: number, delay: number): number {
  return (viewsPerHour(perMinute) * pauseOfView(delay)) / 3_600_000
}
