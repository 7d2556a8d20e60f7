/** Thrown if an instance is too large for the checker. The search is then cut short and proves nothing. */
export class BeyondReach extends Error {
  override readonly name = 'BeyondReach'
}
