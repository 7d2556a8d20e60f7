/** What is left of the trouble that the bounds allow, packed into one number of a world. */
export interface Trouble {
  readonly restarts: number
  readonly lostDisks: number
  readonly ticks: number
  /** One bit for each whose clock may still miss a tick. */
  readonly slow: number
}

export function packTrouble({ restarts, lostDisks, ticks, slow }: Trouble): number {
  return restarts + 4 * lostDisks + 16 * ticks + 1024 * slow
}

/** No disk can be lost from here on. */
export function remembers(packed: number): boolean {
  return (packed & 12) === 0
}

export function readTrouble(packed: number): Trouble {
  return { restarts: packed & 3, lostDisks: (packed >> 2) & 3, ticks: (packed >> 4) & 63, slow: packed >> 10 }
}
