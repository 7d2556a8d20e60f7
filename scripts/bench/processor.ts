/** What a round costs a process of the benchmark: wall time depends on what else the machine does, processor time hardly. */
import { now, type Span, type Standing } from './talk.ts'

export interface Spent {
  /** Microseconds of processor time, of all threads. */
  readonly cpu: number
  /** How often a thread of the process fell asleep and had to be woken. */
  readonly sleeps: number
}

/** Since the process began. */
export function spent(): Spent {
  const { userCPUTime, systemCPUTime, voluntaryContextSwitches } = process.resourceUsage()
  return { cpu: userCPUTime + systemCPUTime, sleeps: voluntaryContextSwitches }
}

export function standing(): Standing {
  return { ...spent(), memory: process.memoryUsage.rss() }
}

/** What `count` counts when the span begins, and when it ends. */
export function atEnds<Count>(span: Span, count: () => Count): Promise<[Count, Count]> {
  const at = (when: number) =>
    new Promise<Count>((resolve) => {
      setTimeout(() => resolve(count()), when - now())
    })
  return Promise.all([at(span.from), at(span.until)])
}

export async function spentWithin(span: Span): Promise<Spent> {
  const [before, after] = await atEnds(span, spent)
  return { cpu: after.cpu - before.cpu, sleeps: after.sleeps - before.sleeps }
}
