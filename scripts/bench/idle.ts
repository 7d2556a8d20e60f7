/** What a mesh costs that nobody asks for anything. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Fleet } from './fleet.ts'
import type { Spent } from './processor.ts'
import type { Progress } from './progress.ts'

/** As programs have it. */
const LEASE = 2000
/** What forming has begun is over by then. */
const SETTLE_MS = 5000

export interface Idle {
  /** Milliseconds from the first `join`, of processes that are loaded, until all are members. */
  readonly formed: number
  /** Of one core, all processes together. */
  readonly share: number
  /** TCP segments that this machine sent in a second, those of other programs included; null where it does not count. */
  readonly segments: number | null
}

export async function idle(nodes: number, seconds: number, progress: Progress): Promise<Idle> {
  const what = `${nodes} idle nodes`
  progress.begins(what)
  const fleet = await Fleet.of(nodes, { lease: LEASE })
  try {
    await pause(SETTLE_MS)
    const before = await usage(fleet)
    await pause(1000 * seconds)
    const after = await usage(fleet)
    const elapsed = after.at - before.at
    progress.ended(what, `formed in ${Math.round(fleet.formed)} ms`)
    return {
      formed: fleet.formed,
      share: (after.cpu - before.cpu) / 1000 / elapsed,
      segments:
        after.segments === null || before.segments === null
          ? null
          : ((after.segments - before.segments) * 1000) / elapsed,
    }
  } finally {
    await fleet.end()
  }
}

async function usage({ helpers }: Fleet) {
  const each = await Promise.all(helpers.map((helper) => helper.ask<Spent>({ do: 'usage' })))
  return { at: performance.now(), cpu: each.reduce((sum, { cpu }) => sum + cpu, 0), segments: segmentsSent() }
}

/** `OutSegs` of Linux, which are those of the network namespace. */
function segmentsSent(): number | null {
  try {
    const [names, values] = readFileSync('/proc/net/snmp', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('Tcp:'))
      .map((line) => line.split(' '))
    return Number(values[names.indexOf('OutSegs')])
  } catch {
    return null
  }
}
