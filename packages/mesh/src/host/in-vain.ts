/** Whether a node that waits to be taken in waits in vain: what is in its way is in the settings, and does not pass. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { MeshStatus } from '../mesh-status.ts'
import type { Journal } from '../observe/journal.ts'
import { misfitOf } from '../protocol/fit.ts'
import { whyNoFirstView } from '../protocol/standing.ts'
import type { Node } from '../protocol/state.ts'

/** Milliseconds, at most: an address may be that of another mesh for a moment, while machines are started. */
const LONGEST_DOUBT = 2000

export class InVain {
  readonly #node: Node
  readonly #journal: Journal
  #surplusSince = Number.POSITIVE_INFINITY

  constructor(node: Node, journal: Journal) {
    this.#node = node
    this.#journal = journal
  }

  /** Asked again and again; throws InvalidInput when it is certain. */
  ask(now: number): void {
    if (this.#node.meeting !== null) return
    const { lease } = this.#node.config.settings
    // One that has just died still counts as there for a while: its place may be this node's.
    const misfit = misfitOf(this.#node, now)
    this.#surplusSince = misfit?.isSurplus ? Math.min(this.#surplusSince, now) : Number.POSITIVE_INFINITY
    if (misfit !== null && now - this.#surplusSince > lease) throw new InvalidInput(misfit.text)
    this.#askOthers(now, Math.min(lease, LONGEST_DOUBT))
  }

  /** Those who turn this node away for what it is set to leave it no majority. */
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
  patience: number,
  { voters, missing, trouble }: Pick<MeshStatus, 'voters' | 'missing' | 'trouble'>,
): string {
  const waited = `in ${Math.round(patience)} ms`
  if (node.meeting !== null)
    return `node ${node.id} did not join ${waited}: ${node.meeting.trouble ?? 'the members of the view do not answer'}`
  const first = whyNoFirstView(node, now)
  if (first !== null)
    return `node ${node.id} did not join ${waited}: ${[...new Set([first, ...trouble])].join('; ')}`
  const silent = missing.length === 0 ? [] : [`not heard: ${missing.join(', ')}`]
  const why = [...trouble, ...silent].join('; ')
  return `node ${node.id} found no majority of ${voters.join(', ')} ${waited}${why === '' ? '' : `: ${why}`}`
}
