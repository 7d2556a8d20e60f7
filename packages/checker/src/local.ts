import {
  type AnyProtocol,
  type Here,
  ImpossibleError,
  isElection,
  type Message,
  type Mode,
  type NodeId,
  type ResourceId,
  receiver,
} from '@turnwise/core/algorithm'
import type { Reason } from '@turnwise/core/reason'
import { requestOf } from '@turnwise/core/resources'
import { beginsWith, type Setup } from '@turnwise/core/setup'
import { away, CALM, type Churn, crashed, remembering } from './churn.ts'

/**
 * Where the caller at a node stands. An unwanted entry is one whose caller gave up; an entry is no more where the
 * node crashed inside, runs again, and has yet to release.
 */
export type Status =
  | 'idle'
  | 'waiting'
  | 'inside'
  /** Inside to update, and waiting to be alone. */
  | 'upgrading'
  | 'waiting unwanted'
  | 'inside unwanted'
  | 'inside no more'
  | 'crashed'
  | 'absent'

/** All that belongs to one node: the algorithm's state and what the host keeps about it. Plain data. */
export interface Local {
  readonly node: NodeId
  state: object
  status: Status
  /** Whether the caller asked to share; null where there is none. */
  mode: Mode | null
  /** The resources that the caller asked for; null where there is no caller, or one lock. */
  resources: readonly ResourceId[] | null
  /** How often it may still ask; null for any number of times. */
  requestsLeft: number | null
  /** Running timers, sorted. */
  timers: string[]
  /** Steps that were scheduled by `here.proceed`, in order. */
  steps: string[]
  /** The nodes that its failure detector has named, sorted. */
  suspected: NodeId[]
  /** Its coordinator, in an election. */
  coordinator: NodeId | null
  /** Null if nothing comes and goes, and for an absent node that will not come back with its memory. */
  churn: Churn | null
}

/** An event at one node, apart from how the world decided that it happens. */
export type LocalEvent =
  | {
      readonly is: 'request'
      readonly mode: Mode
      readonly priority?: number
      readonly resources?: readonly ResourceId[]
    }
  | { readonly is: 'elect' }
  | { readonly is: 'leave' }
  | { readonly is: 'downgrade' | 'upgrade' | 'desist' }
  | { readonly is: 'withdraw' }
  /** What the node will know if it runs again. */
  | { readonly is: 'crash'; readonly memory: 'kept' | 'lost' | 'none' }
  | { readonly is: 'proceed'; readonly step: string }
  | { readonly is: 'timeout'; readonly timer: string }
  | { readonly is: 'suspect' | 'restore'; readonly peer: NodeId }
  | { readonly is: 'restart'; readonly memory: boolean }
  | { readonly is: 'join'; readonly sponsor: NodeId | null }
  | { readonly is: 'depart' | 'gone' }
  | { readonly is: 'linked' | 'unlinked'; readonly peer: NodeId }
  | { readonly is: 'undelivered'; readonly to: NodeId; readonly message: Message }
  | { readonly is: 'receive'; readonly from: NodeId; readonly message: Message }

export interface Send {
  /** Null for a broadcast: one message, heard by all. */
  readonly to: NodeId | null
  readonly message: Message
}

/** The outcome of an event at a node. */
export interface Outcome {
  readonly local: Local
  readonly sends: readonly Send[]
  /** The fence, if the critical section was granted to a caller that still wants it. */
  readonly entered: number | null
  /** The coordinator that the node named, if it named one. */
  readonly elected: NodeId | null
  /** Timers that a handler started, anew or not. */
  readonly started: readonly string[]
  /** Why, if the handlers tell. */
  readonly reasons: readonly Reason[]
  /** A rule that a handler found broken, or null. */
  readonly broke: string | null
}

/** Calls the handlers of an algorithm on copies, once for every way its random draws can fall. */
export class Handlers {
  readonly #algorithm: AnyProtocol
  readonly #setup: Setup
  readonly #churn: Churn | null
  readonly #tells: boolean

  /** `changing` where nodes or channels come and go; `tells` for a run that is told, not searched: then with reasons. */
  constructor(
    algorithm: AnyProtocol,
    setup: Setup,
    { changing, tells }: { changing: boolean; tells: boolean },
  ) {
    this.#algorithm = algorithm
    this.#setup = setup
    this.#churn = changing ? CALM : null
    this.#tells = tells
  }

  /** `memory` is what a node that is dead at first will know if it runs again. */
  first(node: NodeId, requests: number | null, memory: 'kept' | 'lost' | 'none'): Local {
    const { dead, absent, inside, insideMode, updating } = this.#setup
    if (absent.includes(node)) return away(node, 'absent', requests)
    const local: Local = {
      ...away(node, 'absent', requests),
      state: this.#algorithm.init(node, this.#setup),
      status: inside.includes(node) ? 'inside' : 'idle',
      mode: node === updating ? 'update' : inside.includes(node) ? insideMode : null,
      resources: beginsWith(this.#setup, node) ?? null,
      churn: this.#churn,
    }
    if (dead.includes(node)) return crashed(local, memory)
    this.#algorithm.start?.(local.state, this.#here(local, [], noEffects()))
    return local
  }

  outcomes(local: Local, event: LocalEvent): Outcome[] {
    const results: Outcome[] = []
    // The draws made so far in this branch, each with the number of values it could take.
    let draws: { drawn: number; bound: number }[] = []
    for (;;) {
      results.push(this.#outcome(local, event, draws))
      const last = draws.findLastIndex(({ drawn, bound }) => drawn + 1 < bound)
      const draw = draws[last]
      if (draw === undefined) return results
      draws = [...draws.slice(0, last), { ...draw, drawn: draw.drawn + 1 }]
    }
  }

  #outcome(before: Local, event: LocalEvent, draws: { drawn: number; bound: number }[]): Outcome {
    const local = copy(before) as Local
    // Nothing else happens to a node to which something is due.
    if (before.churn !== null && before.churn.due.length > 0 && before.status !== 'crashed')
      local.churn = { ...before.churn, due: before.churn.due.slice(1) }
    const effects = noEffects()
    try {
      this.#handle(local, event, this.#here(local, draws, effects))
    } catch (error) {
      if (!(error instanceof ImpossibleError)) throw error
      effects.broke = error.message
    }
    return { local, ...effects }
  }

  #handle(local: Local, event: LocalEvent, here: Here): void {
    const algorithm = this.#algorithm
    const { state } = local
    switch (event.is) {
      case 'request':
      case 'elect':
        local.status = 'waiting'
        if (local.requestsLeft !== null) local.requestsLeft -= 1
        return isElection(algorithm) ? algorithm.elect(state, here) : this.#handleCaller(local, event, here)
      case 'leave':
      case 'downgrade':
      case 'upgrade':
      case 'desist':
      case 'withdraw':
        return this.#handleCaller(local, event, here)
      case 'crash':
        Object.assign(local, crashed(local, event.memory))
        return
      case 'proceed':
        local.steps = local.steps.slice(1)
        return algorithm.proceed?.(state, here, event.step)
      case 'timeout':
        local.timers = local.timers.filter((timer) => timer !== event.timer)
        return algorithm.timeout?.(state, here, event.timer)
      case 'receive':
        return receiver(algorithm, event.message.type)(state, here, event.message, event.from)
      case 'undelivered':
        return algorithm.undelivered?.(state, here, event.to, event.message)
      case 'suspect':
      case 'restore':
        return this.#handleDetector(local, event, here)
      default:
        return this.#handleFortune(local, event, here)
    }
  }

  #handleDetector(local: Local, event: Extract<LocalEvent, { is: 'suspect' | 'restore' }>, here: Here): void {
    const { peer } = event
    const others = local.suspected.filter((other) => other !== peer)
    if (event.is === 'restore') {
      local.suspected = others
      return this.#algorithm.restore?.(local.state, here, peer)
    }
    local.suspected = [...others, peer].toSorted((a, b) => a - b)
    const { churn } = local
    if (churn !== null) local.churn = { ...churn, late: churn.late.filter((other) => other !== peer) }
    return this.#algorithm.suspect?.(local.state, here, peer)
  }

  /** Nodes and channels come and go. */
  #handleFortune(local: Local, event: Extract<LocalEvent, { is: Fortune }>, here: Here): void {
    const algorithm = this.#algorithm
    switch (event.is) {
      case 'restart': {
        const takesBack = !isElection(algorithm) && algorithm.withdraw !== undefined
        if (event.memory) Object.assign(local, remembering(local, { takesBack }))
        else Object.assign(local, this.#anew(local), { churn: { ...CALM, due: local.churn?.due ?? [] } })
        // An election that was open is forgotten: the node may call another.
        if (isElection(algorithm)) local.status = 'idle'
        return algorithm.restart?.(local.state, here, event.memory)
      }
      case 'join':
        Object.assign(local, this.#anew(local))
        return algorithm.join?.(local.state, here, event.sponsor)
      case 'depart':
        local.churn = { ...CALM, ...local.churn, isLeaving: true }
        return algorithm.leave?.(local.state, here)
      case 'gone':
        Object.assign(local, away(local.node, 'absent', local.requestsLeft))
        return
      case 'linked':
        return algorithm.linked?.(local.state, here, event.peer)
      case 'unlinked':
        return algorithm.unlinked?.(local.state, here, event.peer)
    }
  }

  /** A node that knows what a new one knows. */
  #anew({ node, requestsLeft }: Local): Local {
    const state = this.#algorithm.init(node, this.#setup)
    return { ...away(node, 'absent', requestsLeft), state, status: 'idle', churn: this.#churn }
  }

  /** Only in a mutual exclusion algorithm a node asks, leaves, shares from now on, or gives up. */
  #handleCaller(local: Local, event: LocalEvent, here: Here): void {
    const algorithm = this.#algorithm
    if (isElection(algorithm)) return
    if (event.is === 'request') {
      local.mode = event.mode
      local.resources = event.resources ?? null
      return algorithm.request(local.state, here, { priority: 0, ...requestOf(event) })
    }
    if (event.is === 'leave') {
      local.status = 'idle'
      local.mode = null
      local.resources = null
      return algorithm.release(local.state, here)
    }
    if (event.is === 'downgrade') {
      local.mode = 'shared'
      return algorithm.downgrade?.(local.state, here)
    }
    if (event.is === 'upgrade') {
      local.status = 'upgrading'
      return algorithm.upgrade?.(local.state, here)
    }
    if (event.is === 'desist') {
      local.status = 'inside'
      return algorithm.withdraw?.(local.state, here)
    }
    // A request that cannot be withdrawn still has its mode when it enters.
    local.status = algorithm.withdraw === undefined ? 'waiting unwanted' : 'idle'
    if (local.status === 'idle') Object.assign(local, { mode: null, resources: null })
    return algorithm.withdraw?.(local.state, here)
  }

  #here(local: Local, draws: { drawn: number; bound: number }[], effects: Effects): Here {
    const { sends } = effects
    const heldForElection = isElection(this.#algorithm)
    const { nodes } = this.#setup
    const self = local.node
    let drawn = 0
    const here: Here = {
      self,
      setup: this.#setup,
      send: (to, message) => {
        if (!(to >= 0 && to < nodes) || to === self)
          throw new ImpossibleError(`node ${self} sends to node ${to}`)
        sends.push({ to, message })
      },
      sendToOthers: (message) => {
        for (let to = 0; to < nodes; to += 1) if (to !== self) sends.push({ to, message })
      },
      broadcast: (message) => void sends.push({ to: null, message }),
      enter: (fence) => {
        if (local.status === 'waiting' && !heldForElection) {
          local.status = 'inside'
          effects.entered = fence
        } else if (local.status === 'upgrading') {
          local.status = 'inside'
          local.mode = 'exclusive'
          effects.entered = fence
        } else if (local.status === 'waiting unwanted') local.status = 'inside unwanted'
        else effects.broke = `node ${local.node} enters without having asked`
      },
      elected: (coordinator) => {
        effects.elected = coordinator
        if (!heldForElection) return
        local.coordinator = coordinator
        local.status = 'idle'
      },
      setTimer: (timer) => {
        effects.started.push(timer)
        if (!local.timers.includes(timer)) local.timers = [...local.timers, timer].toSorted()
      },
      cancelTimer: (timer) => {
        local.timers = local.timers.filter((running) => running !== timer)
      },
      proceed: (step) => void local.steps.push(step),
      random: (bound) => {
        const draw = draws[drawn] ?? { drawn: 0, bound }
        draws[drawn] = draw
        drawn += 1
        return draw.drawn
      },
    }
    if (this.#tells) here.because = (words, values = {}) => void effects.reasons.push({ words, values })
    return here
  }
}

type Fortune = 'restart' | 'join' | 'depart' | 'gone' | 'linked' | 'unlinked'

/** What a handler does besides changing its node. */
type Effects = { -readonly [Name in Exclude<keyof Outcome, 'local'>]: Outcome[Name] } & {
  readonly sends: Send[]
  readonly started: string[]
  readonly reasons: Reason[]
}

function noEffects(): Effects {
  return { sends: [], entered: null, elected: null, started: [], reasons: [], broke: null }
}

/** Plain data only, as the contract says. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value
  const result: Record<string, unknown> = {}
  for (const key in value) result[key] = copy((value as Record<string, unknown>)[key])
  return result
}
