import type { FaultKind } from './faults.ts'
import type { Setup } from './setup.ts'

/** What an algorithm claims about itself. Tests hold every claim against measurement. */
export interface Facts<Options = object> {
  /** The name in the catalogue, on the command line and of the file. */
  readonly name: string
  readonly title: string
  readonly year: number
  readonly family: 'token' | 'permission' | 'quorum' | 'multi' | 'election'
  /** Two or three sentences for a reader who has never seen it. */
  readonly idea: string
  /** Paper and section, such as `ricart-agrawala-1981 §2`. */
  readonly sources: readonly string[]
  /** How many may be inside together. */
  readonly entries: 1 | 'k'
  /** Whether shared requests may be inside together. */
  readonly sharedMode: boolean
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
  readonly messages: MessageFacts<Options>
  /** Message delays between an exit and the next entry when someone waits already. */
  readonly syncDelay: {
    readonly formula: string
    hops(setup: Setup<Options>): { readonly min: number; readonly max: number }
  }
  /** Kinds of faults under which exclusion and progress still hold. */
  readonly faults: readonly FaultKind[]
  /** Whether the network falls silent when nobody asks; a circulating token never does. */
  readonly fallsSilent: boolean
  /** Whether correctness rests on a bound on message delay. */
  readonly timing: 'any' | 'bounded'
  /** For each timer whether it is a guess about the others (a time-out) or the node's own pace (a hop, a retry). */
  readonly timers: Readonly<Record<string, 'time-out' | 'pace'>>
}

interface MessageFacts<Options> {
  /** Messages per entry as the literature writes it. */
  readonly formula: string
  /** One request at a time, every node equally likely to ask next. */
  light(setup: Setup<Options>): Prediction
  /** Every node asks again as soon as it has left. */
  heavy(setup: Setup<Options>): Prediction
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
