/**
 * Additional rules for arbiters if a requester chooses a quorum with every request, and replaces its failed members
 * (Agrawal and El Abbadi 1991; told in Velazquez 1993, section 5). A failure detector names the nodes that have failed.
 *
 * A requester that waits for a failed node asks the nodes it now needs, with the timestamp it has. It gives up no
 * grant, and enters as soon as its grants include a quorum. A grant of a node that failed afterwards still counts: no
 * other node can get it. Any two quorums meet, whichever nodes each side takes for failed, so a wrong suspicion of a
 * member costs messages, never exclusion.
 *
 * An arbiter whose grant went to a failed node takes it back (`reclaim`). That is safe only if the detector never errs,
 * since a living node may be inside. Without it a node that fails inside blocks all others.
 *
 * A node that fails inside takes its fence with it, so the next holder of a reclaimed grant skips one number. That is
 * enough for one such node. If two nodes fail inside one after the other, and none leaves in between, the second may
 * have had the number that a third gets.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import type { Shapes } from '@turnwise/core/shape'
import { arbiterEngine } from './arbiter.ts'
import {
  ARBITER_SHAPES,
  type ArbiterMessage,
  type ArbiterState,
  ownRequest,
  type QuorumSystem,
  SAME,
} from './arbiter-state.ts'

export interface SubstitutionOptions {
  reclaim: boolean
}

export interface SubstitutionState extends ArbiterState {
  /** The nodes that the failure detector has named, in rising order. */
  down: NodeId[]
}

export interface SubstituteSystem<Options> {
  /** Whether the nodes that have granted include a quorum. */
  enough(setup: Setup<Options>, granted: readonly NodeId[]): boolean
  /** A quorum without the failed nodes, preferably of nodes already asked; null if none is left. */
  without(
    setup: Setup<Options>,
    down: readonly NodeId[],
    node: NodeId,
    asked: readonly NodeId[],
  ): readonly NodeId[] | null
}

export const RECLAIM = {
  reclaim: {
    kind: 'flag',
    default: true,
    title: 'Take grants back from suspects',
    about: 'take back the grant of a node that the failure detector names; wrong if the detector errs',
  },
} as const

export const SUBSTITUTION_SHAPES: Shapes<SubstitutionState, ArbiterMessage> = {
  ...ARBITER_SHAPES,
  state: { ...ARBITER_SHAPES.state, down: { list: 'node' } },
}

type Rules<Options> = Required<
  Pick<
    Algorithm<SubstitutionState, ArbiterMessage, Options>,
    'init' | 'request' | 'release' | 'receive' | 'suspect' | 'restore' | 'enough'
  >
>

export function substitutionRules<Options extends SubstitutionOptions>(
  system: SubstituteSystem<Options>,
): Rules<Options> {
  type Place = Here<ArbiterMessage, Options>

  // No FAIL is sent: a requester yields whenever it is asked.
  const quorums: QuorumSystem<Options> = {
    of: (setup, node) => system.without(setup, [], node, []) ?? [],
    enough: (setup, granted) => system.enough(setup, granted),
  }
  const { rules, grantNext } = arbiterEngine<Options>(() => 'none', quorums, SAME)

  /** A node acts at once on what it asks itself, without a message. */
  function ask(node: SubstitutionState, here: Place, arbiter: NodeId, time: number): void {
    const request = { type: 'request', time } as const
    if (arbiter === here.self) rules.receive.request(node, here, request, arbiter)
    else here.send(arbiter, request)
  }

  /** Asks the nodes that are still missing for a quorum of living nodes. */
  function askMissing(node: SubstitutionState, here: Place): void {
    const { ours } = node
    if (ours === null || ours.inside) return
    const { asked, time } = ours
    const gone = node.down.filter((peer) => !ours.grants.includes(peer))
    if (asked.length > 0 && gone.length === 0) return
    const wanted = system.without(here.setup, gone, here.self, asked)
    if (wanted === null)
      return here.because?.('without {gone} no quorum is left that node {self} could ask', { gone })
    const missing = wanted.filter((arbiter) => !asked.includes(arbiter))
    if (asked.length === 0) sayWhom(here, missing, time)
    else sayWhomElse(here, missing, gone)
    ours.asked = [...asked, ...missing].toSorted((a, b) => a - b)
    for (const arbiter of missing) ask(node, here, arbiter, time)
  }

  return {
    enough: (setup, up) => system.enough(setup, up),

    init: (self, setup) => ({ ...rules.init(self, setup), down: [] }),

    request(node, here) {
      node.clock += 1
      node.ours = ownRequest(node.clock, [])
      askMissing(node, here)
    },

    release: rules.release,

    receive: {
      ...rules.receive,
      request(node, here, message, from) {
        // A request of a failed node would stay at the head of the queue for ever.
        if (here.setup.options.reclaim && node.down.includes(from))
          return here.because?.('node {self} does not grant to node {from}, which has failed', { from })
        rules.receive.request(node, here, message, from)
      },
      // Either may make us yield. A failed node that we yielded to must be replaced like any other. Where no quorum was left,
      // a late grant of a failed node may make one possible again.
      grant(node, here, message, from) {
        rules.receive.grant(node, here, message, from)
        askMissing(node, here)
      },
      inquire(node, here, message, from) {
        rules.receive.inquire(node, here, message, from)
        askMissing(node, here)
      },
    },

    suspect(node, here, peer) {
      node.down = [...node.down, peer].toSorted((a, b) => a - b)
      sayWhatIsLost(node, here, peer)
      if (here.setup.options.reclaim) {
        node.queue = node.queue.filter((queued) => queued.node !== peer)
        if (node.granted?.node === peer) {
          here.because?.('node {peer} has failed with the grant of node {self}, which takes it back', {
            peer,
          })
          node.takenBack = true
          grantNext(node, here)
        }
      }
      askMissing(node, here)
    },

    restore(node, here, peer) {
      here.because?.('node {peer} is back, and node {self} may ask it again', { peer })
      node.down = node.down.filter((other) => other !== peer)
      askMissing(node, here)
    },
  }
}

type Speaker = Pick<Here, 'self' | 'because'>

function sayWhom(here: Speaker, quorum: readonly NodeId[], time: number): void {
  if (quorum.some((arbiter) => arbiter !== here.self))
    here.because?.('node {self} needs the grants of a quorum, {quorum}, and asks with stamp {time}.{self}', {
      quorum,
      time,
    })
  else here.because?.('node {self} alone is a quorum, and asks nobody else')
}

function sayWhomElse(here: Speaker, missing: readonly NodeId[], gone: readonly NodeId[]): void {
  if (missing.some((arbiter) => arbiter !== here.self))
    here.because?.('without {gone} node {self} needs the grants of {missing} too', { gone, missing })
  else if (missing.length > 0) here.because?.('without {gone} node {self} needs its own grant too', { gone })
}

/** What the failure of a node means to our own request. */
function sayWhatIsLost({ ours }: SubstitutionState, here: Speaker, peer: NodeId): void {
  if (ours === null || ours.inside)
    here.because?.('node {self} waits for no grant, so it need not replace node {peer}', { peer })
  else if (ours.grants.includes(peer))
    here.because?.('node {self} keeps the grant of node {peer}: no other node can get it', { peer })
  else if (ours.asked.includes(peer))
    here.because?.('node {peer} has failed, and its grant to node {self} is missing', { peer })
  else here.because?.('node {self} has not asked node {peer}, which has failed', { peer })
}
