import type { Trace, TraceEvent } from '../trace/trace.ts'
import { ExclusionJudge } from './exclusion.ts'
import { FenceJudge } from './fence.ts'
import type { Findings } from './judge.ts'

export interface JudgedTrace {
  /** With every violation where it was found. */
  readonly trace: Trace
  readonly violations: number
}

/**
 * Judges a run that no judge saw while it happened: exclusion and fences. Not progress, for a record may end at any
 * moment. Of a node that is not seen any more nothing is known, so it counts as outside.
 */
export function judgeTrace({ header, events }: Trace): JudgedTrace {
  const exclusion = new ExclusionJudge(header.entries)
  const fence = new FenceJudge(header.entries)
  const judged: TraceEvent[] = []
  const judges: Findings[] = [exclusion.findings, fence.findings]
  for (const findings of judges) {
    findings.heard = (violation) => judged.push({ is: 'violation', ...violation })
  }
  for (const event of events) {
    judged.push(event)
    if (event.is === 'enter') {
      const { at, node, mode } = event
      exclusion.entered(at, node, mode)
      fence.entered(at, node, mode, typeof event.fence === 'string' ? BigInt(event.fence) : event.fence)
    } else if (ENDS_A_STAY.has(event.is) && 'node' in event) exclusion.left(event.node)
  }
  const violations = judges.reduce((sum, { count }) => sum + count, 0)
  return { trace: { header, events: judged }, violations }
}

const ENDS_A_STAY: ReadonlySet<TraceEvent['is']> = new Set(['leave', 'crash', 'restart', 'gone', 'unseen'])
