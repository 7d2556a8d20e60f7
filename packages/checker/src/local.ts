import {
  type AnyAlgorithm,
  type Ask,
  type Here,
  ImpossibleError,
  type Message,
  type NodeId,
} from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'

/** Where the caller at a node stands. An unwanted entry is one whose caller gave up. */
export type Status = 'idle' | 'waiting' | 'inside' | 'waiting unwanted' | 'inside unwanted' | 'crashed'

/** All that belongs to one node: the algorithm's state and what the host keeps about it. Plain data. */
export interface Local {
  readonly node: NodeId
  state: object
  status: Status
  /** How often it may still ask; null for any number of times. */
  requestsLeft: number | null
  /** Running timers, sorted. */
  timers: string[]
  /** Steps that were scheduled by `here.proceed`, in order. */
  steps: string[]
  /** Whom its failure detector has named, sorted. */
  suspected: NodeId[]
}

/** An event at one node, apart from how the world decided that it happens. */
export type LocalEvent =
  | { readonly is: 'request' }
  | { readonly is: 'leave' }
  | { readonly is: 'withdraw' }
  | { readonly is: 'crash' }
  | { readonly is: 'proceed'; readonly step: string }
  | { readonly is: 'timeout'; readonly timer: string }
  | { readonly is: 'suspect'; readonly peer: NodeId }
  | { readonly is: 'receive'; readonly from: NodeId; readonly message: Message }

export interface Send {
  /** Null for a broadcast: one message, heard by all. */
  readonly to: NodeId | null
  readonly message: Message
}

/** What came of an event at a node. */
export interface Outcome {
  readonly local: Local
  readonly sends: readonly Send[]
  /** Timers that were started, or started anew. */
  readonly started: readonly string[]
  /** The fence, if the critical section was granted to a caller that still wants it. */
  readonly entered: number | null
  /** A rule that a handler found broken, or null. */
  readonly broke: string | null
}

const ASK: Ask = { mode: 'exclusive', priority: 0 }

/** Calls the handlers of an algorithm on copies, once for every way its random draws can fall. */
export class Handlers {
  readonly #algorithm: AnyAlgorithm
  readonly #setup: Setup

  constructor(algorithm: AnyAlgorithm, setup: Setup) {
    this.#algorithm = algorithm
    this.#setup = setup
  }

  first(node: NodeId, requests: number | null): Local {
    const local: Local = {
      node,
      state: this.#algorithm.init(node, this.#setup),
      status: this.#setup.inside.includes(node) ? 'inside' : 'idle',
      requestsLeft: requests,
      timers: [],
      steps: [],
      suspected: [],
    }
    this.#algorithm.start?.(
      local.state,
      this.#here(local, [], [], [], () => {}),
    )
    return local
  }

  outcomes(local: Local, event: LocalEvent): Outcome[] {
    const results: Outcome[] = []
    // The draws made so far in this branch, each with the number of values it could take.
    let draws: { drawn: number; bound: number }[] = []
    for (;;) {
      results.push(this.#outcome(local, event, draws))
      const last = draws.findLastIndex(({ drawn, bound }) => drawn + 1 < bound)
      if (last === -1) return results
      draws = [...draws.slice(0, last), { ...draws[last], drawn: draws[last].drawn + 1 }]
    }
  }

  #outcome(before: Local, event: LocalEvent, draws: { drawn: number; bound: number }[]): Outcome {
    const local = copy(before) as Local
    const sends: Send[] = []
    const started: string[] = []
    let entered: number | null = null
    let broke: string | null = null
    const here = this.#here(local, sends, started, draws, (fence) => {
      if (local.status === 'waiting') {
        local.status = 'inside'
        entered = fence
      } else if (local.status === 'waiting unwanted') local.status = 'inside unwanted'
      else broke = `node ${local.node} enters without having asked`
    })
    try {
      this.#handle(local, event, here)
    } catch (error) {
      if (!(error instanceof ImpossibleError)) throw error
      broke = error.message
    }
    return { local, sends, started, entered, broke }
  }

  #handle(local: Local, event: LocalEvent, here: Here): void {
    const algorithm = this.#algorithm
    const { state } = local
    switch (event.is) {
      case 'request':
        local.status = 'waiting'
        if (local.requestsLeft !== null) local.requestsLeft -= 1
        return algorithm.request(state, here, ASK)
      case 'leave':
        local.status = 'idle'
        return algorithm.release(state, here)
      case 'withdraw':
        local.status = algorithm.withdraw === undefined ? 'waiting unwanted' : 'idle'
        return algorithm.withdraw?.(state, here)
      case 'crash':
        // What a dead node remembers no longer matters: all dead nodes are equal.
        Object.assign(local, {
          state: {},
          status: 'crashed',
          requestsLeft: 0,
          timers: [],
          steps: [],
          suspected: [],
        })
        return
      case 'proceed':
        local.steps = local.steps.slice(1)
        return algorithm.proceed?.(state, here, event.step)
      case 'timeout':
        local.timers = local.timers.filter((timer) => timer !== event.timer)
        return algorithm.timeout?.(state, here, event.timer)
      case 'suspect':
        local.suspected = [...local.suspected, event.peer].toSorted((a, b) => a - b)
        return algorithm.suspect?.(state, here, event.peer)
      case 'receive':
        return algorithm.receive[event.message.type](state, here, event.message, event.from)
    }
  }

  #here(
    local: Local,
    sends: Send[],
    started: string[],
    draws: { drawn: number; bound: number }[],
    enter: (fence: number) => void,
  ): Here {
    const { nodes } = this.#setup
    const self = local.node
    let drawn = 0
    return {
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
      enter,
      elected: () => {},
      setTimer: (timer) => {
        started.push(timer)
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
  }
}

/** Plain data only, as the contract says. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy)
  if (typeof value !== 'object' || value === null) return value
  const result: Record<string, unknown> = {}
  for (const key in value) result[key] = copy((value as Record<string, unknown>)[key])
  return result
}
