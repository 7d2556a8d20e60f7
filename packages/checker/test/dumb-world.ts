/** The worlds of the explorer that shares nothing with the checker (dumb-explorer.ts), and how a handler changes one. */
import type { AnyAlgorithm, Here, Message, NodeId } from '@turnwise/core/algorithm'
import { ImpossibleError } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Instance as AnyInstance, Budgets } from '../src/instance.ts'

type Instance = AnyInstance<AnyAlgorithm>

/** What a node hears, or its caller does, before anything else happens. */
export interface Notice {
  readonly is: 'linked' | 'unlinked' | 'withdraw' | 'release'
  readonly peer: NodeId
}

export interface Member {
  state: object
  status:
    | 'idle'
    | 'waiting'
    | 'inside'
    | 'waiting unwanted'
    | 'inside unwanted'
    | 'inside no more'
    | 'crashed'
    | 'absent'
  left: number
  timers: string[]
  steps: string[]
  suspected: NodeId[]
  /** What happens to it before anything else does. */
  due: Notice[]
  /** Who runs again before it was told of the crash. */
  late: NodeId[]
  /** What it was doing when it crashed. */
  caller: 'idle' | 'waiting' | 'inside'
  leaving: boolean
}

export interface Letter {
  from: NodeId
  to: NodeId
  message: Message
  /** Whether it came over a medium that keeps all broadcasts in order. */
  medium: boolean
}

export interface World {
  members: Member[]
  mail: Letter[]
  /** Channels that are gone, and such as the first graph did not have. */
  gone: (readonly [NodeId, NodeId])[]
  added: (readonly [NodeId, NodeId])[]
  trouble: { -readonly [Kind in keyof Budgets]: number }
}

export type Change = (world: World, random: (bound: number) => number) => void

/** Calls a handler of a node, which then has the given status unless the handler lets it in. */
export function at(
  { algorithm, setup }: Instance,
  self: NodeId,
  status: Member['status'],
  handle: (state: object, here: Here) => void,
): Change {
  return ({ members, mail }, random) => {
    const member = get(members, self)
    if (status === 'waiting' && member.status === 'idle') member.left -= 1
    member.status = status
    const post = (to: NodeId, message: Message, medium: boolean) =>
      void mail.push({ from: self, to, message: structuredClone(message), medium })
    const ordered = algorithm.facts.medium === 'ordered broadcast'
    const toOthers = (message: Message) => members.forEach((_, to) => to !== self && post(to, message, false))
    const here: Here = {
      self,
      setup,
      random,
      send(to, message) {
        if (to === self) throw new ImpossibleError('a node sends to itself')
        post(to, message, false)
      },
      sendToOthers: toOthers,
      broadcast: (message) =>
        ordered ? members.forEach((_, to) => post(to, message, true)) : toOthers(message),
      enter() {
        if (member.status === 'waiting') member.status = 'inside'
        if (member.status === 'waiting unwanted') member.status = 'inside unwanted'
      },
      elected: () => {},
      setTimer: (timer) => void (member.timers = [...new Set([...member.timers, timer])].toSorted()),
      cancelTimer: (timer) => void (member.timers = member.timers.filter((other) => other !== timer)),
      proceed: (step) => void member.steps.push(step),
    }
    try {
      handle(member.state, here)
    } catch (error) {
      if (!(error instanceof ImpossibleError)) throw error
    }
  }
}
