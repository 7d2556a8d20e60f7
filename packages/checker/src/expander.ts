import { doubled, outOfBounds } from '@turnwise/core/bounds'
import { BeyondReach } from './beyond-reach.ts'
import { labelOf } from './edges.ts'
import type { Instance } from './instance.ts'
import { Vocabulary, type Words } from './vocabulary.ts'
import { decodeWorld, encodeWorld, MOST_BYTES, type WrittenWorlds } from './world-bytes.ts'
import { type Bound, MOST_NUMBERS } from './world-layout.ts'
import { Worlds } from './worlds.ts'

/** States to be expanded, in their order, and what is new in them. Plain data: it can be sent to another thread. */
export interface Work extends WrittenWorlds {
  readonly words: Words
}

/** The result of a piece of work: the worlds one step away from each state, in the order in which they are found. */
export interface Expansion extends WrittenWorlds {
  readonly words: Words
  /** For each state, how many steps leave it. */
  readonly counts: Uint32Array<ArrayBuffer>
  /** For each step, what `Edges` keeps of it. */
  readonly labels: Uint16Array<ArrayBuffer>
  /** States, by their place in the work, in which only requests and trouble can happen. */
  readonly standstills: readonly number[]
  /** Steps, by their place in the expansion, on which a rule of the algorithm was found broken. */
  readonly broken: readonly { readonly step: number; readonly reason: string }[]
  /** The last state of `counts` has a step to a world that is too large to hold; those after it were left alone. */
  readonly isBeyondReach: boolean
  /** Why the first of the steps that were left out was left out; null if none was. */
  readonly boundPassed: Bound | null
}

/**
 * The half of a search that can run elsewhere: finds the worlds one step away, while the owner of the known states looks up
 * earlier results. It expands states in the same order as a search alone, so that every world has the same numbers.
 */
export class Expander {
  readonly #worlds: Worlds
  readonly #vocabulary: Vocabulary
  readonly #world = new Int32Array(MOST_NUMBERS)
  readonly #found = new FoundWorlds()
  #boundPassed: Bound | null = null

  constructor(instance: Instance) {
    this.#worlds = new Worlds(instance, { followFences: false, concrete: false })
    this.#vocabulary = new Vocabulary(this.#worlds)
  }

  expand({ words, bytes, sizes }: Work): Expansion {
    this.#vocabulary.learn(words)
    this.#found.clear()
    this.#boundPassed = null
    const counts = new Uint32Array(sizes.length)
    const standstills: number[] = []
    const broken: { step: number; reason: string }[] = []
    let at = 0
    let done = 0
    let isBeyondReach = false
    while (done < sizes.length && !isBeyondReach) {
      const before = this.#found.length
      const size = decodeWorld(bytes, at, at + (sizes[done] ?? outOfBounds()), this.#world)
      at += sizes[done] ?? outOfBounds()
      isBeyondReach = !this.#expandState(size, broken)
      if (!isBeyondReach && !this.#worlds.couldProgress) standstills.push(done)
      counts[done] = this.#found.length - before
      done += 1
    }
    return {
      ...this.#found.written(),
      words: this.#vocabulary.news(),
      counts: counts.slice(0, done),
      standstills,
      broken,
      isBeyondReach,
      boundPassed: this.#boundPassed,
    }
  }

  /** False if a world is too large to hold. */
  #expandState(size: number, broken: { step: number; reason: string }[]): boolean {
    const { step } = this.#worlds
    const found = this.#found
    try {
      this.#worlds.expand(this.#world, size, (next, nextSize) => {
        const bound = this.#worlds.layout.boundPassed(next, nextSize)
        if (bound !== null) {
          this.#boundPassed ??= bound
          return
        }
        const reason = step.outcome === null ? null : step.outcome.broke
        if (reason !== null) broken.push({ step: found.length, reason })
        found.add(next, nextSize, labelOf(step.messages, step.entered ? step.node : -1))
      })
      return true
    } catch (error) {
      if (!(error instanceof BeyondReach)) throw error
      return false
    }
  }
}

/** Worlds written one after the other, with a label each; the room for them is used again and again. */
class FoundWorlds {
  length = 0
  #used = 0
  #bytes = new Uint8Array(1 << 18)
  #sizes = new Uint16Array(1 << 14)
  #labels = new Uint16Array(1 << 14)

  clear(): void {
    this.length = 0
    this.#used = 0
  }

  add(world: Int32Array, size: number, label: number): void {
    if (this.length === this.#sizes.length) {
      this.#sizes = doubled(this.#sizes)
      this.#labels = doubled(this.#labels)
    }
    if (this.#used + MOST_BYTES > this.#bytes.length) this.#bytes = doubled(this.#bytes)
    const end = encodeWorld(world, size, this.#bytes, this.#used)
    this.#sizes[this.length] = end - this.#used
    this.#labels[this.length] = label
    this.#used = end
    this.length += 1
  }

  /** Copies of what was added. */
  written(): WrittenWorlds & { readonly labels: Uint16Array<ArrayBuffer> } {
    return {
      bytes: this.#bytes.slice(0, this.#used),
      sizes: this.#sizes.slice(0, this.length),
      labels: this.#labels.slice(0, this.length),
    }
  }
}
