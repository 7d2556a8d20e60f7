/** Several nodes at one meeting place, in one process: as many as two processors bear would not fit otherwise. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { get } from '@turnwise/core/bounds'
import { answerBy } from '@turnwise/fleet/program-answers'
import { Attendance } from '../../../packages/mesh/dist/host/attendance.js'
import { join } from '../../../packages/mesh/dist/join.js'
import type { Held } from '../../../packages/mesh/dist/locks/held.js'
import { Journal } from '../../../packages/mesh/dist/observe/journal.js'
import type { Node } from '../../../packages/mesh/dist/protocol/state.js'
import type { Mesh } from '../../../packages/mesh/dist/surface.js'
import { TcpTransport } from '../../../packages/mesh/dist/transport/tcp.js'
import { type Command, now } from '../talk.ts'
import type { Joined, PlaceCommand, Tally } from './talk.ts'

const nodes: Mesh[] = []
const states: Node[] = []
const counted = { reads: 0, lists: 0, writes: 0, messages: 0, grants: 0, lost: 0, rejoined: 0 }
let kept: Held[] = []
/** What it takes, and whether it still does. */
let taking: { isOver: boolean; longest: number; at: number; readonly ended: Promise<void> } | null = null
let isBusy = false

// What a node asks of its engine, and says to others, goes through these two.
const act = Reflect.get(Attendance.prototype, 'do')
Attendance.prototype.do = function (effect) {
  if (effect.kind === 'call') {
    const { call } = effect
    counted[call.do === 'cas' ? 'writes' : call.do === 'list' ? 'lists' : 'reads'] += 1
  } else if (effect.kind === 'out') {
    counted.rejoined += 1
    log(`a session ended: ${effect.why}`)
  }
  return act.call(this, effect)
}
const send = Reflect.get(TcpTransport.prototype, 'send')
TcpTransport.prototype.send = function (to, message) {
  counted.messages += 1
  return send.call(this, to, message)
}

// A status of very many members takes time, and would be a part of what is measured.
const follow = Reflect.get(Journal.prototype, 'follow')
Journal.prototype.follow = function (node) {
  states.push(node)
  return follow.call(this, node)
}

const log =
  process.env['BENCH_LOG'] === undefined ? () => {} : (line: string) => process.stderr.write(`${line}\n`)

async function enter({ place, count, lease, listen: at }: PlaceCommand & { do: 'enter' }): Promise<Joined> {
  const asked = now()
  let served = Number.POSITIVE_INFINITY
  const one = async () => {
    const options = { lease, log, timeout: 240_000, keepAlive: true }
    const mesh = await join(place, at === undefined ? options : { ...options, listen: at })
    nodes.push(mesh)
    const held = await hold(mesh, `first/${mesh.id}`)
    served = Math.min(served, now())
    held.release()
  }
  await Promise.all(Array.from({ length: count }, one))
  return { asked, served, joined: now() }
}

async function hold(mesh: Mesh, name: string): Promise<Held> {
  const held = await mesh.locks.acquire(name, { waitForQuorum: true })
  counted.grants += 1
  held.signal.addEventListener('abort', () => (counted.lost += 1))
  return held
}

async function see(members: number): Promise<number> {
  for (const node of states) while (!node.left && node.begun?.members.length !== members) await pause(50)
  return now()
}

function take(name: string): void {
  const own = { isOver: false, longest: 0, at: now(), ended: Promise.resolve() }
  taking = own
  const turns = async () => {
    while (!own.isOver) {
      const held = await hold(get(nodes, 0), name)
      const at = now()
      own.longest = Math.max(own.longest, at - own.at)
      own.at = at
      await pause(1)
      held.release()
    }
  }
  Object.assign(own, { ended: turns() })
}

function gap(): number {
  if (taking === null) return Number.NaN
  const longest = Math.max(taking.longest, now() - taking.at)
  taking.longest = 0
  return longest
}

function busy({ names, nodes: all, first }: PlaceCommand & { do: 'busy' }): void {
  isBusy = true
  for (const [i, mesh] of nodes.entries()) void takeTurns(mesh, names, all, first + i)
}

async function takeTurns(mesh: Mesh, names: number, all: number, own: number): Promise<void> {
  for (let name = own; isBusy; name = name + all < names ? name + all : own) {
    // Of every ten turns one is at a name of the next node.
    const which = Math.random() < 0.1 ? (name + 1) % names : name
    try {
      const held = await hold(mesh, `orders/${which}`)
      await pause(100)
      held.release()
    } catch {
      return
    }
  }
}

/** A helper is started without the flag. */
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

async function keepMany(names: number): Promise<number> {
  collect()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < names; i += 1) kept.push(await hold(get(nodes, 0), `kept/${i}`))
  collect()
  return process.memoryUsage().heapUsed - before
}

function tally(): Tally {
  const { user, system } = process.cpuUsage()
  return { ...counted, at: now(), cpu: user + system, rss: process.memoryUsage.rss() }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

async function rest(): Promise<void> {
  isBusy = false
  if (taking === null) return
  taking.isOver = true
  await taking.ended
  taking = null
}

answerBy(async (command: Command) => {
  switch (command.do) {
    case 'enter':
      return enter(command)
    case 'see':
      return see(command.members)
    case 'tally':
      return tally()
    case 'take':
      return take(command.name)
    case 'gap':
      return gap()
    case 'rest':
      return rest()
    case 'busy':
      return busy(command)
    case 'keep':
      kept.push(await hold(get(nodes, 0), command.name))
      return now()
    case 'keep-many':
      return keepMany(command.names)
    case 'drop':
      for (const held of kept) held.release()
      kept = []
      return
    case 'part':
      await nodes.shift()?.leave()
  }
})
