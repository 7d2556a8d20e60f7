/** What a mesh costs that nobody asks for anything. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '@turnwise/core/bounds'
import { defaultVoters } from '../../packages/mesh/dist/join.js'
import { atLeast } from '../../test/present.ts'
import { Fleet, idsOf } from './fleet.ts'
import { type Helper, startHelper } from './program.ts'
import type { Progress } from './progress.ts'
import type { Standing } from './talk.ts'

/** As programs have it. */
const LEASE = 2000

export interface Idle {
  /** Milliseconds from the first `join`, of processes that are loaded, until all are members. */
  readonly formed: number
  /** Milliseconds of processor time of each process: until it was loaded, and from there until all were members. */
  readonly loading: number
  readonly forming: number
  /** Of one core, all processes together. */
  readonly share: number
  /** Those that vote, and those that do not. */
  readonly voters: Kind
  readonly others: Kind
  /** Bytes of memory of each process, when it ends. */
  readonly memory: number
  /** TCP segments that this machine sent in a second, those of other programs included; null where it does not count. */
  readonly segments: number | null
  /** The share of bare processes that exchange as many messages over sockets of Node, and do nothing else. */
  readonly bareShare: number
}

/** What one process of its kind does in a second. */
export interface Kind {
  readonly count: number
  /** Milliseconds of processor time. */
  readonly cpu: number
  readonly wakeUps: number
}

/** Measures for so many seconds, so many seconds after all have joined. */
export async function idle(
  nodes: number,
  settle: number,
  seconds: number,
  progress: Progress,
): Promise<Idle> {
  const bareShare = await bare(nodes, settle, seconds, progress)
  const what = `${nodes} idle nodes`
  progress.begins(what)
  const fleet = await Fleet.of(nodes, { lease: LEASE })
  try {
    const joined = await look(fleet.helpers)
    await pause(1000 * settle)
    const before = await look(fleet.helpers)
    await pause(1000 * seconds)
    const after = await look(fleet.helpers)
    const elapsed = (after.at - before.at) / 1000
    progress.ended(what, `formed in ${Math.round(fleet.formed)} ms`)
    const voters = new Set(defaultVoters(idsOf(nodes)))
    const kind = (isVoting: boolean): Kind => {
      const which = idsOf(nodes).flatMap((id, i) => (voters.has(id) === isVoting ? [i] : []))
      const each = (of: 'cpu' | 'sleeps') =>
        mean(which.map((i) => get(after.each, i)[of] - get(before.each, i)[of])) / elapsed
      return { count: which.length, cpu: each('cpu') / 1000, wakeUps: each('sleeps') }
    }
    const [voting, others] = [kind(true), kind(false)]
    return {
      formed: fleet.formed,
      loading: mean(fleet.loaded.map(({ cpu }) => cpu)) / 1000,
      forming: mean(joined.each.map(({ cpu }, i) => cpu - get(fleet.loaded, i).cpu)) / 1000,
      share: (voting.count * voting.cpu + others.count * others.cpu) / 1000,
      voters: voting,
      others,
      memory: mean(after.each.map(({ memory }) => memory)),
      segments:
        after.segments === null || before.segments === null
          ? null
          : (after.segments - before.segments) / elapsed,
      bareShare,
    }
  } finally {
    await fleet.end()
  }
}

/** As in an idle mesh: a voter speaks twice a second to each other voter, all others once to each voter. */
async function bare(nodes: number, settle: number, seconds: number, progress: Progress): Promise<number> {
  const what = `${nodes} bare processes`
  progress.begins(what)
  const helpers = Array.from({ length: nodes }, () => startHelper('./exchange-process.ts'))
  try {
    const ports = await Promise.all(helpers.map((helper) => helper.ask<number>({ do: 'listen' })))
    const voters = defaultVoters(idsOf(nodes)).length
    // One of two voters asks, and the other one answers.
    await Promise.all(
      helpers.map((helper, i) =>
        helper.ask({
          do: 'exchange',
          ports: ports.slice(0, Math.min(i, voters)),
          every: i < voters ? LEASE / 4 : LEASE / 2,
        }),
      ),
    )
    await pause(1000 * settle)
    const before = await look(helpers)
    await pause(1000 * seconds)
    const after = await look(helpers)
    const spent = after.each.reduce((sum, { cpu }, i) => sum + cpu - get(before.each, i).cpu, 0)
    const share = spent / 1000 / (after.at - before.at)
    progress.ended(what, `${(100 * share).toFixed(1)} % of one core`)
    return share
  } finally {
    await Promise.all(helpers.map((helper) => helper.end()))
  }
}

async function look(helpers: readonly Helper[]) {
  const each = await Promise.all(helpers.map((helper) => helper.ask<Standing>({ do: 'usage' })))
  return { at: performance.now(), each, segments: segmentsSent() }
}

/** 0 if there are none. */
function mean(some: readonly number[]): number {
  return some.reduce((sum, each) => sum + each, 0) / Math.max(1, some.length)
}

/** `OutSegs` of Linux, which are those of the network namespace. */
function segmentsSent(): number | null {
  try {
    const [names, values] = atLeast(
      2,
      readFileSync('/proc/net/snmp', 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('Tcp:'))
        .map((line) => line.split(' ')),
    )
    return Number(values[names.indexOf('OutSegs')])
  } catch {
    return null
  }
}
