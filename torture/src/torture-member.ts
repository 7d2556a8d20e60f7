/**
 * The entry of one node's process: joins, takes turns at every name for ever, uses the register in each, and tells the
 * referee. Inside it does not look at its lease: it writes when it is done, as most programs do, and the fence has to tell
 * whether that was too late.
 */
import { mkdirSync } from 'node:fs'
import { join as pathOf } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '@turnwise/core/algorithm'
import { type Random, randomStream } from '@turnwise/core/random'
import { joinNode } from '@turnwise/mesh/join'
import { monotonic } from '@turnwise/mesh/lease/clock'
import { LockStolenError, NoQuorumError } from '@turnwise/mesh/locks/errors'
import { heldOf } from '@turnwise/mesh/locks/group'
import type { Held } from '@turnwise/mesh/locks/held'
import type { LockOptions } from '@turnwise/mesh/locks/options'
import type { Loss } from '@turnwise/mesh/protocol/events'
import type { Mesh } from '@turnwise/mesh/surface'
import { RefereeLine } from './referee-line.ts'
import { HOARD, LONGEST_STAY, type Lock, type MemberOptions, type MemberWord } from './torture-messages.ts'

const BEAT_MS = 100
const THINK_MS = 60
/** Between the turns of a burst. */
const BREATH_MS = 20

// The program that started this process is gone: nobody is left to tell.
process.on('disconnect', () => process.exit())
if (!process.connected) process.exit()

/** The first word says as whom it runs. Those that come before the node has joined wait for it. */
const early: MemberWord[] = []
let heed = (word: MemberWord): unknown => early.push(word)
const options = await new Promise<MemberOptions>((resolve) => {
  process.once('message', (first: MemberOptions) => {
    process.on('message', (word: MemberWord) => heed(word))
    resolve(first)
  })
})
const { id, life, leaseMs, seed, ignoresLoss } = options
const referee = await RefereeLine.open(options.referee, { id, life }, () => process.exit())
const inside = new Map<number, Held>()
let turns = 0
let isLeaving = false
/** For how long the next stay at the lock that all want lasts, if it was told. */
let lingersMs = 0
let stopRecording: () => Promise<unknown> = () => Promise.resolve()

const mesh = await joined()
referee.tell({ is: 'joined', at: monotonic() })
record(options.traces)
heed = (word) => {
  if ('traces' in word) return record(word.traces)
  if ('block' in word) return block(word.block)
  if ('voters' in word) return wishForVoters(mesh, word.voters)
  if ('linger' in word) {
    lingersMs = word.linger
    return
  }
  return hoard(mesh, word.hoard)
}
for (const word of early) heed(word)
setInterval(beat, BEAT_MS)
for (const lock of options.locks) {
  for (let caller = 1; caller <= lock.callers; caller += 1) void takeTurns(mesh, lock, caller)
}

process.on('SIGTERM', () => {
  isLeaving = true
  // The process that told it to go has written down that it holds nothing any more.
  inside.clear()
  mesh.leave().then(
    () => process.exit(),
    (error: unknown) => trouble(`it could not leave: ${String(error)}`),
  )
})

/** Without its engine a program cannot begin, and tries again. */
async function joined(): Promise<Mesh> {
  for (;;) {
    try {
      return await joinNode({ ...options.joining, log: () => {} })
    } catch (error) {
      if (!(error instanceof NoQuorumError)) throw error
      await sleep(BEAT_MS)
    }
  }
}

function trouble(text: string): void {
  referee.tell({ is: 'trouble', at: monotonic(), text })
}

function record(directory: string): void {
  void stopRecording()
  // What happens at a semaphore or a group cannot be recorded.
  const locks = options.locks.filter(isLock)
  const stops = locks.map(({ name }) => {
    mkdirSync(pathOf(directory, name), { recursive: true })
    return mesh.record(name, pathOf(directory, name, `${id}.trace`))
  })
  stopRecording = () => Promise.all(stops.map((stop) => stop()))
}

/** Nothing else runs in this thread meanwhile, no timer and no socket. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds)
}

/** A later wish ends this one, and so does the end of the node. */
async function wishForVoters(of: Mesh, ids: readonly string[]): Promise<void> {
  try {
    await of.changeVoters(ids)
  } catch (error) {
    const { name, message } = error as Error
    if (name !== 'InvalidStateError' && !isLeaving) trouble(`voters ${ids.join(' ')}: ${name}: ${message}`)
  }
}

/** Nobody else asks for these names, so nobody judges them: they are there to make the table of the next view large. */
async function hoard(of: Mesh, milliseconds: number): Promise<void> {
  const end = monotonic() + milliseconds
  const names = Array.from({ length: HOARD }, (_, i) => `hoard/${id}/${life}/${i}`)
  const asked = names.map((name) => of.locks.acquire(name, { timeout: milliseconds, waitForQuorum: true }))
  const got = await Promise.allSettled(asked)
  await sleep(Math.max(0, end - monotonic()))
  for (const each of got) if (each.status === 'fulfilled') each.value.release()
}

async function takeTurns(of: Mesh, lock: Lock, caller: number): Promise<void> {
  const random = randomStream(seed, `${id}.${life} at ${lock.name}, ${caller}`)
  const { name, permits, burst } = lock
  for (let count = 1; !isLeaving; count += 1) {
    await sleep(random.below(burst === 1 ? THINK_MS : count % burst === 0 ? 3 * leaseMs : BREATH_MS))
    const mode: Mode = random.below(100) < lock.shared ? 'shared' : 'exclusive'
    turns += 1
    const turn = turns
    const resources = lock.group && someOf(random, lock.group.length)
    const what = { ...(permits > 1 && { permits }), ...(resources && { resources }) }
    referee.tell({ is: 'asks', turn, name, mode, at: monotonic(), ...what })
    const held = await obtain(of, lock, { ...wish(random, lock, mode), mode }, turn, resources)
    if (held !== null) await stayInside(held, turn, stay(random, lock), isLock(lock))
  }
}

/** Only one may be inside, or those that share: so what it guards has a register. */
function isLock({ permits, group }: Lock): boolean {
  return permits === 1 && group === undefined
}

/** At least one, and often several. */
function someOf(random: Random, count: number): readonly number[] {
  const all = Array.from({ length: count }, (_, i) => i)
  const sure = random.below(count)
  return all.filter((each) => each === sure || random.below(100) < 35)
}

/** Most wait for as long as it takes. */
function wish(random: Random, lock: Lock, mode: Mode): LockOptions {
  const { steals } = lock
  if (mode === 'exclusive' && random.below(100) < steals) return { waitForQuorum: true, steal: true }
  const drawn = random.below(100)
  if (drawn < 10) return { waitForQuorum: true, timeout: random.below(leaseMs) }
  if (drawn < 15) return { waitForQuorum: true, signal: AbortSignal.timeout(1 + random.below(leaseMs)) }
  if (drawn < 20 && isLock(lock)) return { ifAvailable: true }
  return { waitForQuorum: drawn >= 25 }
}

/** Mostly short; but most of the time somebody is inside who stays for long, so that faults meet holders. */
function stay(random: Random, lock: Lock): number {
  const { burst, shared, steals } = lock
  if (lingersMs > 0 && burst === 1 && shared === 0 && steals === 0 && isLock(lock)) {
    const told = lingersMs
    lingersMs = 0
    return told
  }
  const drawn = burst === 1 ? random.below(100) : 0
  const most = drawn < 60 ? 0.02 : drawn < 85 ? 0.3 : LONGEST_STAY
  return random.fraction() * most * leaseMs
}

/** Ends that the caller asked for, or that a mesh without a majority has. */
const EXPECTED = ['TimeoutError', 'AbortError', 'NoQuorumError', 'LockLostError']

async function obtain(
  of: Mesh,
  lock: Lock,
  asked: LockOptions,
  turn: number,
  resources: readonly number[] = [],
): Promise<Held | null> {
  const giveUp = (why: string) => referee.tell({ is: 'gives-up', turn, at: monotonic(), why })
  try {
    const held = await acquire(of, lock, asked, resources)
    if (held === null) giveUp('not available')
    return held
  } catch (error) {
    const { name: kind, message } = error as Error
    giveUp(kind)
    if (!EXPECTED.includes(kind) && !isLeaving) trouble(`${kind}: ${message}`)
    return null
  }
}

async function acquire(
  of: Mesh,
  { name, permits, group }: Lock,
  asked: LockOptions,
  resources: readonly number[],
): Promise<Held | null> {
  const { mode: _, ...waits } = asked
  if (group !== undefined)
    return heldOf(
      await of.group(name, group).acquire(
        group.filter((_, i) => resources.includes(i)),
        waits,
      ),
    )
  return permits === 1 ? of.locks.acquire(name, asked) : of.semaphore(name, permits).acquire(waits)
}

/** `uses`: of those who have permits or names of a group several write at a time, which no register could guard. */
async function stayInside(held: Held, turn: number, milliseconds: number, uses: boolean): Promise<void> {
  const { name, mode } = held
  const fence = String(held.fence)
  // The clock is read before the question: what is held then was held at that time too.
  const at = monotonic()
  if (isLeaving) return
  if (!isHeld(held)) {
    referee.tell({ is: 'loses', turn, at })
    return held.release()
  }
  referee.tell({ is: 'granted', turn, fence, at, until: leaseFrom(at), stays: milliseconds })
  inside.set(turn, held)
  // Told before anybody else can hear of it: a lock that is given back by this has its next holder soon.
  held.signal.addEventListener('abort', () => hasLost(turn, held))
  const { taken, value } = uses ? await referee.access({ is: 'reads', turn, name, mode, fence }) : UNUSED
  await sleep(milliseconds)
  if (isLeaving) return
  if (uses && mode === 'shared') await referee.access({ is: 'reads', turn, name, mode, fence })
  else if (taken) await referee.access({ is: 'writes', turn, name, fence, value: value + 1 })
  const left = monotonic()
  if (!isHeld(held)) return hasLost(turn, held)
  if (inside.delete(turn)) referee.tell({ is: 'releases', turn, at: left })
  held.release()
}

const UNUSED = { taken: false, value: 0 }

function hasLost(turn: number, { signal }: Held): void {
  if (ignoresLoss || !inside.delete(turn)) return
  const why: Loss = signal.reason instanceof LockStolenError ? 'stolen' : 'lapsed'
  referee.tell({ is: 'loses', turn, at: monotonic(), why })
}

function isHeld(held: Held): boolean {
  return ignoresLoss || held.isHeld
}

/** The lease is asked for after the time was read: it ends no sooner than this says. */
function leaseFrom(at: number): number {
  return at + (ignoresLoss ? leaseMs : mesh.status.leaseLeft)
}

function beat(): void {
  const at = monotonic()
  const { epoch, members, leaseLeft } = mesh.status
  const holds = [...inside]
    .filter(([, held]) => isHeld(held))
    .map(([turn]) => ({ turn, until: leaseFrom(at) }))
  referee.tell({ is: 'beats', at, epoch, members, hasLease: leaseLeft > 0, holds })
}
