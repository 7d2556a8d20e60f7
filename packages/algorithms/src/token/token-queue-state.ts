/** What nodes of token-queue.ts know and say. */
import { type Here, impossible, type Mode, type NodeId } from '@turnwise/core/algorithm'
import type { OptionSpecs } from '@turnwise/core/options'
import { PASSES_IN_MESH } from '@turnwise/core/priorities'
import type { Setup } from '@turnwise/core/setup'
import type { Shapes } from '@turnwise/core/shape'

/** A place in line. */
export interface Place {
  readonly node: NodeId
  readonly mode: Mode
  /** LEVEL: a higher one is served first; absent if it is 0. */
  readonly level?: number
  /** PASSED: how many places from behind were served before it; absent if none was. */
  readonly passed?: number
}

export function placeOf(node: NodeId, mode: Mode, level = 0): Place {
  return level === 0 ? { node, mode } : { node, mode, level }
}

export interface Options {
  passes: number
  zones: number
  localTurns: number
}

export const options: OptionSpecs<Options> = {
  passes: {
    kind: 'integer',
    default: 0,
    inMesh: PASSES_IN_MESH,
    min: 0,
    passing: true,
    title: 'Urgent requests may pass',
    about:
      'how often a more urgent request may go before one that waits; 0: all requests are equal; in a mesh 64',
  },
  zones: {
    kind: 'integer',
    default: 1,
    min: 1,
    title: 'Zones',
    about:
      'how many zones of consecutive nodes there are; turns stay in a zone if passes and localTurns allow it',
  },
  localTurns: {
    kind: 'integer',
    default: 20,
    min: 0,
    title: 'Turns of a zone in a row',
    about: 'how many turns a zone takes before others that wait, once the token is there',
  },
}

export type Message =
  /**
   * The origin wants to enter. The sender may only have passed it on. HOPS: how often it was sent, if it is to read. LEVEL: as in
   * `Place`. LEFT: how often it is still sent after the token, and VIA: the node to which it goes back then; both absent unless it is
   * urgent. LEFT is 0 once it is back.
   */
  | {
      readonly type: 'request'
      readonly origin: NodeId
      readonly mode: Mode
      readonly hops: number | null
      readonly level?: number
      readonly via?: NodeId
      readonly left?: number
    }
  /** You own the lock, and may write when so many copies more have come back to you. The rest of the line is yours. */
  | {
      readonly type: 'token'
      readonly fence: number
      readonly places: readonly Place[]
      readonly missing: number
      /** TURNS, if there were any. */
      readonly turns?: number
    }
  /** You may read until I or a later owner has this recalled. */
  | { readonly type: 'copy'; readonly fence: number }
  /** Give your copy back to the writer, when your reader has left. */
  | { readonly type: 'recall'; readonly writer: NodeId }
  /** My copy; and my place, if I ask again in the same moment. */
  | { readonly type: 'returned'; readonly asks: Mode | null; readonly level?: number }

export interface State {
  /** WHERE: whom to ask; null where requests are absorbed: at the owner, and at a node that has asked for the token. */
  where: NodeId | null
  /** ASKED: what our request that is out is for. It outlives the caller that gives up. */
  asked: Mode | null
  /** WAITS: what our caller waits for. */
  waits: Mode | null
  /** LEVEL: how urgent that is; 0 if nobody waits. */
  level: number
  /** INSIDE: what our caller is inside for. */
  inside: Mode | null
  /** QUEUE: the line at the owner; elsewhere the places absorbed here. */
  queue: Place[]
  /** The last exclusive fence, at the owner; null elsewhere. To have it is to own the token. */
  fence: number | null
  /** COPIES: who has a copy, at the owner; null if nobody has, and elsewhere. */
  copies: boolean[] | null
  /** TURNS: how many turns the zone of the owner has taken before others, since the token came from another zone; 0 elsewhere. */
  turns: number
  /** MISSING: how many copies have yet to come back to us; below zero where they came before the token. */
  missing: number
  /** LEAVING: the token or a recalled copy goes by the next step. */
  leaving: boolean
  /** RIDES: our request goes with that copy. */
  rides: boolean
  /** BENT: a writer's request went by since we asked to read, and WHERE follows it. */
  bent: boolean
  /** COPY: the fence of the copy here. */
  copy: number | null
  /** TRAIL: to whom the token went from here, or lay at first; null at the owner, and while all requests are equal (`passes` is 0). */
  trail: NodeId | null
  /** BYPASSED: how many urgent requests we have let go past us, since we asked. */
  bypassed: number
  /** RECALLED: the writer to whom our copy goes. */
  recalled: NodeId | null
}

const PLACES = { list: { fields: { node: 'node', mode: 'data', level: 'data', passed: 'data' } } } as const
const FENCE = { clock: 'fence' } as const

export const shapes: Shapes<State, Message> = {
  state: {
    where: 'node',
    asked: 'data',
    waits: 'data',
    level: 'data',
    inside: 'data',
    queue: PLACES,
    fence: FENCE,
    copies: { perNode: 'data' },
    turns: 'data',
    missing: 'data',
    leaving: 'data',
    rides: 'data',
    bent: 'data',
    copy: FENCE,
    trail: 'node',
    bypassed: 'data',
    recalled: 'node',
  },
  messages: {
    request: { origin: 'node', mode: 'data', hops: 'data', level: 'data', via: 'node', left: 'data' },
    token: { fence: FENCE, places: PLACES, missing: 'data', turns: 'data' },
    copy: { fence: FENCE },
    recall: { writer: 'node' },
    returned: { asks: 'data', level: 'data' },
  },
  fence: { clock: 'fence', scaled: false },
}

/** An update needs the token, as a writer does; only its own node knows that it reads at first. */
export const mayNeed = (mode: Mode): Mode => (mode === 'update' ? 'exclusive' : mode)

export function fenceOf({ fence }: State, here: Pick<Here, 'self'>): number {
  return fence ?? impossible(`the token is not at node ${here.self}`)
}

export function readersInside(self: NodeId, { nodes, inside }: Setup): boolean[] {
  return Array.from({ length: nodes }, (_, node) => node !== self && inside.includes(node))
}

/** The level of our caller, as messages tell it. */
export const urgencyOf = ({ level }: State): { readonly level?: number } => (level === 0 ? {} : { level })

/** Only a node that has asked for the token absorbs. A reader gets none, and stays on the way of others. */
export function becomeAsker(node: State, mode: Mode): void {
  node.asked = mode
  if (mode === 'exclusive') node.where = null
}
