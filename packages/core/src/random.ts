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
  const next = sfc32(hash(label, firstSeed(seed)), hash(label, secondSeed(seed)), seed)
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

/** What `randomStream(seed, prefix + rest).below(2 ** 32)` draws first. For very many labels that begin alike. */
export function firstDraws(seed: number, prefix: string): (rest: string) => number {
  const one = absorbed(prefix, firstSeed(seed))
  const other = absorbed(prefix, secondSeed(seed))
  return (rest) => sfc32(finished(absorbed(rest, one)), finished(absorbed(rest, other)), seed)()
}

function sfc32(first: number, second: number, seed: number): () => number {
  let a = first
  let b = second
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
function hash(label: string, start: number): number {
  return finished(absorbed(label, start))
}

function firstSeed(seed: number): number {
  return 0x811c9dc5 ^ (seed % WORD)
}

function secondSeed(seed: number): number {
  return 0x811c9dc5 ^ Math.floor(seed / WORD) ^ 0x9e3779b9
}

function absorbed(text: string, start: number): number {
  let h = start | 0
  for (let i = 0; i < text.length; i += 1) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  return h
}

function finished(absorbed: number): number {
  let h = absorbed
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
