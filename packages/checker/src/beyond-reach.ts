/** Thrown where an instance outgrows what the checker can hold; the search is then cut short, never passed. */
export class BeyondReach extends Error {
  override readonly name = 'BeyondReach'
}
