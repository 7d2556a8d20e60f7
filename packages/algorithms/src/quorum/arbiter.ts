/**
 * The engine of the quorum algorithms. Every node is a requester, and an arbiter for the nodes that ask it.
 *
 * An arbiter grants one request at a time, the smallest timestamp first, and keeps the others in a queue. A requester
 * enters when its whole quorum has granted. Two quorums share an arbiter, so two requesters are never both granted by
 * all. Requesters that hold some grants and wait for others could block each other for ever. So when a request with a
 * smaller timestamp than the granted one arrives, the arbiter INQUIREs whether it may have its grant back, and a
 * requester that cannot enter yet YIELDs. The policy says how a requester knows that it cannot enter: a FAIL told it
 * so, or it yields whenever it is asked.
 *
 * After Maekawa 1985 and Sanders 1987, section 5, with these repairs:
 *  1. Every message names the request it belongs to, and a node ignores messages of another request. Otherwise a node
 *     answers an INQUIRE that crossed its RELEASE for its next request, and frees an arbiter whose grant another node has.
 *  2. A node remembers an INQUIRE that it cannot answer yet until a FAIL or the grant itself arrives. Sanders tests
 *     once, on arrival, and deadlocks.
 *  3. A request smaller than the granted one but not the smallest in the queue gets a FAIL too, and so does every
 *     queued request that is overtaken. Maekawa tells only the newcomer, and Sanders omits the first case.
 * With these repairs channels need no order.
 *
 * A node that asks more nodes than it needs (`substitution.ts`) may leave before all have answered. So a RELEASE also
 * withdraws a request that still waits, and a node releases a GRANT for a finished request at once.
 *
 * The nodes that a node asks and those it tells when it leaves may differ (`sanders.ts`): that is the relation. An arbiter
 * remembers a grant until it is told that the grant is used up. If it never will be told, it does not remember it.
 */
import { type Message as AnyMessage, type Here, impossible, type NodeId } from '@turnwise/core/algorithm'
import { precedes, sameTimestamp } from '@turnwise/core/timestamp'
import {
  type ArbiterMessage,
  type ArbiterRules,
  type ArbiterState,
  type FailPolicy,
  FIXED,
  type OwnRequest,
  ownRequest,
  type Queued,
  type QuorumSystem,
  type Relation,
  SAME,
} from './arbiter-state.ts'

export function arbiterRules<Options extends object>(
  policyOf: (options: Options) => FailPolicy,
  quorums: QuorumSystem<Options> = FIXED,
  relation: Relation<Options> = SAME,
): ArbiterRules<Options> {
  return arbiterEngine(policyOf, quorums, relation).rules
}

/** The rules, and the functions with which other files choose whom to ask, and recover from failures. */
export function arbiterEngine<Options extends object>(
  policyOf: (options: Options) => FailPolicy,
  quorums: QuorumSystem<Options>,
  relation: Relation<Options>,
) {
  type Place = Here<ArbiterMessage, Options>

  /** A node acts at once on what it tells itself, without a message. */
  function tell(node: ArbiterState, here: Place, to: NodeId, message: ArbiterMessage): void {
    if (to !== here.self) return here.send(to, message)
    const handle = receive[message.type] as (n: ArbiterState, h: Place, m: AnyMessage, from: NodeId) => void
    handle(node, here, message, to)
  }

  /** Grants to the head of the queue, and goes on until a granted node will tell us when it leaves. */
  function grantNext(node: ArbiterState, here: Place): void {
    const { self, setup } = here
    node.inquired = false
    node.granted = null
    while (node.granted === null) {
      const next = node.queue.at(0)
      if (next === undefined) return here.because?.('nobody waits for the grant of node {self}')
      if (next.node === self && !isOwnTurn(node, here))
        return here.because?.('node {self} grants to itself only when all others have granted')
      if (next.node === self) here.because?.('node {self} grants to itself: no smaller stamp waits at it')
      else
        here.because?.('node {self} grants to node {next}: no stamp smaller than {time}.{next} waits at it', {
          next: next.node,
          time: next.time,
        })
      node.queue.shift()
      if (relation.remembers(setup, self, next.node)) node.granted = { time: next.time, node: next.node }
      const flag = node.takenBack ? ({ takenBack: true } as const) : {}
      const carried = { ...flag, ...relation.withGrant(node) }
      tell(node, here, next.node, { type: 'grant', time: next.time, fence: node.fence, ...carried })
    }
  }

  /** Whether our own arbiter may grant to ourselves. */
  function isOwnTurn({ ours }: ArbiterState, { setup }: Place): boolean {
    if (relation.ownGrant(setup.options) === 'first') return true
    return ours !== null && ours.grants.length === ours.asked.length - 1
  }

  function fail(node: ArbiterState, here: Place, request: Queued): void {
    if (request.failed || policyOf(here.setup.options) === 'none') return
    if (!relation.failHelps(here.setup, request.node)) return
    request.failed = true
    if (request.node !== here.self)
      here.because?.('node {self} tells node {behind}, which is not the first, that it must wait', {
        behind: request.node,
      })
    tell(node, here, request.node, { type: 'fail', time: request.time })
  }

  /** Gives back every grant that an arbiter asks for, once we know that we cannot enter yet. */
  function yieldWhatWeCan(node: ArbiterState, here: Place, ours: OwnRequest): void {
    if (ours.refused.length === 0 && policyOf(here.setup.options) !== 'none') return
    const asked = ours.inquiries.filter((arbiter) => ours.grants.includes(arbiter))
    for (const arbiter of asked) {
      ours.inquiries = without(ours.inquiries, arbiter)
      ours.grants = without(ours.grants, arbiter)
      ours.refused = [...ours.refused, arbiter]
      if (arbiter !== here.self)
        here.because?.('node {self} cannot enter yet, so node {arbiter} may have its grant back', { arbiter })
      tell(node, here, arbiter, { type: 'yield', time: ours.time })
    }
  }

  function enterOrYield(node: ArbiterState, here: Place, ours: OwnRequest): void {
    if (ours.inside) return
    const { grants } = ours
    if (!quorums.enough(here.setup, grants, here.self, ours.asked)) {
      here.because?.('node {self} has the grant of {grants}, which is not enough', { grants })
      return yieldWhatWeCan(node, here, ours)
    }
    here.because?.('node {self} has the grant of {grants}, which is enough', { grants })
    ours.inside = true
    ours.grants = []
    ours.inquiries = []
    // A failed node whose grant was taken back may have entered with the next fence.
    ours.fence += ours.takenBack ? 2 : 1
    ours.takenBack = false
    node.fence = Math.max(node.fence, ours.fence)
    here.enter(quorums.fence?.(ours.fence, here) ?? ours.fence)
  }

  /** Our own request begins, to these. */
  function ask(node: ArbiterState, here: Place, asked: readonly NodeId[]): void {
    node.clock += 1
    const ours = { ...ownRequest(node.clock, asked), fence: node.fence }
    node.ours = ours
    sayWhom(here, asked, ours.time, quorums.called ?? 'quorum')
    const carried = relation.withRequest(node)
    for (const arbiter of asked) tell(node, here, arbiter, { type: 'request', time: ours.time, ...carried })
    if (asked.length === 0) enterOrYield(node, here, ours)
  }

  const receive: ArbiterRules<Options>['receive'] = {
    request(node, here, { time }, from) {
      node.clock = Math.max(node.clock, time)
      const request: Queued = { time, node: from, failed: false }
      const place = node.queue.findIndex((queued) => precedes(request, queued))
      node.queue.splice(place === -1 ? node.queue.length : place, 0, request)
      if (node.granted === null) {
        grantNext(node, here)
        // The queue is empty here unless our own request waits to be granted last.
        node.queue.forEach((queued, i) => {
          if (node.granted !== null || i > 0) fail(node, here, queued)
        })
        return
      }
      const policy = policyOf(here.setup.options)
      const holder = node.granted.node
      if (precedes(node.granted, request))
        here.because?.(
          'node {from} waits at node {self}: node {holder}, with the smaller stamp, has the grant',
          {
            from,
            holder,
          },
        )
      if (policy === 'queued' && node.queue[0] === request && precedes(node.granted, request)) return
      if (precedes(node.granted, request)) return fail(node, here, request)
      if (policy === 'all' || policy === 'overtaken') {
        for (const overtaken of node.queue.filter((queued) => precedes(request, queued)))
          fail(node, here, overtaken)
      }
      if (node.queue[0] !== request && policy !== 'overtaken') fail(node, here, request)
      if (node.inquired)
        return here.because?.('node {self} has asked for its grant back already, for another smaller stamp')
      if (!relation.inquireHelps(here.setup, here.self, holder))
        return here.because?.(
          'node {from} waits at node {self}: node {holder} would not give the grant back',
          {
            from,
            holder,
          },
        )
      node.inquired = true
      if (holder === here.self)
        here.because?.('node {from} has a smaller stamp than node {self}, which granted to itself', { from })
      else
        here.because?.('node {self} asks node {holder} for its grant back: node {from} has a smaller stamp', {
          from,
          holder,
        })
      tell(node, here, holder, { type: 'inquire', time: node.granted.time })
    },

    release(node, here, { time, fence }, from) {
      const over = { time, node: from }
      node.fence = Math.max(node.fence, fence)
      if (node.granted !== null && sameTimestamp(node.granted, over)) {
        here.because?.('node {from} has left, so node {self} may grant again', { from })
        return grantNext(node, here)
      }
      here.because?.('node {from} needs no grant of node {self} any more', { from })
      node.queue = node.queue.filter((queued) => !sameTimestamp(queued, over))
    },

    yield(node, here, { time }, from) {
      if (node.granted === null || !sameTimestamp(node.granted, { time, node: from })) return
      if (from === here.self)
        here.because?.('node {self} takes the grant to itself back, and waits in its own queue')
      else here.because?.('node {from} gives the grant of node {self} back, and waits in its queue', { from })
      const yielded: Queued = { time, node: from, failed: true }
      const place = node.queue.findIndex((queued) => precedes(yielded, queued))
      node.queue.splice(place === -1 ? node.queue.length : place, 0, yielded)
      grantNext(node, here)
    },

    grant(node, here, { time, fence, takenBack, clock = 0 }, from) {
      const { ours } = node
      node.clock = Math.max(node.clock, clock)
      if (ours === null || ours.time !== time) {
        here.because?.('node {self} does not need the grant of node {from} any more', { from })
        return tell(node, here, from, { type: 'release', time, fence })
      }
      if (ours.inside)
        return here.because?.('node {self} is inside without the grant of node {from}', { from })
      ours.grants = [...without(ours.grants, from), from].toSorted((a, b) => a - b)
      ours.refused = without(ours.refused, from)
      ours.fence = Math.max(ours.fence, fence)
      ours.takenBack ||= takenBack ?? false
      if (node.granted === null) grantNext(node, here)
      enterOrYield(node, here, ours)
    },

    fail(node, here, { time }, from) {
      const { ours } = node
      if (ours === null || ours.inside || ours.time !== time) return
      ours.refused = [...without(ours.refused, from), from].toSorted((a, b) => a - b)
      here.because?.('at node {from} a smaller stamp comes before node {self}, so it cannot enter yet', {
        from,
      })
      yieldWhatWeCan(node, here, ours)
    },

    inquire(node, here, { time }, from) {
      const { ours } = node
      if (ours === null || ours.inside || ours.time !== time) return
      ours.inquiries = [...ours.inquiries, from].toSorted((a, b) => a - b)
      yieldWhatWeCan(node, here, ours)
      if (!ours.inquiries.includes(from)) return
      if (ours.grants.includes(from))
        here.because?.(
          'node {self} keeps the grant of node {from}: nobody has told it yet that it must wait',
          { from },
        )
      else here.because?.('node {self} has no grant of node {from} yet that it could give back', { from })
    },
  }

  const rules: ArbiterRules<Options> = {
    init(self, setup) {
      const { inside } = setup
      const holder = inside.find(
        (node) => quorums.of(setup, node).includes(self) && relation.remembers(setup, self, node),
      )
      return {
        clock: 0,
        granted: holder === undefined ? null : { time: 0, node: holder },
        inquired: false,
        queue: [],
        fence: 0,
        takenBack: false,
        ours: inside.includes(self) ? { ...ownRequest(0, quorums.of(setup, self)), inside: true } : null,
      }
    },

    request(node, here) {
      ask(node, here, quorums.choose?.(here) ?? quorums.of(here.setup, here.self))
    },

    release(node, here) {
      if (node.ours === null) return impossible(`node ${here.self} is inside without a request`)
      const { time, fence, asked } = node.ours
      node.ours = null
      const told = relation.tells(here.setup, here.self, asked)
      const others = without(told, here.self)
      if (others.length === 0) here.because?.('node {self} has left, which no other node needs to know')
      else here.because?.('node {self} has left, so {others} may grant to the next', { others })
      for (const arbiter of told) tell(node, here, arbiter, { type: 'release', time, fence })
    },

    receive,
  }

  /**
   * `gone` has failed. As requester: its grant no longer counts, we need the nodes `asked`, and ask the `fresh` ones
   * among them, again if need be. As arbiter: its requests and grants are void. Our own grant comes last, so a request that needs no
   * other any more enters with it.
   */
  function mend(
    node: ArbiterState,
    here: Place,
    gone: NodeId,
    asked: readonly NodeId[],
    fresh: readonly NodeId[],
  ): void {
    const { ours } = node
    if (ours !== null && !ours.inside) {
      const stays = (other: NodeId) => asked.includes(other) && !fresh.includes(other)
      ours.asked = asked
      ours.grants = ours.grants.filter(stays)
      ours.refused = ours.refused.filter(stays)
      ours.inquiries = ours.inquiries.filter(stays)
      if (fresh.length > 0)
        here.because?.('node {gone} has failed, so node {self} needs the grant of {fresh}', { gone, fresh })
      const request = { type: 'request', time: ours.time, ...relation.withRequest(node) } as const
      for (const other of fresh) here.send(other, request)
    }
    node.queue = node.queue.filter((queued) => queued.node !== gone)
    if (node.granted?.node === gone)
      here.because?.('node {gone} has failed, so node {self} takes its grant back', { gone })
    if (node.granted === null || node.granted.node === gone) grantNext(node, here)
  }

  return { rules, ask, grantNext, mend }
}

function sayWhom(here: Pick<Here, 'self' | 'because'>, asked: readonly NodeId[], time: number, set: string) {
  const others = without(asked, here.self)
  if (others.length > 0)
    here.because?.('node {self} asks the others of its {set}, {others}, with stamp {time}.{self}', {
      set,
      others,
      time,
    })
  else if (asked.length > 0)
    here.because?.('the {set} of node {self} is itself alone: it asks nobody else', { set })
  else here.because?.('node {self} has to ask nobody')
}

function without(nodes: readonly NodeId[], node: NodeId): NodeId[] {
  return nodes.filter((other) => other !== node)
}
