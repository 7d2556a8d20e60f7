import type { Trace, TraceEvent } from '../trace/trace.ts'
import { HoldJudge } from './hold-judge.ts'

export interface JudgedTrace {
  /** With every violation where it was found. */
  readonly trace: Trace
  readonly violations: number
}

/**
 * Judges exclusion and fences of a run that no judge saw while it happened. Not progress, since a record may end at any
 * moment. A node whose record has ended counts as outside.
 */
export function judgeTrace({ header, events }: Trace): JudgedTrace {
  const judge = new HoldJudge(header.entries)
  const judged: TraceEvent[] = []
  for (const findings of judge.findings) {
    findings.heard = (violation) => judged.push({ is: 'violation', ...violation })
  }
  for (const event of events) {
    judged.push(event)
    if (event.is === 'enter') {
      const { at, node, mode, fence, resources } = event
      judge.entered(at, node, mode, typeof fence === 'string' ? BigInt(fence) : fence, resources)
    } else if (event.is === 'downgrade') judge.exclusion.downgraded(event.node)
    else if (ENDS_A_STAY.has(event.is) && 'node' in event) judge.left(event.node)
  }
  const violations = judge.findings.reduce((sum, { count }) => sum + count, 0)
  return { trace: { header, events: judged }, violations }
}

const ENDS_A_STAY: ReadonlySet<TraceEvent['is']> = new Set(['leave', 'crash', 'restart', 'gone', 'unseen'])
