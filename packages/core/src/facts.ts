import type { FaultKind } from './faults.ts'
import type { Setup } from './setup.ts'

/** The claims of every algorithm and election. Tests compare every claim with measurements. */
export interface ProtocolFacts {
  /** The name in the catalogue, on the command line and of the file. */
  readonly name: string
  readonly title: string
  readonly year: number
  readonly family: 'token' | 'permission' | 'quorum' | 'multi' | 'zones' | 'election'
  /** Two or three sentences for a reader who has never seen it. */
  readonly idea: string
  /** Paper and section, such as `ricart-agrawala-1981 §2`. */
  readonly sources: readonly string[]
  readonly channels: 'fifo' | 'unordered'
  /** Present where the algorithm speaks through `here.broadcast`. */
  readonly medium?: 'broadcast' | 'ordered broadcast'
  /** The channels it needs: between every two nodes, along a ring, along a tree, or any connected graph. */
  readonly topology: 'complete' | 'ring' | 'tree' | 'connected'
  /** What a node must know of the others at the start. */
  readonly knows: 'everyone' | 'neighbours' | 'quorum' | 'coordinator'
  /** Whether the nodes ask fixed quorums, which the setup then provides. */
  readonly quorums: boolean
  /** Present where it realizes any information structure, which the setup then provides. */
  readonly structure?: true
  /** Present where nodes belong to zones, as many as its option `zones` says (`zones.ts`). */
  readonly zones?: true
  /** Kinds of faults under which its promises still hold. */
  readonly faults: readonly FaultKind[]
  /** How many nodes may crash in all, where that is bounded. */
  readonly mostCrashes?: number
  /** Whether correctness rests on a bound on message delay. */
  readonly timing: 'any' | 'bounded'
  /**
   * Whether time-outs may fire at any moment without harm, but so make the search endless, since each makes another
   * world. A search then lets them fire only when nothing else can happen, unless it is told otherwise.
   */
  readonly endlessTimeouts?: boolean
  /**
   * For each timer: a guess about the others (a time-out); a guess that is longer than messages take but not longer
   * than a node may stay inside (a round trip); or the node's own pace (a hop, a retry).
   */
  readonly timers: Readonly<Record<string, 'time-out' | 'round-trip' | 'pace'>>
  /**
   * Present if the published algorithm is known to fail, and stays in the catalogue as a lesson: the property that the
   * checker finds broken, and when. If every node always asks, the property must hold.
   */
  readonly knownToFail?: { readonly property: 'no-deadlock'; readonly when: string }
}

/** What a mutual exclusion algorithm claims about itself. */
export interface Facts<Options = object> extends ProtocolFacts {
  /** How many may be inside together. */
  readonly entries: 1 | 'k'
  /** Present where a request may be for several resources: nodes whose requests have none in common may be inside together. */
  readonly resources?: true
  /** Whether shared requests may be inside together. */
  readonly sharedMode: boolean
  readonly messages: MessageFacts<Options>
  /** Message delays between an exit and the next entry when someone waits already. */
  readonly syncDelay: {
    readonly formula: string
    hops(setup: Setup<Options>): { readonly min: number; readonly max: number }
  }
  /**
   * Present where the nodes that wait stand in one line: how many exclusive entries at most come after a request got into it and before
   * its own. Until then it is under way, or kept by a node, and this says nothing.
   */
  readonly overtakenInLine?: { readonly formula: string; most(setup: Setup<Options>): number }
  /** Whether the network falls silent when no node asks. With a circulating token it never does. */
  readonly fallsSilent: boolean
}

/** What an election claims about itself. */
export interface ElectionFacts<Options = object> extends ProtocolFacts {
  readonly family: 'election'
  readonly messages: {
    /** Messages per election as the literature writes it. */
    readonly formula: string
    /** One living node, each equally likely, calls an election. The nodes of `setup.dead` are dead. */
    one(setup: Setup<Options>): Prediction
    /** Every living node calls one at the same time. */
    all(setup: Setup<Options>): Prediction
  }
}

interface MessageFacts<Options> {
  /** Messages per entry as the literature writes it. */
  readonly formula: string
  /** Present where the formula has letters, besides n, whose values the setup decides. */
  letters?(setup: Setup<Options>): Readonly<Record<string, FormulaLetter>>
  /** One request at a time, every node equally likely to ask next. */
  light(setup: Setup<Options>): Prediction
  /** Every node asks again as soon as it has left. */
  heavy(setup: Setup<Options>): Prediction
  /** Present if the start sends messages that belong to no entry: how many in all. */
  readonly start?: {
    light(setup: Setup<Options>): Prediction
    heavy(setup: Setup<Options>): Prediction
  }
}

/** A letter of a formula. */
export interface FormulaLetter {
  /** What it counts, in few words; absent where the formula says it. */
  readonly what?: string
  /** Its bounds over all nodes. */
  readonly min: number
  readonly max: number
}

/**
 * A formula with the values that its letters have in a setup: "3(K-1) to 7(K-1), quorum size K = 4". They stand in the place of ", K the
 * size of a quorum"; without such words, at the end.
 */
export function formulaWith(formula: string, letters: Readonly<Record<string, FormulaLetter>>): string {
  const values = Object.entries(letters).map(([name, { what, min, max }]) => ({
    explained: `, ${name} the `,
    told: `${what === undefined ? '' : `${what} `}${name} = ${min === max ? min : `${min} to ${max}`}`,
  }))
  const text = values.reduce((words, { explained, told }) => {
    const [before = '', after] = words.split(explained)
    return after === undefined ? words : `${before}, ${told}${after.replace(/^[^,;]*/, '')}`
  }, formula)
  const others = values.filter(({ explained }) => !formula.includes(explained)).map(({ told }) => told)
  return [text, others.join(', ')].filter((part) => part !== '').join('; ')
}

/** Messages per entry, averaged over a run: its bounds, and its expectation where a closed form is known. */
export interface Prediction {
  readonly min: number
  readonly max: number
  readonly mean: number | null
}

/** A prediction without doubt: every run costs exactly this. */
export function exactly(messages: number): Prediction {
  return { min: messages, max: messages, mean: messages }
}

/** H(m) = 1 + 1/2 + … + 1/m. */
export function harmonic(m: number): number {
  let sum = 0
  for (let i = m; i > 0; i -= 1) sum += 1 / i
  return sum
}

export function hasTimeouts({ timers }: ProtocolFacts): boolean {
  return Object.values(timers).some((kind) => kind !== 'pace')
}

/** When time-outs fire in a search by default. */
export function searchTiming({ timing, endlessTimeouts }: ProtocolFacts): 'any' | 'bounded' {
  return endlessTimeouts ? 'bounded' : timing
}
