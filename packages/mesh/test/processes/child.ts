/** A process with one node of a mesh. It does what it is told, and says what happens. */
import { existsSync } from 'node:fs'
import { answerBy, say as sayLine } from '@turnwise/fleet/program-answers'
import { join } from '../../src/join.ts'
import type { Held } from '../../src/locks/held.ts'
import type { Message } from '../../src/protocol/messages.ts'
import type { Mesh } from '../../src/surface.ts'
import { TcpTransport } from '../../src/transport/tcp.ts'
import { type AfterBlock, type Command, type Line, type Moment, now } from './talk.ts'

/** What a lock and names of a group have in common. */
type Taken = Pick<Held, 'name' | 'fence' | 'signal' | 'isHeld' | 'assertHeld' | 'release'>

interface Holding {
  readonly held: Taken
  until: number
  hasHeard: boolean
}

const holdings = new Map<number, Holding>()
let holds = 0
/** Locks that the witness is not told of, for their number. */
let gathered: Held[] = []
let mesh: Mesh | null = null
let work: { isWanted: boolean; readonly done: Promise<number> } | null = null
let death: { readonly at: Message['type']; left: number } | null = null
let isDying = false

function say(line: Line): void {
  sayLine(line)
}

function node(): Mesh {
  if (mesh === null) throw new Error('it has not joined')
  return mesh
}

function moment(hold: number): Moment {
  const at = now()
  return { hold, at, until: at + node().status.leaseLeft }
}

function holding(hold: number): Holding {
  const found = holdings.get(hold)
  if (found === undefined) throw new Error(`there is no hold ${hold}`)
  return found
}

function take(held: Taken, resources?: readonly number[]): number {
  holds += 1
  const hold = holds
  const at = moment(hold)
  const fence = String(held.fence)
  say({ kind: 'granted', name: held.name, fence, ...(resources && { resources }), ...at })
  const own: Holding = { held, until: at.until, hasHeard: false }
  holdings.set(hold, own)
  const { signal } = held
  const onLoss = () => {
    own.hasHeard = true
    say({ kind: 'lost', why: String(signal.reason?.name), ...moment(hold) })
  }
  if (signal.aborted) onLoss()
  else signal.addEventListener('abort', onLoss)
  return hold
}

function release(hold: number): void {
  const { held, hasHeard } = holding(hold)
  if (!hasHeard) say({ kind: 'releasing', ...moment(hold) })
  holdings.delete(hold)
  held.release()
}

/** Renewals, so that the witness knows until when one may have believed in its lock that was stopped. */
setInterval(() => {
  for (const [hold, own] of holdings) {
    const at = moment(hold)
    // A lapse is told by its loss; how far it is past says nothing.
    if (own.hasHeard || at.until <= at.at || at.until < own.until + 1) continue
    own.until = at.until
    say({ kind: 'renewed', ...at })
  }
}, 10)

async function workOn(name: string, isWanted: () => boolean): Promise<number> {
  let turns = 0
  while (isWanted()) {
    let hold: number
    try {
      hold = take(await node().locks.acquire(name, { waitForQuorum: true }))
    } catch (error) {
      if (isWanted()) throw error
      return turns
    }
    // Inside for a moment, so that two who are inside together would meet.
    await new Promise((resolve) => setTimeout(resolve, 2))
    turns += holding(hold).hasHeard ? 0 : 1
    release(hold)
  }
  return turns
}

async function burst(names: number, whose = 'many'): Promise<Record<string, number>> {
  const { locks } = node()
  const all = Array.from({ length: names }, (_, i) =>
    locks.request(`one of ${whose} ${i}`, (lock) => lock.assertHeld()),
  )
  const outcomes: Record<string, number> = {}
  for (const outcome of await Promise.allSettled(all)) {
    const what = outcome.status === 'fulfilled' ? 'had' : String(outcome.reason?.code ?? outcome.reason)
    outcomes[what] = (outcomes[what] ?? 0) + 1
  }
  return outcomes
}

async function gather(names: number, letters: number): Promise<number> {
  const all = Array.from({ length: names }, (_, i) => node().locks.acquire(`${i} `.padEnd(letters, '語')))
  gathered = await Promise.all(all)
  return gathered.length
}

function block({ hold, ms, until: file, asks }: Extract<Command, { do: 'block' }>): AfterBlock {
  const { held } = holding(hold)
  const { signal } = held
  let toldFirst = false
  signal.addEventListener('abort', () => {
    toldFirst = true
  })
  // Nothing of the program runs, and the processor is left to others.
  const nothing = new Int32Array(new SharedArrayBuffer(4))
  for (const end = now() + ms; now() < end && (file === undefined || !existsSync(file)); ) {
    Atomics.wait(nothing, 0, 0, Math.min(ms, 20))
    if (asks)
      node()
        .locks.request(`asked at ${now()}`, () => {})
        .catch(() => {})
  }
  let thrown: string | null = null
  try {
    held.assertHeld()
  } catch (error) {
    thrown = error instanceof Error ? error.name : String(error)
  }
  return { isHeld: held.isHeld, aborted: signal.aborted, thrown, toldFirst }
}

/** All sends of a turn go out at its end: a process that dies after one lets that leave, and nothing after it. */
type Send = (this: TcpTransport, ...given: Parameters<TcpTransport['send']>) => void
const send: Send = Reflect.get(TcpTransport.prototype, 'send')
TcpTransport.prototype.send = function (to, message) {
  if (isDying) return
  if (death === null || message.type !== death.at) return send.call(this, to, message)
  if (death.left > 0) send.call(this, to, message)
  death.left -= 1
  if (death.left > 0) return
  isDying = true
  setImmediate(() => process.kill(process.pid, 'SIGKILL'))
}

async function acquire({ name, options }: Extract<Command, { do: 'acquire' }>) {
  const held = await node().locks.acquire(name, { ...options, ifAvailable: false })
  return { hold: take(held), fence: String(held.fence) }
}

async function acquireInGroup({ name, names, wanted }: Extract<Command, { do: 'acquire in group' }>) {
  const group = node().group(name, names)
  const held = await group.acquire(wanted, { waitForQuorum: true })
  const resources = held.names.map((each) => group.names.indexOf(each))
  return { hold: take(held, resources), fence: String(held.fence) }
}

async function obey(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'join':
      mesh = await join({ ...command.options, log: (text) => say({ kind: 'log', text }) })
      return null
    case 'acquire':
      return acquire(command)
    case 'acquire in group':
      return acquireInGroup(command)
    case 'release':
      return release(command.hold)
    case 'work': {
      const state = { isWanted: true, done: Promise.resolve(0) }
      state.done = workOn(command.name, () => state.isWanted)
      work = state
      return null
    }
    case 'rest':
      if (work === null) return 0
      work.isWanted = false
      return work.done
    case 'burst':
      return burst(command.names, command.whose)
    case 'gather':
      return gather(command.names, command.letters)
    case 'gathered':
      return gathered.filter(({ isHeld }) => isHeld).length
    case 'query':
      return (await node().locks.query()).held.length
    case 'write':
    case 'stop, then write':
      return write(command.hold, command.do === 'stop, then write')
    case 'block':
      return block(command)
    case 'jump': {
      const before = Date.now
      Date.now = () => before() + command.ms
      return null
    }
    case 'die':
      death = { at: command.at, left: command.after }
      return null
    case 'once':
      return node().once(command.name, command.time, { at: command.at, waitForQuorum: true }, () => {
        say({ kind: 'running' })
        return command.hangs ? new Promise<string>(() => {}) : 'done'
      })
    case 'status':
      return node().status
    case 'addPeer':
      return node().addPeer(command.id, command.address)
    case 'removePeer':
      return node().removePeer(command.id)
    case 'changeVoters':
      return node().changeVoters(command.ids)
    case 'leave':
      return leave(command.forGood ?? false)
  }
}

function write(hold: number, stops: boolean): void {
  const { held } = holding(hold)
  if (stops) {
    held.assertHeld()
    say({ kind: 'stopping' })
    process.kill(process.pid, 'SIGSTOP')
  }
  say({ kind: 'write', name: held.name, fence: String(held.fence) })
}

async function leave(forGood: boolean): Promise<null> {
  if (work !== null) work.isWanted = false
  await mesh?.leave({ forGood })
  await work?.done
  holdings.clear()
  gathered = []
  work = null
  return null
}

answerBy(obey)
say({ kind: 'loaded' })
