/** How fast a count rises: over the last seconds, as far as somebody looked meanwhile. */
const WINDOW_MS = 5000

export class Rate {
  #seen: readonly { readonly at: number; readonly count: number }[] = []

  /** Each second; null where it was looked at for the first time in a while. */
  perSecond(at: number, count: number): number | null {
    this.#seen = [...this.#seen.filter((earlier) => earlier.at >= at - WINDOW_MS), { at, count }]
    const [first] = this.#seen
    return first !== undefined && at > first.at ? (1000 * (count - first.count)) / (at - first.at) : null
  }
}
