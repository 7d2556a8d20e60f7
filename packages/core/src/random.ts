/**
 * Seeded random numbers, the same on every engine: only 32-bit integer arithmetic decides what is drawn.
 * The generator is sfc32 (Doty-Humphrey, PractRand). Each use draws from a stream of its own, named by a
 * label, so that adding a fault to a run does not change its latencies.
 */
export interface Random {
  /** A whole number from 0 to bound - 1, each equally likely. */
  below(bound: number): number
  /** A multiple of 2^-53 in [0, 1). */
  fraction(): number
  /** True with the given probability. */
  chance(probability: number): boolean
}

const WORD = 0x1_0000_0000

export function randomStream(seed: number, label: string): Random {
  const next = sfc32(seed, label)
  const fraction = () => ((next() >>> 5) * 67_108_864 + (next() >>> 6)) / 9_007_199_254_740_992
  return {
    below(bound) {
      if (!(Number.isSafeInteger(bound) && bound > 0 && bound <= WORD)) {
        throw new RangeError(`cannot draw below ${bound}`)
      }
      // Draws in the last, incomplete stretch are thrown away, or small results would be favoured.
      const limit = WORD - (WORD % bound)
      let drawn = next()
      while (drawn >= limit) drawn = next()
      return drawn % bound
    },
    fraction,
    chance: (probability) => fraction() < probability,
  }
}

function sfc32(seed: number, label: string): () => number {
  let a = hash(label, seed % WORD)
  let b = hash(label, Math.floor(seed / WORD) ^ 0x9e3779b9)
  let c = seed | 0
  let counter = 1
  const next = () => {
    const result = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + result) | 0
    return result >>> 0
  }
  for (let i = 0; i < 15; i += 1) next()
  return next
}

/** FNV-1a over the label, then a finalizer so that neighbouring seeds share nothing. */
function hash(label: string, seed: number): number {
  let h = (0x811c9dc5 ^ seed) | 0
  for (let i = 0; i < label.length; i += 1) h = Math.imul(h ^ label.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** `count` different numbers below `bound`, in rising order, every choice equally likely (Floyd's method). */
export function sample(random: Random, count: number, bound: number): number[] {
  const chosen = new Set<number>()
  for (let top = bound - count; top < bound; top += 1) {
    const drawn = random.below(top + 1)
    chosen.add(chosen.has(drawn) ? top : drawn)
  }
  return [...chosen].toSorted((a, b) => a - b)
}
