/** A proof of one algorithm: its model, what is assumed, and how a world of the text that runs is seen as a state of the model. */
import type { AnyAlgorithm, Message, Mode, NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import type { Sizes } from './logic/finite.ts'
import type { SymbolOf } from './logic/formula.ts'
import type { Model } from './model.ts'

export interface Proof<State = object, M extends Message = Message> {
  /** The text that runs. */
  readonly algorithm: AnyAlgorithm
  readonly model: Model
  /** What is assumed, beside what the model says itself. */
  readonly assumes: readonly string[]
  /** What the text can do and the model does not speak of. */
  readonly leavesOut: readonly string[]
  /** Writes down the state of the model that a world of the text is. */
  see(world: SeenWorld<State, M>, note: Notes): void
  /**
   * How many steps of the model one step of the text may be, all at the node of their first parameter: a handler that takes a message in and enters is
   * two. The model then allows more, since others may act in between. Default 1.
   */
  readonly together?: number
  /** Worlds of which each must be a state of the model, and each step one of its steps or none. */
  readonly tied: readonly TiedInstance[]
  /** Larger ones, for `TURNWISE_LONG=1`. */
  readonly further?: readonly TiedInstance[]
  /** The same model with a rule changed. Each must be refuted. */
  readonly broken: readonly BrokenModel[]
}

/** A world as the checker holds it. */
export interface SeenWorld<State, M> {
  readonly setup: Setup
  readonly nodes: readonly {
    readonly node: NodeId
    readonly state: State
    readonly inside: boolean
    readonly waiting: boolean
  }[]
  /** Messages under way. Those of one channel stand in the order in which they were sent, if channels keep order. */
  readonly mail: readonly { readonly from: NodeId; readonly to: NodeId; readonly message: M }[]
  /** How many elements each sort has. */
  readonly sizes: Sizes
}

/** What is not noted does not hold, or is element 0. */
export interface Notes {
  /** The relation holds there. */
  holds(relation: Named, ...at: number[]): void
  /** The function has that value there. */
  is(mapping: Named, value: number, ...at: number[]): void
}

/** A relation or a function. */
interface Named {
  readonly symbol: SymbolOf
}

export interface TiedInstance {
  readonly nodes: number
  /** How often each node asks. */
  readonly requests: number
  /** How many of the nodes ask, the first ones. Default all. */
  readonly askers?: number
  /** Which requests are to share. Default none. */
  readonly readers?: 'none' | 'some'
  /** What each node asks for. Default whatever `readers` allows. */
  readonly modes?: readonly Mode[]
  /** Whether a writer may go on as a reader. Default false. */
  readonly downgrades?: boolean
  /** Whether a request may be for an update. Default false. */
  readonly updates?: boolean
  /** How many priorities a request may have. Default 1. */
  readonly priorities?: number
  /** How many requests in all may be withdrawn. Default none. */
  readonly withdrawals?: number
  /** Options of the algorithm, each as `name=value`. */
  readonly set?: readonly string[]
  /** Which quorums, where the default is not meant: that of each node. */
  readonly quorums?: readonly (readonly NodeId[])[]
  /** Which information structure, as the command line takes it, where the default is not meant. */
  readonly structure?: string
  /** How many elements the other sorts have. */
  readonly sizes: Sizes
}

export interface BrokenModel {
  /** With the name of the algorithm in front, it is one of the broken variants where there is one of that rule. */
  readonly name: string
  /** The rule that is changed. */
  readonly rule: string
  readonly model: Model
  /** The step and the clause that it breaks. */
  readonly breaks: { readonly step: string; readonly clause: string }
}
