/**
 * The contract between an algorithm and the world it runs in.
 *
 * An algorithm is a value: facts, an initial state per node, and one handler per event. A handler is atomic.
 * It is given the node's state, which it changes in place, and `here`, through which it acts. It reads no
 * clock and draws no random number except through `here`. The host (simulator, checker, mesh, page) owns
 * time, delivery, failure and randomness. That is why the same text can be simulated, checked, drawn and run.
 *
 * What a host promises:
 *  1. `init` is called once per node before any event, with the same `setup` for all; then `start`, once per node.
 *  2. At most one request of a node is outstanding: `request` is not called again before the `release` (or
 *     the `withdraw`) that ends the last one. Callers queue in front of the algorithm, not inside it.
 *  3. `release` follows an `enter`, never inside the handler that entered.
 *  4. A message that is delivered is delivered as it was sent, and stays as it is: all receivers share it, so a handler
 *     copies what it wants to change.
 *  5. If an algorithm has no `withdraw` handler and the caller gives up, the node is released as soon as it enters.
 *  6. Events of one node are never handled at the same time.
 *  7. Nodes and channels come and go by events; `setup` stays what the world began with. A node of
 *     `setup.absent` handles nothing before its `join`, which takes the place of `start`. A node that is told to `leave` has no request
 *     outstanding and gets none any more. It goes on handling messages until no message from or to it is under
 *     way and no timer or step of it is pending: then it is gone. So it is the algorithm that ends a departure,
 *     by telling the others to stop sending; what is sent to a node that is not there comes back `undelivered`.
 *  8. Where a channel comes or goes, each end that is there hears of it once, by `linked` or `unlinked`: a node
 *     that joins after its `join`, a crashed one after its `restart`; the neighbours of a node that is gone too.
 *     A message on a channel that is gone when it would arrive comes back `undelivered`, after `unlinked`.
 *  9. A caller that waits at a node when it is released asks before the steps of that release (`here.proceed`): a request
 *     may go with what leaves. In the simulator a caller that asks again in the same tick does too. In a mesh a caller
 *     that asks only after its release is too late. This affects only the cost, and the checker tries every order.
 * 10. `downgrade` is called at a node that is inside and does not share, `upgrade` at one that is inside to update; neither inside the handler
 *     that entered. A node that was told to upgrade is not released or downgraded before it has entered again, or its caller has given
 *     up: then `withdraw` is called, and it is inside to update as before. Only an algorithm with `upgrade` is asked for an update.
 *
 * What an algorithm promises:
 *  1. Its state is plain data: numbers, strings, booleans, null, arrays, plain objects. It is hashed, copied,
 *     printed, compared and drawn.
 *  2. A variable that has lost its meaning is reset (to null, false or an empty list), so that equal
 *     situations are equal states. The checker's state count depends on it.
 *  3. It sends nothing to itself: it acts at once instead.
 *  4. A handler that changes anything says why (`here.because`), and two branches never in the same words.
 */
import type { ElectionFacts, Facts, ProtocolFacts } from './facts.ts'
import type { OptionSpecs } from './options.ts'
import type { ReasonValues } from './reason.ts'
import type { Setup } from './setup.ts'
import type { DataShapes, Shapes } from './shape.ts'

/** Nodes are numbered 0 to n-1 in every option, file and trace. */
export type NodeId = number

/** Resources are numbered 0 to `setup.resources` - 1. Where there is one, it is the lock. */
export type ResourceId = number

/**
 * Shared entries may be inside together; an exclusive entry is inside alone. One that may become exclusive (`update`) is inside
 * beside shared ones, and beside no other of its kind.
 */
export type Mode = 'exclusive' | 'shared' | 'update'

/** What a caller asks for. Algorithms that know one mode, no priorities and one resource ignore it. */
export interface Ask {
  readonly mode: Mode
  /** Larger is more urgent; 0 is ordinary. */
  readonly priority: number
  /** The resources it wants together, each once, in the order in which the caller names them. Absent: the one lock, resource 0. */
  readonly resources?: readonly ResourceId[]
}

/** A place in the line of those who wait. */
export interface LinePlace {
  readonly node: NodeId
  readonly mode: Mode
  /** How urgent it is; absent if that is 0. */
  readonly level?: number
  /** How many places from behind were served before it; absent if none was. */
  readonly passed?: number
}

/** What one node knows of the line. */
export interface LinePart {
  /** Whether the line begins here. The places of other nodes join its end when their turn comes. */
  readonly isHead: boolean
  readonly places: readonly LinePlace[]
  /** How many turns the zone of this node has taken before others; 0 without zones. */
  readonly turns: number
}

/** A message is plain data with a type in the paper's words. */
export interface Message {
  readonly type: string
}

/** What a handler sees of the world and does to it, at the node where the event happens. */
export interface Here<M extends Message = Message, Options = object> {
  readonly self: NodeId
  /** What all nodes have in common. Never changed, never copied. */
  readonly setup: Setup<Options>
  /** Sends one message over the channel to another node. */
  send(to: NodeId, message: M): void
  /** Sends one message to each of the other n-1 nodes, in the order of their numbers: n-1 messages. */
  sendToOthers(message: M): void
  /**
   * Puts one message on a broadcast medium: counted once, heard by all. On an ordered medium all nodes, including the
   * sender, hear all broadcasts in one order. On any other medium the sender does not hear itself.
   */
  broadcast(message: M): void
  /**
   * The critical section is granted. The fence rises with every grant of this lock, or of each of the resources that are granted; for k
   * entries see `Shapes.fence`.
   */
  enter(fence: number): void
  /** An election has a result, as this node sees it. */
  elected(coordinator: NodeId): void
  /** Starts a timer, or starts it anew; the delay is in units of time. */
  setTimer(timer: string, delay: number): void
  cancelTimer(timer: string): void
  /** Schedules an immediate event at this node, for an action that the paper does not make indivisible. */
  proceed(step: string): void
  /** A whole number from 0 to bound - 1. The checker tries all of them. */
  random(bound: number): number
  /**
   * Says why this handler does what it does, for people (`reason.ts`). Only a host that records it has this, so a rule calls
   * `here.because?.('…', {…})`: elsewhere nothing is computed. Nothing a node does may depend on it.
   */
  because?(words: string, values?: ReasonValues): void
}

/**
 * A handler is a method, so that an algorithm with its own state and messages fits where any algorithm is expected.
 * Hosts hold states and messages without looking into them.
 */
type Handler<Arguments extends unknown[]> = { handle(...event: Arguments): void }['handle']

/** Methods, for the same reason as above. */
interface Tokens<State, M extends Message> {
  held(state: State, resource?: ResourceId): number
  carried(message: M, resource?: ResourceId): number
  /**
   * For algorithms that replace a lost token: whether the receiver, in its current state, will discard the token in
   * this message. Such a token no longer counts. A token that a node holds always counts.
   */
  isVoid?(message: M, receiver: State, from: NodeId, to: NodeId): boolean
}

/** For people who wait: their places, if the algorithm knows them. No rule uses it. Methods, for the same reason as above. */
export interface Line<State, Options> {
  at(state: State, self: NodeId, setup: Setup<Options>): LinePart
  /** Takes the place that node SELF serves next out of the line. Without this it is the first. */
  take?(line: WholeLine, self: NodeId, setup: Setup<Options>): LinePlace
}

/** A line that changes as its places are taken. It is not empty. */
export interface WholeLine {
  queue: LinePlace[]
  turns: number
}

/** A message under way. */
export interface Posted<M extends Message> {
  readonly from: NodeId
  readonly to: NodeId
  readonly message: M
}

/** What a mutual exclusion algorithm and an election have in common. Optional events are declared by having a handler. */
export interface Protocol<State, M extends Message, Options> {
  readonly facts: ProtocolFacts
  /** What `--set NAME=VALUE` may change, with defaults. */
  readonly options: OptionSpecs<Options>
  /** Which fields hold node numbers and which hold clock values: the checker renames and shifts them. */
  readonly shapes: DataShapes<State, M>

  /** Where the paper has tokens: how many a node holds, and how many a message carries: of one resource, or of all. */
  readonly tokens?: Tokens<State, M>

  init(self: NodeId, setup: Setup<Options>): State
  /** The world begins. Nothing is under way and no node has asked. A node can only start its own timers. */
  start?(state: State, here: Pick<Here<M, Options>, 'self' | 'setup' | 'setTimer'>): void

  readonly receive: {
    readonly [Type in M['type']]: Handler<
      [state: State, here: Here<M, Options>, message: Extract<M, { type: Type }>, from: NodeId]
    >
  }
  timeout?(state: State, here: Here<M, Options>, timer: string): void
  /** The event that `here.proceed(step)` scheduled. */
  proceed?(state: State, here: Here<M, Options>, step: string): void

  /** The failure detector believes that `peer` has failed, or no longer does. */
  suspect?(state: State, here: Here<M, Options>, peer: NodeId): void
  restore?(state: State, here: Here<M, Options>, peer: NodeId): void
  /** A message this node sent could not be handed to `to`. */
  undelivered?(state: State, here: Here<M, Options>, to: NodeId, message: M): void
  /** This node runs again after a crash; without memory its state is fresh from `init`. */
  restart?(state: State, here: Here<M, Options>, memory: boolean): void

  /**
   * This node enters a running system. Its state is fresh from `init`; it knows its sponsor, a present node (null: it
   * has none). `linked` will tell it its channels, one by one, as it tells the others.
   */
  join?(state: State, here: Here<M, Options>, sponsor: NodeId | null): void
  /** This node must leave, and has no request outstanding. It stays until nothing of it is under way. */
  leave?(state: State, here: Here<M, Options>): void
  /** A channel to `peer` now exists, or is gone. */
  linked?(state: State, here: Here<M, Options>, peer: NodeId): void
  unlinked?(state: State, here: Here<M, Options>, peer: NodeId): void
}

/** A mutual exclusion algorithm. */
export interface Algorithm<State, M extends Message, Options = object> extends Protocol<State, M, Options> {
  readonly facts: Facts<Options>
  readonly shapes: Shapes<State, M>
  /** Where nodes know who is next. */
  readonly line?: Line<State, Options>
  /** Of a node that waits: other nodes that wait and, as it knows, enter only after it has left. None of them ceases to before. */
  behind?(state: State): readonly NodeId[]
  /**
   * For the checker (`--settle`); no rule uses it. Tells of each message under way whether it is settled: it makes no difference any more when
   * it arrives. Its receipt sends nothing and lets nobody in, and leads to the same world before any other step as after it.
   */
  settled?(
    states: readonly State[],
    underWay: readonly Posted<M>[],
    setup: Setup<Options>,
  ): readonly boolean[]

  request(state: State, here: Here<M, Options>, ask: Ask): void
  release(state: State, here: Here<M, Options>): void
  /** The caller no longer wants to enter. Only called while waiting. */
  withdraw?(state: State, here: Here<M, Options>): void
  /** From now on the caller that is inside here shares: those who wait to share may enter beside it. Without it the stay ends as it began. */
  downgrade?(state: State, here: Here<M, Options>): void
  /** The caller that is inside to update wants to be alone. The node enters once more when all others have left; nobody comes in before. */
  upgrade?(state: State, here: Here<M, Options>): void
  /** Whether a node can enter while only these nodes are up, if `setup.quorums` does not say it. */
  enough?(setup: Setup<Options>, up: readonly NodeId[]): boolean
}

/**
 * An election: no critical section, and a result instead of an entry. A host calls `elect` at a node that wants a
 * coordinator and has no open election. The election ends with the node's next `here.elected`. A node may also learn of
 * a result it did not ask for, and of another one later.
 */
export interface Election<State, M extends Message, Options = object> extends Protocol<State, M, Options> {
  readonly facts: ElectionFacts<Options>
  elect(state: State, here: Here<M, Options>): void
}

/** An algorithm as a host holds it: states and messages are opaque to it. */
export type AnyAlgorithm = Algorithm<object, Message>
export type AnyElection = Election<object, Message>
export type AnyProtocol = AnyAlgorithm | AnyElection

export function isElection(protocol: AnyProtocol): protocol is AnyElection {
  return 'elect' in protocol
}

/** Everything that a host calls for an event. `receive` has one handler more for each type of message. */
export const HANDLERS = [
  'request',
  'release',
  'withdraw',
  'downgrade',
  'upgrade',
  'elect',
  'timeout',
  'proceed',
  'suspect',
  'restore',
  'undelivered',
  'restart',
  'join',
  'leave',
  'linked',
  'unlinked',
] as const satisfies readonly (keyof AnyAlgorithm | keyof AnyElection)[]

/** The handler of a type of message. Hosts deliver no others. */
export function receiver(protocol: AnyProtocol, type: string): Handler<[object, Here, Message, NodeId]> {
  const handler = protocol.receive[type]
  if (handler === undefined) throw new Error(`${protocol.facts.name} has no message ${type}`)
  return handler
}

/** Thrown by a handler for what its paper proves cannot happen. Hosts report it as a violation. */
export class ImpossibleError extends Error {
  override readonly name = 'ImpossibleError'
}

export function impossible(what: string): never {
  throw new ImpossibleError(what)
}
