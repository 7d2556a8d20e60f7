/** The entry of one process of `turnwise up`: joins, takes turns at every name for ever, and tells its parent of each. */
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from '@turnwise/core/bounds'
import { type Random, randomStream } from '@turnwise/core/random'
import { joinNode } from '@turnwise/mesh/join'
import { monotonic } from '@turnwise/mesh/lease/clock'
import { NoQuorumError } from '@turnwise/mesh/locks/errors'
import type { Held } from '@turnwise/mesh/locks/held'
import type { MeshNode } from '@turnwise/mesh/mesh'
import { nameOf } from '@turnwise/mesh/venue'
import { recordFile } from './record-files.ts'
import type { MemberOptions, Word } from './up-messages.ts'

const BEAT_MS = 100
/** Bytes: all of it is gone through when the run ends, and people wait for that. */
const MOST_AUDIT = 2 ** 22
/** Slow enough to be watched, and busy enough that somebody waits. */
const THINK_MS = { least: 100, most: 900 }
const HOLD_MS = { least: 50, most: 250 }

// The program that started this is gone, however it ended: nobody would end this process.
process.on('disconnect', () => process.exit())
if (!process.connected) process.exit()

const options = JSON.parse(get(process.argv, 2)) as MemberOptions
const inside = new Map<string, Held>()

function tell(word: Word): void {
  // A parent that is going has closed its end; the disconnect ends this process.
  process.send?.(word, undefined, undefined, () => {})
}

try {
  const mesh = await joined()
  if (options.record !== null) record(mesh, options.record)
  tell({ is: 'joined', at: monotonic() })
  beat(mesh)
  setInterval(() => beat(mesh), BEAT_MS)
  await Promise.all(options.names.map((name) => takeTurns(mesh, name)))
} catch (error) {
  tell({ is: 'failed', message: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
  process.disconnect()
}

/** Without its engine a member cannot begin, and tries again. */
async function joined(): Promise<MeshNode> {
  const { id, joining, algorithm, leaseMs } = options
  const audit = { file: options.audit, limit: MOST_AUDIT }
  for (;;) {
    try {
      return await joinNode({ id, algorithm, lease: leaseMs, audit, ...joining, log: () => {} })
    } catch (error) {
      if (joining.at === undefined || !(error instanceof NoQuorumError)) throw error
      await sleep(BEAT_MS)
    }
  }
}

/** At a meeting place a session is named after its node. */
function nodeOf(id: string): string {
  return options.joining.at === undefined ? id : nameOf(id)
}

function record(mesh: MeshNode, directory: string): void {
  const cast = { names: options.ids, nameOf: nodeOf }
  for (const name of options.names)
    mesh.record(name, recordFile(directory, name, options.id), undefined, cast)
}

async function takeTurns(mesh: MeshNode, name: string): Promise<never> {
  const random = randomStream(options.seed, `${options.id} at ${name}`)
  for (;;) {
    await sleep(between(random, THINK_MS))
    const asked = monotonic()
    tell({ is: 'asks', name, at: asked })
    await takeTurn(await mesh.locks.acquire(name, { waitForQuorum: true }), asked, between(random, HOLD_MS))
  }
}

async function takeTurn(held: Held, asked: number, milliseconds: number): Promise<void> {
  const { name } = held
  // The clock is read before the question: what is held then was held at that time too.
  const at = monotonic()
  if (held.isHeld) {
    tell({ is: 'enters', name, at, fence: String(held.fence), waitedMs: at - asked })
    inside.set(name, held)
    await sleep(milliseconds, undefined, { signal: held.signal }).catch(() => {})
    inside.delete(name)
  }
  const left = monotonic()
  tell({ is: held.isHeld ? 'leaves' : 'loses', name, at: left })
  held.release()
}

function beat(mesh: MeshNode): void {
  const at = monotonic()
  const holds = [...inside].filter(([, held]) => held.isHeld).map(([name]) => name)
  const { epoch, members: sessions, leaseLeft, sent, place } = mesh.status
  const members = [...new Set(sessions.map(nodeOf))]
  tell({ is: 'beats', at, epoch, members, leaseLeft, sent, place, holds })
}

function between(random: Random, { least, most }: { least: number; most: number }): number {
  return least + random.below(most - least + 1)
}
