/**
 * Sanders, "The information structure of distributed mutual exclusion algorithms", ACM TOCS 5(3), 1987, section 7.1:
 * local recovery. A node that learns that another has failed mends its own copy of the information structure, and
 * asks nobody's consent.
 *
 * On the failure of j, node i strikes j from its copy. Where j was the last common member of I_i and I_k, i and k
 * have nobody left who decides between them: from then on each asks the other directly (k joins R_i, i joins R_k),
 * which satisfies the theorem again. If i waits it asks its new members; if j had i's grant, j has released it.
 *
 * The paper says that this never violates exclusion. It does: a node that already has the GRANT of j waits for
 * nothing of j, asks none of the new members, and enters while one of them is inside (the broken variant; a run
 * with five nodes is among its scenarios). Repaired so:
 *  1. Whoever waits asks its new members, whether it had the GRANT of j or not, and those again whose GRANT it has
 *     from when j still decided: it was given without a thought for i.
 *  2. REQUEST and GRANT carry whom their sender knows to have failed, and their receiver first recovers from these.
 *     So the two nodes of a pair agree on who decides between them before one grants to the other. It costs no
 *     message. A GRANT given by one who did not know yet is void.
 *  3. Whoever learns of a failure lets its fence leap: a node that fails inside takes its own with it, and those who
 *     granted to it know only that it was a little more than theirs.
 * And every node asks and tells itself, which costs nothing: the theorem wants it of nodes that decide directly.
 *
 * Needs a perfect failure detector: every failure is found, and nobody is suspected who lives. A node that is
 * suspected wrongly, or cut off, enters beside the others (the tests show it). Costs as Sanders while nobody fails.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Setup } from '@turnwise/core/setup'
import { arbiterEngine } from './arbiter.ts'
import { type ArbiterMessage, type ArbiterState, type QuorumSystem, type Relation } from './arbiter-state.ts'
import { sanders } from './sanders.ts'

export interface RecoveryState extends ArbiterState {
  /** Who has failed, as far as we know. */
  down: NodeId[]
}

type Recovery = Algorithm<RecoveryState, ArbiterMessage>
type Place = Here<ArbiterMessage>

const requestSets: QuorumSystem<object> = {
  of: (setup, requester) => members(setup, requester, []),
  enough: (_setup, granted, _node, asked) => granted.length === asked.length,
}

const relation: Relation<object> = {
  tells: informed,
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
    node.down = [...before, failed].toSorted((a, b) => a - b)
    // As published, whoever has the GRANT of the failed node goes on as if nothing had happened.
    const asked = isRepaired || waitedFor ? members(here.setup, here.self, node.down) : had
    const fresh = asked.filter((other) => {
      const isNew = isDirect(here, other, node.down) && !isDirect(here, other, before)
      return other !== here.self && isNew && (isRepaired || !had.includes(other))
    })
    if (isRepaired) node.fence += LEAP
    mend(node, here, failed, asked, fresh)
  }

  /** False if the message is of no account: its sender has failed. */
  function heed(node: RecoveryState, here: Place, from: NodeId, down: readonly NodeId[] = []): boolean {
    if (node.down.includes(from)) return false
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
        // Asked again: the first REQUEST has not been answered, and will be answered in the light of this one.
        const isKnown = node.queue.some((queued) => queued.node === from && queued.time === message.time)
        if (!isKnown) rules.receive.request(node, here, message, from)
      },
      grant(node, here, message, from) {
        if (!heed(node, here, from, message.down)) return
        const isStale = isDirect(here, from, node.down) && !isDirect(here, from, message.down ?? [])
        if (!(isRepaired && isStale)) rules.receive.grant(node, here, message, from)
      },
      release(node, here, message, from) {
        if (heed(node, here, from)) rules.receive.release(node, here, message, from)
      },
      yield(node, here, message, from) {
        if (heed(node, here, from)) rules.receive.yield(node, here, message, from)
      },
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
      'When a node fails, those who relied on it to decide between them ask each other instead. Each mends its own ' +
      'copy of the information structure; no agreement and no message beyond the requests is needed.',
    sources: ['sanders-1987 §7.1'],
    messages: {
      formula: sanders.facts.messages.formula,
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

/** More entries than any node can have missed. */
const LEAP = 2 ** 32

const SANDERS = { own: 'last', deadlock: 'always' } as const

/** I_i, with i itself. */
function informed({ structure }: Setup, node: NodeId): readonly NodeId[] {
  const told = structure?.inform[node] ?? []
  return told.includes(node) ? told : [...told, node].toSorted((a, b) => a - b)
}

/** Whether nobody who lives decides between the two, so that they must ask each other. */
function isDirect(
  { self, setup }: Pick<Place, 'self' | 'setup'>,
  other: NodeId,
  down: readonly NodeId[],
): boolean {
  const theirs = informed(setup, other)
  return !informed(setup, self).some((node) => theirs.includes(node) && !down.includes(node))
}

/** R_i in the copy of one who knows who has failed. */
function members(setup: Setup, self: NodeId, down: readonly NodeId[]): NodeId[] {
  const asked = setup.structure?.request[self] ?? []
  return Array.from({ length: setup.nodes }, (_, node) => node).filter(
    (node) =>
      !down.includes(node) &&
      (node === self || asked.includes(node) || (down.length > 0 && isDirect({ self, setup }, node, down))),
  )
}
