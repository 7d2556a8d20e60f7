/**
 * One token that carries its queue, found by path reversal, with copies for readers. The text is ours, made of known parts:
 *  - Naimi and Trehel, "An improvement of the log(n) distributed algorithm for mutual exclusion", 7th International Conference
 *    on Distributed Computing Systems, 1987: pointers to the last node that asked, which every request bends to its origin.
 *  - Li and Hudak, "Memory coherence in shared virtual memory systems", ACM TOCS 7(4), 1989: an owner that is found by such
 *    pointers, readers with copies, and a writer that enters after all copies are taken back.
 *
 * A request follows the pointers until it meets the token, or a node that has asked for the token. That node keeps the request: it
 * absorbs it. When the token comes, it collects what was absorbed. So the line stands in the token, not in a chain of nodes. A
 * reader at the head of the line gets a copy. It reads with it as often as it likes, without a message, until a writer has it
 * recalled. A writer at the head gets the token, and the number of copies that are still on their way back to it.
 *
 * Why it is safe: there is one token. A writer is inside only with the token and with no copy missing, and no copy is given past a
 * writer in the line. Before the token moves, all copies are recalled, and the token says how many; the writer's own copy ends when
 * the token comes. Each recall has one answer, and the token stays until all answers are there. A node asks again only when its
 * recalled copy has gone. So it has at most one copy and one recall open.
 *
 * Why nobody starves: take a writer's request under way as the pointer of its origin. Then the pointers form a tree, so a request ends
 * at the token or at a node that has asked for it. A node that passed on a writer's request points at its origin, so the request
 * comes nowhere twice. Requests of readers bend nothing, since the token does not come of them. They could follow the token for
 * ever: after n sends one goes back to its origin, which then asks for the token. A node with a copy points at the node that gave
 * it. From there paths lead to the next writer or to nodes that wait for it, never back, because the token stays with that writer
 * until this copy is back. Lines are joined end to end, and
 * no place is ever moved back.
 *
 * The order is that of the line, if all requests are equal (`passes` is 0, or all have one priority). Else the first place of the highest
 * level is next (`token-queue-line.ts`; Kanrar and Chaki 2010), and a place that was passed `passes` times from behind is passed no more. So
 * at most n-1+passes exclusive entries overtake a place in line: one for each place before it, of which there are n-1 at most,
 * since no node has two; and one for each time it is passed. With `zones` the owner prefers equally urgent places of its own zone,
 * `localTurns` times before the head of the line is next; that is the same kind of passing, with the same bound. Places join at the end and never move back. Readers that have a copy enter
 * until the recall comes. A node that absorbs lets a more urgent request go past it, up to `passes` times: it goes after the token along
 * the owners, so that it is in line before the node that would have absorbed it has its turn. Before that it is not first
 * come, first served: a request that is under way, or absorbed, has no place yet, and meanwhile the holder may enter again without a
 * message, as often as it likes. A reader absorbs nothing, because it gets no token.
 *
 * It assumes reliable channels between every two nodes, and no order. At the start a node knows the first owner alone. An entry
 * costs the length of the path in requests, and the token: H(n-1) on average at light load, and nothing if the token is here. When
 * all ask again at once, their requests ride in the token: one message for an entry. A reader costs its writer a recall and its answer.
 *
 * What is ours:
 *  - The line rides in the token, and the paper's NEXT is gone. The request of a node that asks again as it leaves rides there, too.
 *  - Readers neither bend pointers nor absorb. They ask for the token itself if it moves faster than their requests.
 *  - Owner and writer may differ: the node that passes the token recalls the copies for the next writer.
 *  - A request may be taken back, without a message. What it asked for still comes, and is passed on or kept.
 *  - A writer that is inside may go on as a reader. One that may update reads with the token: it gives copies, and the token to nobody, until it
 *    leaves. To write, it takes the copies back. It does not wait for copies to enter, and there is one token: so no two of them are inside.
 *  - Fences: an exclusive entry adds two; all readers between two writers have the odd number between. No rule reads them.
 */
import { type Algorithm, type Here, impossible, type Mode, type NodeId } from '@turnwise/core/algorithm'
import { exactly, harmonic } from '@turnwise/core/facts'
import { firstHolder } from '@turnwise/core/setup'
import { enter, serve, unpassable } from './token-queue-line.ts'
import { line } from './token-queue-places.ts'
import {
  becomeAsker,
  type Message,
  mayNeed,
  type Options,
  options,
  placeOf,
  readersInside,
  type State,
  shapes,
  urgencyOf,
} from './token-queue-state.ts'

export type { Message, Options, State }

type Request = Extract<Message, { readonly type: 'request' }>

export const tokenQueue: Algorithm<State, Message, Options> = {
  facts: {
    name: 'token-queue',
    title: 'Token with its queue',
    year: 2026,
    family: 'token',
    idea:
      'One token carries the line of those who wait. A request follows pointers to it, and bends each to its own ' +
      'origin. Readers get copies, which they keep until a writer has them recalled.',
    sources: [
      'naimi-trehel-1987',
      'li-hudak-1989',
      'kanrar-chaki-2010',
      'lejeune-arantes-sopena-sens-2012',
      'dice-marathe-shavit-2012',
    ],
    entries: 1,
    sharedMode: true,
    channels: 'unordered',
    topology: 'complete',
    knows: 'coordinator',
    quorums: false,
    messages: {
      formula: 'H(n-1) on average, about ln n; 1 if all ask; at most n, 2n+1 with readers',
      // As Naimi-Trehel: pointers and the ways of requests are the same while one asks at a time.
      light: ({ nodes }) => ({ ...bounds(nodes), mean: harmonic(nodes - 1) }),
      // The token alone: requests ride in it.
      heavy: ({ nodes }) => ({ ...bounds(nodes), mean: nodes === 1 ? 0 : 1 }),
      start: {
        light: () => exactly(0),
        // The first requests have nothing to ride in. The first owner needs no token, and has passed it on when the
        // others come, who are then sent after it: two requests for each but the owner, and one token less.
        heavy: ({ nodes }) => ({ min: 0, max: 2 * nodes, mean: nodes === 1 ? 0 : 2 * nodes - 3 }),
      },
    },
    syncDelay: { formula: '1', hops: () => ({ min: 1, max: 1 }) },
    faults: ['spike', 'pause'],
    overtakenInLine: { formula: 'n-1+passes', most: ({ nodes, options }) => nodes - 1 + options.passes },
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options,
  shapes,
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'token' ? 1 : 0),
  },
  line,

  /** A node that is inside to read when the world begins has a copy from the first of them, which owns the token. */
  init(self, setup) {
    const owner = firstHolder(setup)
    const isOwner = self === owner
    const isInside = setup.inside.includes(self)
    return {
      where: isOwner ? null : owner,
      asked: null,
      waits: null,
      level: 0,
      inside: self === setup.updating ? 'update' : isInside ? setup.insideMode : null,
      queue: [],
      fence: isOwner ? 0 : null,
      copies: isOwner && setup.inside.length > 1 ? readersInside(self, setup) : null,
      turns: 0,
      missing: 0,
      leaving: false,
      rides: false,
      bent: false,
      copy: isInside && !isOwner ? 1 : null,
      trail: isOwner || setup.options.passes === 0 ? null : owner,
      bypassed: 0,
      recalled: null,
    }
  },

  request(node, here, { mode, priority }) {
    if (mode === 'shared' && node.copy !== null && !node.leaving) {
      here.because?.('node {self} has a copy, so it may read at once')
      return enter(node, here, mode, node.copy)
    }
    node.waits = mode
    node.level = priority
    if (node.fence !== null) {
      here.because?.('node {self} has the token, and takes its place in line')
      const own = placeOf(here.self, mayNeed(mode), priority)
      // A list that grows from nothing takes room for many, and most lines have one place.
      if (node.queue.length === 0) node.queue = [own]
      else node.queue.push(own)
      return serve(node, here)
    }
    // A request that was taken back is still out, and does for this one.
    if (node.asked !== null)
      return here.because?.('an earlier request of node {self} is still out, and does for this one')
    if (!node.leaving) return ask(node, here, mode)
    // Only if the way to the line leads to the same node: a request that went by since has bent it, and must be followed.
    // Then we ask when the copy has gone. A new copy must not meet the old one here.
    if (node.where !== node.recalled)
      return here.because?.('the way to the line was bent: node {self} asks when its copy has gone')
    here.because?.('node {self} asks with the copy that it is about to give back')
    node.rides = true
    becomeAsker(node, mayNeed(mode))
  },

  /** It sends no message. The next writer still misses the copies under recall; readers next in line need not wait for them. */
  withdraw(node, here) {
    node.waits = null
    node.level = 0
    if (node.fence === null)
      return here.because?.('the caller at node {self} gave up; what it asked for still comes')
    here.because?.('the caller at node {self} gave up, so its place in line is free')
    node.queue = node.queue.filter((place) => place.node !== here.self)
    serve(node, here)
  },

  /** The token or copy leaves by a step of its own, so that a caller that waits behind this one can ask before. */
  release(node, here) {
    const keptOut = node.inside !== 'shared' && node.queue.length > 0
    node.inside = null
    if (node.recalled === null && !keptOut) return here.because?.('nobody waits until node {self} has left')
    here.because?.('node {self} hands over by its next step, so that a caller behind it can ask before')
    node.leaving = true
    here.proceed('hand over')
  },

  /** The token stays for readers. A writer that is next gets it, and misses our reading as it would miss a copy. */
  downgrade(node, here) {
    node.inside = 'shared'
    here.because?.('node {self} only reads from now on, so readers need not wait for it')
    serve(node, here)
  },

  /** The token is here already. The copies are taken back, and no other is given, since our place is the first in line. */
  upgrade(node, here) {
    node.waits = 'exclusive'
    here.because?.('node {self} wants to be alone, and is first in line, since it is inside')
    node.queue.unshift(unpassable(placeOf(here.self, 'exclusive'), here.setup.options))
    serve(node, here)
  },

  proceed(node, here) {
    node.leaving = false
    if (node.recalled === null) {
      here.because?.('node {self} has left')
      return serve(node, here)
    }
    giveBack(node, here, node.recalled)
    if (node.waits !== null && node.asked === null) ask(node, here, node.waits)
  },

  receive: {
    request(node, here, request) {
      const { origin, mode, level, hops } = request
      if (node.fence === null && request.via !== undefined) return sendAfterToken(node, here, request)
      if (node.asked === 'exclusive' && goesPast(node, here, request)) {
        node.bypassed += 1
        return sendAfterToken(node, here, request)
      }
      if (node.fence !== null || node.asked === 'exclusive') {
        if (node.fence === null)
          here.because?.('node {self} wants the token: node {origin} gets in line behind it', { origin })
        else here.because?.('node {origin} gets in line at node {self}, which has the token', { origin })
        node.queue.push(placeOf(origin, mode, level))
        return serve(node, here)
      }
      if (origin === here.self) return askForToken(node, here)
      if (hops === here.setup.nodes) {
        here.because?.('no line in {hops} hops: the request goes back to node {origin}', { hops, origin })
        return here.send(origin, request)
      }
      send(node, here, { ...request, hops: hops === null ? null : hops + 1 })
      if (mode === 'shared')
        return here.because?.('node {self} is not in line: the reader {origin} is sent on', { origin })
      here.because?.('node {self} is not in line: node {origin} is sent on, the next after it', { origin })
      // Path reversal: the next who asks here is sent after this one.
      node.where = origin
      node.bent = node.asked !== null
    },

    token(node, here, { fence, places, missing, turns = 0 }) {
      if (node.recalled !== null) impossible(`the token comes to node ${here.self} before its copy went back`)
      node.fence = fence
      node.trail = null
      node.bypassed = 0
      here.because?.('node {self} has the token now, and the line that came with it')
      // Our own copy was not recalled: a reader that is inside by it now reads with the token.
      node.copy = null
      node.asked = null
      node.missing += missing
      node.turns = turns
      // A caller that gave up has no place: the token goes on, or rests here.
      const line =
        node.waits === null
          ? []
          : [unpassable(placeOf(here.self, mayNeed(node.waits), node.level), here.setup.options)]
      for (const place of places) line.push(place)
      for (const place of node.queue) line.push(place)
      node.queue = line
      serve(node, here)
    },

    copy(node, here, { fence }, from) {
      if (node.asked !== 'shared') impossible(`a copy comes to node ${here.self}, which did not ask to share`)
      node.asked = null
      node.copy = fence
      if (!node.bent) node.where = node.recalled ?? from
      node.bent = false
      // Its caller gave up, and another wants to write.
      if (node.waits !== null && node.waits !== 'shared') ask(node, here, node.waits)
      if (node.waits === 'shared') {
        here.because?.('node {self} has a copy now, so it may read')
        enter(node, here, 'shared', fence)
      } else if (node.recalled !== null) giveBack(node, here, node.recalled)
      else here.because?.('the reader at node {self} gave up; its copy stays until a writer wants it')
    },

    recall(node, here, { writer }, from) {
      if (node.recalled !== null) impossible(`the copy of node ${here.self} is recalled twice`)
      // Only if no request has bent the pointer since: that request could follow the token for ever.
      if (node.where === from) node.where = writer
      // A recall may come before its copy, and a reader is not disturbed.
      if (node.copy === null || node.inside === 'shared') {
        if (node.copy === null)
          here.because?.('the copy that node {writer} wants back is still on its way to node {self}', {
            writer,
          })
        else
          here.because?.('node {self} is inside to read: node {writer} gets its copy after that', { writer })
        node.recalled = writer
      } else giveBack(node, here, writer)
    },

    returned(node, here, { asks, level }, from) {
      if (node.fence === null ? node.asked !== 'exclusive' : node.missing <= 0) {
        impossible(`a copy comes back to node ${here.self}, which did not miss it`)
      }
      node.missing -= 1
      if (node.fence === null)
        here.because?.('the copy of node {from} is back before the token is here', { from })
      else
        here.because?.('the copy of node {from} is back: {missing} are missing', {
          from,
          missing: node.missing,
        })
      if (asks !== null) node.queue.push(placeOf(from, asks, level))
      serve(node, here)
    },
  },
}

/**
 * Whether a node that absorbs lets a request go to the line at once, since it is more urgent. It does so `passes` times: those
 * that it absorbs get their turn after it, and that keeps the token from running away from its own request.
 */
function goesPast(
  { level: own, bypassed }: State,
  here: Here<Message, Options>,
  { level = 0, left }: Request,
): boolean {
  return level > own && left === undefined && bypassed < here.setup.options.passes
}

/**
 * The request follows the token from owner to owner. Meanwhile it counts as under way to VIA, and it bends no pointer: it comes into the
 * line, where all pointers end, or back there, as if it had taken so long.
 */
function sendAfterToken(node: State, here: Here<Message, Options>, request: Request): void {
  const { via = here.self, ...asked } = request
  const { origin, left = here.setup.nodes } = asked
  if (left > 0 && node.trail !== null) {
    here.because?.('node {origin} is urgent: its request goes to node {trail}, where the token went', {
      origin,
      trail: node.trail,
    })
    return here.send(node.trail, { ...asked, via, left: left - 1 })
  }
  const back = { ...asked, left: 0 }
  here.because?.('the request of node {origin} did not find the token: it goes back to node {via}', {
    origin,
    via,
  })
  if (via === here.self) tokenQueue.receive.request(node, here, back, here.self)
  else here.send(via, back)
}

function ask(node: State, here: Here<Message>, waits: Mode): void {
  const mode = mayNeed(waits)
  here.because?.('node {self} asks at node {where}, where it believes the line to be', {
    where: node.where ?? 'nowhere',
  })
  const hops = mode === 'shared' ? 1 : null
  send(node, here, { type: 'request', origin: here.self, mode, hops, ...urgencyOf(node) })
  becomeAsker(node, mode)
}

/** Our request to read has come back. We ask for the token instead, if our caller still waits. */
function askForToken(node: State, here: Here<Message>): void {
  node.asked = null
  node.bent = false
  if (node.waits === null)
    return here.because?.('the request of node {self} is back, and nobody waits for it')
  here.because?.('the request of node {self} to read found no line: it asks for the token')
  ask(node, here, 'exclusive')
}

function send(node: State, here: Here<Message>, request: Message): void {
  if (node.where === null) return impossible(`node ${here.self} has no token, and nobody to ask for it`)
  here.send(node.where, request)
}

function giveBack(node: State, here: Here<Message>, writer: NodeId): void {
  here.because?.('nobody reads at node {self}: its copy goes to node {writer}, which waits to write', {
    writer,
  })
  here.send(writer, {
    type: 'returned',
    asks: node.rides ? node.asked : null,
    ...(node.rides && urgencyOf(node)),
  })
  node.copy = null
  node.recalled = null
  node.rides = false
}

/** A writer: a path through all others, and the token. A reader: n sends and one back to it, and then like a writer. */
function bounds(nodes: number) {
  return { min: 0, max: nodes === 1 ? 0 : 2 * nodes + 1 }
}
