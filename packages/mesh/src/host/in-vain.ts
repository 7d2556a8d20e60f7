/** Whether a node waits in vain to be taken in: the obstacle lies in the settings, and does not pass by itself. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Journal } from '../observe/journal.ts'
import type { MeshStatus } from '../observe/mesh-status.ts'
import { misfitOf } from '../protocol/fit.ts'
import { hearsQuorum, silentWithLease, whyNoFirstView } from '../protocol/standing.ts'
import type { Node } from '../protocol/state.ts'

/** At most so many milliseconds. While machines are started, an address may belong to another mesh for a moment. */
const LONGEST_DOUBT = 2000

export class InVain {
  readonly #node: Node
  readonly #journal: Journal
  #surplusSince = Number.POSITIVE_INFINITY

  constructor(node: Node, journal: Journal) {
    this.#node = node
    this.#journal = journal
  }

  /** Called repeatedly. Throws InvalidInput when it is certain. */
  ask(now: number): void {
    if (this.#node.meeting !== null) return
    const { lease: leaseMs } = this.#node.config.settings
    // A node that has just died still counts as live for some time. Its place may become this node's.
    const misfit = misfitOf(this.#node, now)
    this.#surplusSince = misfit?.isSurplus ? Math.min(this.#surplusSince, now) : Number.POSITIVE_INFINITY
    if (misfit !== null && now - this.#surplusSince > leaseMs) throw new InvalidInput(misfit.text)
    this.#askOthers(now, Math.min(leaseMs, LONGEST_DOUBT))
  }

  /** Whether the voters that refuse this node's settings leave it no majority. */
  #askOthers(now: number, milliseconds: number): void {
    const opponents = this.#journal.disagreements?.opponents(milliseconds) ?? []
    const { voters } = this.#node.config
    if (2 * voters.filter((id) => !opponents.includes(id)).length > voters.length) return
    throw new InvalidInput(`node ${this.#node.id} is refused: ${this.#journal.trouble(now).join('; ')}`)
  }
}

/** Why a node that waited for so many milliseconds is not in a view. */
export function whyNotIn(
  node: Node,
  now: number,
  patienceMs: number,
  { voters, missing, trouble }: Pick<MeshStatus, 'voters' | 'missing' | 'trouble'>,
): string {
  const waited = `in ${Math.round(patienceMs)} ms`
  if (node.meeting !== null)
    return `node ${node.id} did not join ${waited}: ${node.meeting.trouble ?? 'the members of the view do not answer'}`
  const first = whyNoFirstView(node, now)
  if (first !== null)
    return `node ${node.id} did not join ${waited}: ${[...new Set([first, ...trouble])].join('; ')}`
  if (hearsQuorum(node, now)) {
    const heard = 'a majority of the voters is heard, but no view with this node has begun yet'
    const { ids, leftMs } = silentWithLease(node, now)
    const lease = `${ids.join(', ')} may still have a lease, for up to ${Math.ceil(leftMs)} ms`
    const reasons = ids.length === 0 ? [heard] : [heard, lease]
    return `node ${node.id} did not join ${waited}: ${[...reasons, ...trouble].join('; ')}`
  }
  const silent = missing.length === 0 ? [] : [`not heard: ${missing.join(', ')}`]
  const why = [...trouble, ...silent].join('; ')
  return `node ${node.id} found no majority of ${voters.join(', ')} ${waited}${why === '' ? '' : `: ${why}`}`
}
