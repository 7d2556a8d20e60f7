/**
 * Sanders, "The information structure of distributed mutual exclusion algorithms", ACM TOCS 5(3), 1987, section 7.1:
 * local recovery. A node that learns of a failure repairs its own copy of the information structure, without the
 * consent of others.
 *
 * On the failure of j, node i removes j from its copy. If j was the last common member of I_i and I_k, no node is left
 * to decide between i and k. From then on each asks the other directly (k joins R_i, i joins R_k), which satisfies the
 * theorem again. If i waits, it asks its new members. If j had i's grant, the grant counts as released.
 *
 * The paper says that this never violates exclusion. It does: a node that already has the GRANT of j does not wait for
 * j, asks none of the new members, and enters while one of them is inside (the broken variant; a scenario shows a run
 * with five nodes). Our repairs:
 *  1. A waiting node asks its new members, whether or not it had the GRANT of j. It asks those again whose GRANT it has
 *     from the time when j still decided: that GRANT did not take i into account.
 *  2. REQUEST and GRANT carry the failures that their sender knows of, and the receiver first recovers from these. So
 *     the two nodes of a pair agree on who decides between them before one grants to the other. This costs no message.
 *     A GRANT from a node that did not know yet is void.
 *  3. A node that learns of a failure raises its fence by a leap. A node that fails inside takes its fence with it, and
 *     the nodes that granted to it know only that it was a little above theirs.
 * And every node asks and tells itself, which costs nothing: the theorem requires it of nodes that decide directly.
 *
 * Needs a perfect failure detector: it finds every failure and suspects no living node. A node that another wrongly
 * suspects waits for it for ever. Two that suspect each other, as in a partition, can be inside together (the tests
 * show both). Costs as Sanders while no node fails.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import { arbiterEngine } from './arbiter.ts'
import type { ArbiterMessage, ArbiterState, QuorumSystem, Relation } from './arbiter-state.ts'
import { sanders } from './sanders.ts'

export interface RecoveryState extends ArbiterState {
  /** The nodes that have failed, as far as we know. */
  down: NodeId[]
}

type Recovery = Algorithm<RecoveryState, ArbiterMessage>
type Place = Here<ArbiterMessage>

const requestSets: QuorumSystem<object> = {
  called: 'request set',
  of: (setup, requester) => members(setup, requester, []),
  enough: (_setup, granted, _node, asked) => granted.length === asked.length,
}

const relation: Relation<object> = {
  // A failed node is no longer asked, and need not be told.
  tells: (setup, requester, asked) => informed(setup, requester).filter((node) => asked.includes(node)),
  remembers: (setup, arbiter, requester) => informed(setup, requester).includes(arbiter),
  ownGrant: () => 'last',
  withGrant: (state) => ({ clock: state.clock, down: (state as RecoveryState).down }),
  withRequest: (state) => ({ down: (state as RecoveryState).down }),
  failHelps: () => true,
  inquireHelps: () => true,
}

const { rules, ask, mend } = arbiterEngine<object>(() => 'all', requestSets, relation)

/** `published` leaves out the repairs. */
export function recoveryRules(
  version: 'published' | 'repaired',
): Pick<Recovery, 'init' | 'request' | 'release' | 'receive' | 'suspect'> {
  const isRepaired = version === 'repaired'

  function recover(node: RecoveryState, here: Place, failed: NodeId): void {
    if (failed === here.self || node.down.includes(failed)) return
    const before = node.down
    const had = node.ours?.asked ?? []
    const waitedFor = had.includes(failed) && !node.ours?.grants.includes(failed)
    here.because?.('node {failed} has failed, so node {self} removes it from its copy of the structure', {
      failed,
    })
    node.down = [...before, failed].toSorted((a, b) => a - b)
    // As published, a node that has the GRANT of the failed node goes on as if nothing had happened.
    const asked = isRepaired || waitedFor ? members(here.setup, here.self, node.down) : had
    const fresh = asked.filter((other) => {
      const isNew = isDirect(here, other, node.down) && !isDirect(here, other, before)
      return other !== here.self && isNew && (isRepaired || !had.includes(other))
    })
    if (isRepaired) node.fence += LEAP
    mend(node, here, failed, asked, fresh)
  }

  /** False if the message must be ignored: its sender has failed. */
  function heed(node: RecoveryState, here: Place, from: NodeId, down: readonly NodeId[] = []): boolean {
    if (node.down.includes(from)) {
      here.because?.('node {self} ignores what node {from} sent before it failed', { from })
      return false
    }
    if (isRepaired) for (const failed of down) recover(node, here, failed)
    return true
  }

  return {
    init: (self, setup) => ({ ...rules.init(self, setup), down: [] }),
    request: (node, here) => ask(node, here, members(here.setup, here.self, node.down)),
    release: rules.release,
    suspect: recover,

    receive: {
      ...rules.receive,
      request(node, here, message, from) {
        if (!heed(node, here, from, message.down)) return
        // Asked again: the first REQUEST has no answer yet, and one answer serves both.
        const isKnown = node.queue.some((queued) => queued.node === from && queued.time === message.time)
        if (isKnown)
          return here.because?.('the request of node {from} is in the queue of node {self} already', { from })
        rules.receive.request(node, here, message, from)
      },
      grant(node, here, message, from) {
        if (!heed(node, here, from, message.down)) return
        const isStale = isDirect(here, from, node.down) && !isDirect(here, from, message.down ?? [])
        if (isRepaired && isStale)
          return here.because?.('node {from} granted before it knew of the failure, so its grant is void', {
            from,
          })
        rules.receive.grant(node, here, message, from)
      },
      // RELEASE and YIELD need no such test: the grant to a failed node is taken back already.
      fail(node, here, message, from) {
        if (heed(node, here, from)) rules.receive.fail(node, here, message, from)
      },
      inquire(node, here, message, from) {
        if (heed(node, here, from)) rules.receive.inquire(node, here, message, from)
      },
    },
  }
}

export const sandersRecovery: Recovery = {
  facts: {
    ...sanders.facts,
    name: 'sanders-recovery',
    title: 'Sanders, local recovery',
    idea:
      'When a node fails, nodes that relied on it to decide between them ask each other instead. Each repairs its ' +
      'own copy of the information structure. That needs no agreement and no message beyond the requests.',
    sources: ['sanders-1987 §7.1'],
    messages: {
      formula: sanders.facts.messages.formula,
      letters: (setup) => sanders.facts.messages.letters?.({ ...setup, options: SANDERS }) ?? {},
      light: (setup) => sanders.facts.messages.light({ ...setup, options: SANDERS }),
      heavy: (setup) => sanders.facts.messages.heavy({ ...setup, options: SANDERS }),
    },
    syncDelay: {
      formula: sanders.facts.syncDelay.formula,
      hops: (setup) => sanders.facts.syncDelay.hops({ ...setup, options: SANDERS }),
    },
    faults: [...sanders.facts.faults, 'crash'],
  },
  options: {},
  shapes: {
    ...sanders.shapes,
    state: { ...sanders.shapes.state, down: { list: 'node' } },
    messages: {
      ...sanders.shapes.messages,
      request: { ...sanders.shapes.messages.request, down: { list: 'node' } },
      grant: { ...sanders.shapes.messages.grant, down: { list: 'node' } },
    },
  },
  ...recoveryRules('repaired'),
}

/** More than the number of entries that any node can have missed. */
const LEAP = 2 ** 32

const SANDERS = { own: 'last', deadlock: 'always' } as const

/** I_i, with i itself. */
function informed({ structure }: Setup, node: NodeId): readonly NodeId[] {
  const told = structure?.inform[node] ?? []
  return told.includes(node) ? told : [...told, node]
}

/** Whether no living node decides between the two, so that they must ask each other. */
function isDirect(
  { self, setup }: Pick<Place, 'self' | 'setup'>,
  other: NodeId,
  down: readonly NodeId[],
): boolean {
  const theirs = informed(setup, other)
  return !informed(setup, self).some((node) => theirs.includes(node) && !down.includes(node))
}

/** R_i in the copy of a node that knows these failures. */
function members(setup: Setup, self: NodeId, down: readonly NodeId[]): NodeId[] {
  const asked = setup.structure?.request[self] ?? []
  return Array.from({ length: setup.nodes }, (_, node) => node).filter(
    (node) =>
      !down.includes(node) &&
      (node === self || asked.includes(node) || (down.length > 0 && isDirect({ self, setup }, node, down))),
  )
}
