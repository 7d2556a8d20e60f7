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
import { arbiterRules } from './arbiter.ts'
import { ARBITER_SHAPES, type ArbiterMessage, type ArbiterState, ownRequest } from './arbiter-state.ts'

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
  const rules = arbiterRules<Options>(() => 'none', {
    of: (setup, node) => system.without(setup, [], node, []) ?? [],
    enough: (setup, granted) => system.enough(setup, granted),
  })

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
    const wanted = system.without(here.setup, gone, here.self, asked) ?? []
    const missing = wanted.filter((arbiter) => !asked.includes(arbiter))
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
        if (here.setup.options.reclaim && node.down.includes(from)) return
        rules.receive.request(node, here, message, from)
      },
      // Either may make us yield. A failed node that we yielded to must be replaced like any other.
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
      if (here.setup.options.reclaim) {
        node.queue = node.queue.filter((queued) => queued.node !== peer)
        if (node.granted?.node === peer) {
          node.takenBack = true
          rules.receive.release(
            node,
            here,
            { type: 'release', time: node.granted.time, fence: node.fence },
            peer,
          )
        }
      }
      askMissing(node, here)
    },

    restore(node, here, peer) {
      node.down = node.down.filter((other) => other !== peer)
      askMissing(node, here)
    },
  }
}
