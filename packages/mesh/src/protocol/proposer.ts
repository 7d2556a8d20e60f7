/** The proposer of a view: R9, R12, R16, R21 and R23. Safety trusts nobody's election: any node may propose at any time. */
import { impossible } from '@turnwise/core/algorithm'
import { randomStream } from '@turnwise/core/random'
import type { MessageOf, PromiseMessage } from './messages.ts'
import { permitsOf } from './names.ts'
import {
  areCompatible,
  debtFor,
  type Holder,
  type Id,
  includesSession,
  type Member,
  type Roster,
  sameSession,
  type ViewRecord,
  type Voter,
  withoutTable,
} from './record.ts'
import { isLive, type Node, type Proposal, send, sendToAll, suspicion, type Turn } from './state.ts'
import { onPrepare } from './voter.ts'

/** R9: a new ballot, above every promise known. The promise to oneself is on disk before PREPARE leaves. */
export function propose(turn: Turn): void {
  const { node, now, rules } = turn
  const heard = Object.values(node.heard).map(({ promised }) => promised)
  const epoch = rules.nextEpoch(Math.max(node.durable.promised.epoch, ...heard), node.begun?.epoch ?? 0)
  node.ballots += 1
  const ballot = `${node.id}/${node.durable.voterId}.${node.durable.k}/${node.ballots}`
  node.proposal = { epoch, ballot, started: now, promises: {}, record: null, accepts: [] }
  node.stirred = now
  const prepare: MessageOf<'prepare'> = { type: 'prepare', epoch, ballot }
  onPrepare(turn, node.id, prepare)
  for (const peer of node.config.peers) if (peer !== node.id) send(turn, peer, prepare)
}

export function onPromise(turn: Turn, from: Id, message: PromiseMessage): void {
  const { proposal } = turn.node
  if (proposal?.ballot !== message.ballot || proposal.record !== null) return
  const before = proposal.promises[from]
  // R12: one session per id, the one in H, else the first.
  const highest = highestAccepted(proposal)
  if (before === undefined || (highest !== null && includesSession(highest, message.session))) {
    proposal.promises[from] = message
  }
  tryDecide(turn)
}

export function onRefuse(turn: Turn, from: Id, { ballot, promised }: MessageOf<'refuse'>): void {
  const { node } = turn
  const heard = node.heard[from]
  if (heard !== undefined) heard.promised = Math.max(heard.promised, promised.epoch)
  if (node.proposal?.ballot === ballot) giveUp(turn)
}

/** R16: nothing is undone. */
export function giveUp({ node, now }: Turn): void {
  node.proposal = null
  node.notBefore = now + backoff(node)
}

/** A length in [S, 2S] that differs between nodes and attempts. */
export function backoff(node: Node): number {
  const { voterId, k } = node.durable
  return suspicion(node) * (1 + randomStream(k * 1000 + node.ballots, voterId).fraction())
}

/** G: longer than any wait of R13 takes. */
function patience({ config }: Node): number {
  const { lease, drift } = config.settings
  return 2 * debtFor(lease, drift) + 4 * config.roundTrip
}

/** On the tick: everything is said again, or given up. */
export function pursue(turn: Turn): void {
  const { node, now } = turn
  const { proposal } = node
  if (proposal === null) return
  if (now - proposal.started > patience(node)) return giveUp(turn)
  if (proposal.record === null) {
    sendToAll(turn, { type: 'prepare', epoch: proposal.epoch, ballot: proposal.ballot })
    tryDecide(turn)
  } else sendToAll(turn, { type: 'install', record: proposal.record, ballot: proposal.ballot })
}

/** H */
function highestAccepted({ promises }: Proposal): Roster | null {
  let highest: Roster | null = null
  for (const { accepted } of Object.values(promises)) {
    if (accepted !== null && accepted.epoch > (highest?.epoch ?? 0)) highest = accepted
  }
  return highest
}

/** R12: once there are promises of a majority of H, and the slower ones had a while to report too. */
function tryDecide(turn: Turn): void {
  const { node, now, rules } = turn
  const { proposal } = node
  if (proposal === null || proposal.record !== null) return
  const { peers, voters, settings } = node.config
  const promised = Object.values(proposal.promises).map(({ session }) => session.voterId)
  const highest = highestAccepted(proposal)
  const among = voters.filter((id) => proposal.promises[id] !== undefined)
  const isEnough =
    highest !== null
      ? rules.enoughPromises(highest, promised)
      : rules.genesisByAll
        ? among.length === voters.length // R21: a majority of empty disks may be a majority that lost its state.
        : 2 * among.length > voters.length
  if (!isEnough) return
  const late = peers.some((id) => proposal.promises[id] === undefined && isLive(node, id, now))
  if (late && now - proposal.started < 0.3 * settings.lease) return
  proposal.record = highest === null ? firstRecord(turn, proposal) : nextRecord(turn, proposal, highest)
  sendToAll(turn, { type: 'install', record: proposal.record, ballot: proposal.ballot })
}

/** R21 */
function firstRecord({ node }: Turn, proposal: Proposal): ViewRecord {
  const { voters, settings } = node.config
  const promises = Object.entries(proposal.promises).toSorted(byId)
  return {
    epoch: proposal.epoch,
    voters: promises
      .filter(([id]) => voters.includes(id))
      .map(([id, { session }]) => ({ id, voterId: session.voterId })),
    oldVoters: null,
    members: promises.filter(([, { begun }]) => begun === null).map(([id, { session }]) => ({ id, session })),
    table: {},
    settings,
  }
}

/** R12: members and table are made anew from the reports; H only limits who may keep its locks. */
function nextRecord(turn: Turn, proposal: Proposal, highest: Roster): ViewRecord {
  const { node, rules } = turn
  const promises = Object.entries(proposal.promises).toSorted(byId)
  // A session that began a view but is not in H stays out, even if its lease runs: H may have been chosen without it.
  const taken = promises.filter(([, { begun, session }]) => begun === null || rules.takesIn(highest, session))
  const members: Member[] = taken.map(([id, { session }]) => ({ id, session }))
  if (!rules.leavesOutSilent) {
    for (const member of highest.members)
      if (!members.some(({ id }) => id === member.id)) members.push(member)
  }
  const table: Record<string, Holder[]> = {}
  for (const [id, { holds }] of taken) {
    for (const [name, claims] of Object.entries(holds)) {
      const holders = (table[name] ??= [])
      for (const claim of claims) holders.push({ id, ...claim })
      if (!areCompatible(holders, permitsOf(name))) {
        impossible(
          `${holders.map((holder) => holder.id).join(' and ')} claim ${name} in ballot ${proposal.ballot}`,
        )
      }
    }
  }
  return {
    epoch: proposal.epoch,
    ...votersAfter(turn, promises, highest),
    members,
    table,
    settings: node.config.settings,
  }
}

/** R23, with R20: a voter that came back without its state is replaced, by one change at a time through a joint view. */
function votersAfter(
  { rules }: Turn,
  promises: readonly [Id, PromiseMessage][],
  highest: Roster,
): Pick<Roster, 'voters' | 'oldVoters'> {
  const { voters, oldVoters, members, epoch } = highest
  const hasBegun = ({ session }: Member) =>
    promises.some(([, promise]) => promise.begun === epoch && sameSession(promise.session, session))
  if (oldVoters !== null) {
    const settled = !rules.settlesFirst || members.every(hasBegun)
    return { voters, oldVoters: settled ? null : oldVoters }
  }
  const wanted = voters.map(({ id, voterId }): Voter => {
    const now = promises.find(([from]) => from === id)?.[1].session.voterId
    return { id, voterId: now ?? voterId }
  })
  const isChange = wanted.some(({ voterId }, i) => voterId !== voters[i].voterId)
  const isKnownChosen = promises.some(([, { begun }]) => begun === epoch)
  if (!isChange || !isKnownChosen) return { voters, oldVoters }
  return { voters: wanted, oldVoters: rules.jointViews ? voters : null }
}

export function onAccepted(turn: Turn, { ballot, voterId }: MessageOf<'accepted'>): void {
  const { node, rules } = turn
  const { proposal } = node
  if (proposal?.ballot !== ballot || proposal.record === null) return
  if (!proposal.accepts.includes(voterId)) proposal.accepts.push(voterId)
  if (!rules.enoughAccepts(proposal.record, proposal.accepts)) return
  // R14: chosen. From here R15 carries it on, whoever dies.
  turn.effects.push({ kind: 'chosen', record: withoutTable(proposal.record) })
  node.proposal = null
  sendToAll(turn, { type: 'begin', epoch: proposal.epoch })
}

function byId([a]: readonly [Id, unknown], [b]: readonly [Id, unknown]): number {
  return a < b ? -1 : 1
}
