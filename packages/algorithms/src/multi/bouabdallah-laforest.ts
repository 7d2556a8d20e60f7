/**
 * Bouabdallah and Laforest, "A distributed token-based algorithm for the dynamic resource allocation problem", ACM SIGOPS
 * Operating Systems Review 34(3), 2000.
 *
 * A request is for any set of R resources. Each resource has a token. One more token, the control token, says of each resource
 * who asked for it LAST, or has its token, if nobody uses it. A node first gets the control token, by Naimi and Trehel's path
 * reversal. With it in hand it takes the tokens that are in it, writes itself as the last of all that it wants, and passes the
 * control token on at once. Of each resource that was not free it inquires at the one who was last before. That one sends the
 * token when it has finished. A node enters when it has all tokens. A token that nobody inquired for stays where it was used,
 * until someone does, or until the control token is there to take it back.
 *
 * Why it is safe: a resource has one token. Why there is no deadlock: the control token puts all requests into one order, each
 * with all of its resources at once, so a node waits only for nodes that registered before it. Why nobody starves: nobody
 * starves for the control token, and of each resource the queue is served in order. Those who want different resources do not
 * meet again after the control token: they are inside together.
 *
 * Assumes reliable channels between every two nodes; no order. An entry costs the path of the control token, at most n, and
 * then at most an inquire and a token for each of its k resources. Without competition all tokens are in the control token:
 * then it costs what Naimi and Trehel's does, H(n-1) on average, whatever it takes.
 *
 * Where we differ: the paper's abstract and later papers describe the rule above; the handlers are ours.
 *  - The abstract has at most n + 3k messages, here it is n + 2k. Inquiries at one node go in one message, and so do the tokens
 *    that leave together. The paper's resources may have several instances; ours have one.
 *  - A node may ask again for a resource whose token it still keeps for another, whose inquiry is under way. Then two inquiries
 *    may come, in either order: one is behind the earlier request of this node, one behind its new one. So the control token
 *    has a TURN beside each name, one bit, and an inquiry repeats it (`bouabdallah-laforest-without-turn`).
 *  - The fence is one number for all resources of an entry: how often the control token had been used. Of each resource it
 *    rises, since requests are served in the order in which they registered.
 */
import { type Algorithm, type Here, impossible, type NodeId, type ResourceId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { sendingThrough } from '@turnwise/core/extension'
import { harmonic } from '@turnwise/core/facts'
import { resourcesOf } from '@turnwise/core/resources'
import { beginsWith, firstHolder } from '@turnwise/core/setup'
import {
  type Message as ControlMessage,
  type State as ControlState,
  naimiTrehel,
} from '../token/naimi-trehel.ts'

/** What the control token says of a resource. */
export interface Entry {
  /** Who asked last; null if the token is in the control token. */
  readonly last: NodeId | null
  /** Which of its requests that was: it differs between two that inquiries can be behind. */
  readonly turn: number
}

/** A resource, and the turn of the node that had it, has it or will have it. */
export interface Turn {
  readonly resource: ResourceId
  readonly turn: number
}

export type Message =
  /** The origin wants the control token. The sender may only have passed this on. */
  | Extract<ControlMessage, { type: 'request' }>
  /** The control token, with an entry for each resource. It counts how often it was used. */
  | { readonly type: 'control'; readonly fence: number; readonly entries: readonly Entry[] }
  /** You were last before me: send me these when you have finished with them. */
  | { readonly type: 'inquire'; readonly turns: readonly Turn[] }
  | { readonly type: 'tokens'; readonly resources: readonly ResourceId[] }

/** One resource of a request that has registered. */
export interface Claim extends Turn {
  /** Whether its token is here. */
  readonly isHere: boolean
  /** Who inquired for it, and gets it when this node leaves. */
  readonly next: NodeId | null
}

export interface State {
  /** This node's part in passing the control token. */
  control: ControlState
  /** What the control token says, where it is; null elsewhere. */
  entries: Entry[] | null
  /** What this node wants, while it waits for the control token. */
  wanted: ResourceId[]
  /** What it has registered for, until it leaves. */
  claims: Claim[]
  /** The number under which it has registered, until it enters. */
  fence: number | null
  /** Tokens that it has finished with, and keeps until someone inquires or the control token takes them. */
  kept: Turn[]
}

export const bouabdallahLaforest: Algorithm<State, Message> = {
  facts: {
    name: 'bouabdallah-laforest',
    title: 'Bouabdallah-Laforest control token',
    year: 2000,
    family: 'multi',
    idea:
      'Each resource has a token, and a control token records who asked last for each. The node that has the control token registers ' +
      'for all that it wants in one step and passes it on; the tokens then come from those who were last before it.',
    sources: ['bouabdallah-laforest-2000'],
    entries: 1,
    resources: true,
    sharedMode: false,
    channels: 'unordered',
    topology: 'complete',
    knows: 'coordinator',
    quorums: false,
    messages: {
      formula: 'H(n-1) on average without competition; at most n + 2k for k resources',
      // If all have asked before, as in a long run: see Naimi-Trehel. All tokens are in the control token.
      light: ({ nodes }) => ({ min: 0, max: most(nodes, 0), mean: harmonic(nodes - 1) }),
      heavy: ({ nodes, resources }) => ({
        min: 0,
        max: most(nodes, resources),
        mean: nodes === 1 ? 0 : null,
      }),
    },
    // The control token runs ahead of the resources. Until it does, a hand-over waits for it, the inquiry and the token.
    syncDelay: {
      formula: '1, up to 3 where the control token is not ahead',
      hops: ({ resources }) => ({ min: resources === 1 ? 1 : 0, max: 3 }),
    },
    faults: ['spike', 'pause'],
    fallsSilent: true,
    timing: 'any',
    timers: {},
  },
  options: {},
  shapes: {
    state: {
      control: { fields: naimiTrehel.shapes.state },
      entries: { list: { fields: { last: 'node', turn: 'data' } } },
      wanted: 'data',
      claims: { list: { fields: { resource: 'data', turn: 'data', isHere: 'data', next: 'node' } } },
      fence: { clock: 'fence' },
      kept: 'data',
    },
    messages: {
      request: { origin: 'node' },
      control: {
        fence: { clock: 'fence' },
        entries: { list: { fields: { last: 'node', turn: 'data' } } },
      },
      inquire: { turns: { list: { fields: { resource: 'data', turn: 'data' } } } },
      tokens: { resources: 'data' },
    },
    fence: { clock: 'fence', scaled: false },
  },
  tokens: {
    held: ({ entries, claims, kept }, resource) =>
      freeIn(entries ?? [], resource) +
      claims.filter((claim) => claim.isHere && isMeant(claim.resource, resource)).length +
      kept.filter((token) => isMeant(token.resource, resource)).length,
    carried: (message, resource) =>
      message.type === 'control'
        ? freeIn(message.entries, resource)
        : message.type === 'tokens'
          ? message.resources.filter((carried) => isMeant(carried, resource)).length
          : 0,
  },
  // They have inquired. Their tokens come from here, and only after this node has been inside.
  behind: ({ claims }) => claims.flatMap(({ next }) => next ?? []),

  init(self, setup) {
    const home = firstHolder(setup)
    const hasAtFirst = (node: NodeId) => resourcesOf({ resources: beginsWith(setup, node) })
    const holderOf = (resource: ResourceId) =>
      setup.inside.find((node) => hasAtFirst(node).includes(resource)) ?? null
    const entries = Array.from(
      { length: setup.resources },
      (_, resource): Entry => ({ last: holderOf(resource), turn: 0 }),
    )
    const held = setup.inside.includes(self) ? hasAtFirst(self) : []
    return {
      // Nodes that are inside have used the control token already. They are the last of what they have, and all else is free.
      control: naimiTrehel.init(self, { ...setup, home, inside: [] }),
      entries: self === home ? entries : null,
      wanted: [],
      claims: held.map((resource) => ({ resource, turn: 0, isHere: true, next: null })),
      fence: null,
      kept: [],
    }
  },

  request(node, here, ask) {
    node.wanted = resourcesOf(ask).toSorted((a, b) => a - b)
    withControl(node, here, (inner) => naimiTrehel.request(node.control, inner, ask))
  },

  release(node, here) {
    for (const [next, claims] of byNode(node.claims, ({ next }) => next)) {
      const resources = claims.map(({ resource }) => resource)
      if (next === null) {
        here.because?.('node {self} has finished with {resources}, and nobody has inquired', {
          resources: resources.join(', '),
        })
        node.kept.push(...claims.map(({ resource, turn }) => ({ resource, turn })))
      } else {
        here.because?.('node {self} has finished with {resources}: node {next} has inquired', {
          resources: resources.join(', '),
          next,
        })
        here.send(next, { type: 'tokens', resources })
      }
    }
    node.claims = []
    giveBack(node, here)
  },

  receive: {
    request(node, here, request, from) {
      withControl(node, here, (inner) => naimiTrehel.receive.request(node.control, inner, request, from))
    },

    control(node, here, { fence, entries }, from) {
      node.entries = [...entries]
      const token = { type: 'token', fence } as const
      withControl(node, here, (inner) => naimiTrehel.receive.token(node.control, inner, token, from))
    },

    inquire(node, here, { turns }, from) {
      const ready = turns.filter((turn) => !noteNext(node, here, turn, from))
      if (ready.length === 0) return
      here.because?.('node {self} keeps {ready} for others: node {from} gets what it inquires for', {
        ready: ready.map(({ resource }) => resource).join(', '),
        from,
      })
      node.kept = node.kept.filter((token) => !ready.some(({ resource }) => resource === token.resource))
      here.send(from, { type: 'tokens', resources: ready.map(({ resource }) => resource) })
    },

    tokens(node, here, { resources }) {
      node.claims = node.claims.map((claim) =>
        resources.includes(claim.resource) ? { ...claim, isHere: true } : claim,
      )
      enterIfAllHere(node, here)
    },
  },
}

/** Lets the path reversal act. If that brings the control token, registers, and passes it on to the node that waits for it. */
function withControl(node: State, here: Here<Message>, act: (inner: Here<ControlMessage>) => void): void {
  let granted: number | null = null
  const inner: Here<ControlMessage> = {
    ...sendingThrough<ControlMessage, object>(
      here,
      (to, message) => here.send(to, message.type === 'token' ? sealed(node, message.fence) : message),
      { words: 'of the control token: ', values: {} },
    ),
    enter: (fence) => {
      granted = fence
    },
  }
  act(inner)
  if (granted === null) return
  register(node, here, granted)
  // The node that has registered releases it, not the one that leaves.
  delete inner.because
  if (node.control.next !== null)
    here.because?.('the control token goes on at once, to node {next}', { next: node.control.next })
  naimiTrehel.release(node.control, inner)
}

/** The control token leaves, and what it says with it. */
function sealed(node: State, fence: number): Message {
  const { entries } = node
  if (entries === null) return impossible('the control token says nothing')
  node.entries = null
  return { type: 'control', fence, entries }
}

/** With the control token in hand: takes what is free, is the last of all that it wants, and inquires for the rest. */
export function register(node: State, here: Here<Message>, fence: number): void {
  const entries = node.entries ?? impossible('the control token says nothing')
  const missing: (Turn & { readonly last: NodeId })[] = []
  node.fence = fence
  node.claims = node.wanted.map((resource) => {
    const { last, turn } = get(entries, resource)
    const kept = node.kept.find((token) => token.resource === resource)
    const isHere = last === null || last === here.self
    if (!isHere) missing.push({ resource, turn, last })
    // Of a token that is kept for another: the inquiry for it says the old turn.
    const claim = { resource, turn: isHere || kept === undefined ? 0 : 1 - kept.turn, isHere, next: null }
    entries[resource] = { last: here.self, turn: claim.turn }
    return claim
  })
  node.kept = node.kept.filter(
    ({ resource }) => !node.claims.some((claim) => claim.isHere && claim.resource === resource),
  )
  here.because?.('node {self} has the control token and is now the last of {wanted}', {
    wanted: node.wanted.join(', '),
  })
  node.wanted = []
  giveBack(node, here)
  for (const [last, turns] of byNode(missing, (each) => each.last)) {
    here.send(last, { type: 'inquire', turns: turns.map(({ resource, turn }) => ({ resource, turn })) })
  }
  enterIfAllHere(node, here)
}

/** Tokens go back into the control token, if it is here and nobody has registered for them since. */
function giveBack(node: State, here: Here<Message>): void {
  const { entries } = node
  if (entries === null) return
  const isUnasked = ({ resource }: Turn) => get(entries, resource).last === here.self
  const isClaimed = ({ resource }: Turn) => node.claims.some((claim) => claim.resource === resource)
  const free = node.kept.filter((token) => isUnasked(token) && !isClaimed(token))
  if (free.length === 0) return
  here.because?.('the control token is at node {self}, and takes {free} back', {
    free: free.map(({ resource }) => resource).join(', '),
  })
  for (const { resource } of free) entries[resource] = { last: null, turn: 0 }
  node.kept = node.kept.filter((token) => !free.includes(token))
}

/** Whether the inquiry is behind this node's request, so that it must wait. If not, the token is here and not in use. */
function noteNext(node: State, here: Here<Message>, { resource, turn }: Turn, from: NodeId): boolean {
  const place = node.claims.findIndex((claim) => claim.resource === resource && claim.turn === turn)
  const claim = node.claims[place]
  if (claim === undefined) {
    const isKept = node.kept.some((token) => token.resource === resource && token.turn === turn)
    return isKept ? false : impossible(`node ${from} inquires for resource ${resource}, which is elsewhere`)
  }
  if (claim.next !== null) impossible(`nodes ${claim.next} and ${from} are both next`)
  here.because?.('node {from} is behind node {self}, which has not finished with {resource}', {
    from,
    resource,
  })
  node.claims[place] = { ...claim, next: from }
  return true
}

function enterIfAllHere(node: State, here: Here<Message>): void {
  const missing = node.claims.filter(({ isHere }) => !isHere)
  if (missing.length > 0) {
    return here.because?.('node {self} still waits for {missing}', {
      missing: missing.map(({ resource }) => resource).join(', '),
    })
  }
  here.because?.('node {self} has the tokens of all that it registered for')
  here.enter(node.fence ?? impossible('it has entered already'))
  node.fence = null
}

/** In the order in which the nodes come first. */
function byNode<Item, Of extends NodeId | null>(
  items: readonly Item[],
  of: (item: Item) => Of,
): Map<Of, Item[]> {
  const groups = new Map<Of, Item[]>()
  for (const item of items) groups.set(of(item), [...(groups.get(of(item)) ?? []), item])
  return groups
}

function freeIn(entries: readonly Entry[], resource: ResourceId | undefined): number {
  return entries.filter(({ last }, of) => last === null && isMeant(of, resource)).length
}

function isMeant(resource: ResourceId, wanted: ResourceId | undefined): boolean {
  return wanted === undefined || wanted === resource
}

function most(nodes: number, resources: number): number {
  return nodes === 1 ? 0 : nodes + 2 * resources
}
