import type { Mode, NodeId, ResourceId } from '../algorithm.ts'
import { get } from '../bounds.ts'
import type { Shapes } from '../shape.ts'
import { ExclusionJudge } from './exclusion-judge.ts'
import { FenceJudge, type FenceNumber } from './fence-judge.ts'
import type { Violation } from './findings.ts'

/** The judge of holds: never more together than allowed, and with rising fences. */
export class HoldJudge {
  readonly exclusion: ExclusionJudge
  readonly fences: FenceJudge

  constructor(entries: number, fence: Pick<Shapes['fence'], 'slots'> = {}) {
    this.exclusion = new ExclusionJudge(entries)
    this.fences = new FenceJudge(entries, fence)
  }

  entered(at: number, node: NodeId, mode: Mode, fence: FenceNumber, resources?: readonly ResourceId[]): void {
    this.exclusion.entered(at, node, mode, resources)
    this.fences.entered(at, node, mode, fence, resources)
  }

  /** Only of a node that was inside alone. */
  downgraded(node: NodeId): void {
    this.exclusion.downgraded(node)
    this.fences.downgraded()
  }

  left(node: NodeId): void {
    this.exclusion.left(node)
  }

  get findings() {
    return [this.exclusion.findings, this.fences.findings] as const
  }
}

/** One hold, as a log tells it. It was certainly valid from `from` to `until`, perhaps longer. */
export interface Hold {
  readonly mode: Mode
  readonly fence: FenceNumber
  readonly from: number
  readonly until: number
  /** Of an exclusive hold: since when it was shared. */
  readonly sharedFrom?: number | undefined
  /** The resources of a name that has several. Holds without a common one do not exclude each other. */
  readonly resources?: readonly ResourceId[] | undefined
}

export interface HoldFinding<Held extends Hold> extends Pick<Violation, 'at'> {
  readonly judge: 'exclusion' | 'fence'
  /** In the order of their beginnings. For a fence the second should exceed the first. */
  readonly holds: readonly Held[]
}

/** What comes first at one moment. */
const LEAVES = 0
const SHARES = 1
const ENTERS = 2
const LEAVES_AT_ONCE = 3

/** What is wrong with the holds of one name, in whatever order they were told. */
export function judgeHolds<Held extends Hold>(told: readonly Held[], permits = 1): HoldFinding<Held>[] {
  const holds = told.toSorted((a, b) => a.from - b.from)
  const judge = new HoldJudge(permits)
  const events = holds.flatMap(({ from, until, sharedFrom }, i) => [
    { at: from, i, order: ENTERS },
    ...(sharedFrom === undefined ? [] : [{ at: sharedFrom, i, order: SHARES }]),
    // A holder that leaves at the moment another enters is not inside with it, unless its hold is a single moment.
    { at: until, i, order: until > from ? LEAVES : LEAVES_AT_ONCE },
  ])
  events.sort((a, b) => a.at - b.at || a.order - b.order)
  for (const { at, i, order } of events) {
    const { mode, fence, resources } = get(holds, i)
    if (order === ENTERS) judge.entered(at, i, mode, fence, resources)
    else if (order === SHARES) judge.downgraded(i)
    else judge.left(i)
  }
  return judge.findings.flatMap(({ first }) =>
    first.map(({ judge, at, nodes }) => ({
      judge: judge === 'fence' ? 'fence' : 'exclusion',
      at,
      holds: nodes.map((i) => get(holds, i)),
    })),
  )
}
