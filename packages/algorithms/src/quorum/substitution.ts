/**
 * What the arbiter's rules need in addition where a quorum is chosen with every request, and its failed members
 * are replaced by others (Agrawal and El Abbadi 1991; told in Velazquez 1993, section 5). A failure detector
 * names the nodes that have failed.
 *
 * A requester that waits for a failed node asks those it now needs, with the timestamp it has; nothing that it
 * has is given up, and it enters as soon as what was granted includes a quorum. A grant of a node that failed
 * afterwards counts: nobody else can get it. Since any two quorums meet, whatever each side takes to be failed,
 * a wrong suspicion of a member costs messages, never exclusion.
 *
 * An arbiter whose grant went to a failed node takes it back (`reclaim`). That is right only if the detector
 * never errs: a node that lives may be inside. Without it one node that fails inside blocks all others.
 *
 * A node that fails inside takes its fence with it, so who gets a grant that was taken back leaves one number
 * out. That is enough for one such node; of two that fail inside one after the other, with nobody leaving in
 * between, the second may have had the number that a third gets.
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
  /** Whom the failure detector has named, in rising order. */
  down: NodeId[]
}

export interface SubstituteSystem<Options> {
  /** Whether those who have granted hold a quorum. */
  enough(setup: Setup<Options>, granted: readonly NodeId[]): boolean
  /** A quorum without the failed nodes, rather of those asked already; null if none is left. */
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

  // Nobody is told to wait: a requester yields whenever it is asked.
  const rules = arbiterRules<Options>(() => 'none', {
    of: (setup, node) => system.without(setup, [], node, []) ?? [],
    enough: (setup, granted) => system.enough(setup, granted),
  })

  /** What a node asks itself happens at once and is no message. */
  function ask(node: SubstitutionState, here: Place, arbiter: NodeId, time: number): void {
    const request = { type: 'request', time } as const
    if (arbiter === here.self) rules.receive.request(node, here, request, arbiter)
    else here.send(arbiter, request)
  }

  /** Asks whoever is still missing for a quorum of nodes that work. */
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
        // What a failed node sent before it failed would wait for ever at the head of the queue.
        if (here.setup.options.reclaim && node.down.includes(from)) return
        rules.receive.request(node, here, message, from)
      },
      // Either may make us yield, and a failed node that we yielded to must be replaced like any other.
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
