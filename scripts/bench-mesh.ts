/**
 * `npm run bench:mesh`: what a lock of a mesh costs, each figure beside something measured in the same run, because
 * machines differ and are busy.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Mutex } from 'async-mutex'
import { join } from '../packages/mesh/dist/src/join.js'
import { bareRing } from './bench/fleet.ts'
import { handOffs } from './bench/hand-offs.ts'

const { values } = parseArgs({
  options: {
    algorithms: { type: 'string', default: 'carvalho-roucairol,naimi-trehel,martin-ring' },
    processes: { type: 'string', default: '2,4,8' },
  },
})

const CYCLES = 40_000
const NAMES = 100_000

/** Cycles per second of the fastest of several rounds: what slows a round down is somebody else's work. */
async function fastest(cycle: () => Promise<void>): Promise<number> {
  let best = 0
  for (let round = 0; round < 8; round += 1) {
    const started = performance.now()
    for (let i = 0; i < CYCLES; i += 1) await cycle()
    best = Math.max(best, CYCLES / (performance.now() - started))
    // A loop of microtasks starves the timers that renew the lease.
    await new Promise(setImmediate)
  }
  return best * 1000
}

async function reacquire(): Promise<void> {
  const mesh = await join()
  const mutex = new Mutex()
  const ours = await fastest(async () => (await mesh.locks.acquire('invoices')).release())
  const theirs = await fastest(async () => (await mutex.acquire())())
  print(
    'acquire and release a lock again',
    `${thousands(ours)}/s`,
    `${(ours / theirs).toFixed(2)} of async-mutex`,
  )
  await mesh.leave()
}

async function manyNames(): Promise<void> {
  const mesh = await join()
  const names = Array.from({ length: NAMES }, (_, i) => `orders/${i}`)
  const before = heap()
  const started = performance.now()
  for (let i = 0; i < NAMES; i += 1) {
    ;(await mesh.locks.acquire(names[i])).release()
    if (i % 10_000 === 0) await new Promise(setImmediate)
  }
  const seconds = (performance.now() - started) / 1000
  // Two ticks of the lease put to rest what nobody uses.
  await mesh.pause()
  await mesh.pause()
  await mesh.pause()
  const used = heap() - before
  print(
    `${thousands(NAMES)} names touched once`,
    `${Math.round(used / NAMES)} bytes each`,
    `${thousands(NAMES / seconds)}/s`,
  )
  await mesh.forget()
  print('the same, forgotten', `${Math.round((heap() - before) / NAMES)} bytes each`, '')
  await mesh.leave()
}

async function handOffsOfOneLock(): Promise<void> {
  const times = { warmUp: 1000, measured: 1500 }
  for (const count of values.processes.split(',').map(Number)) {
    const bare = await bareRing(count, times)
    print(`a bare token round ${count} processes`, `${thousands(bare)}/s`, '')
    for (const algorithm of values.algorithms.split(',')) {
      const { rate, fairness, messages } = await handOffs(algorithm, count, times)
      print(
        `one lock, ${count} processes, ${algorithm}`,
        `${thousands(rate)}/s`,
        `${(rate / bare).toFixed(2)} of the bare token, fairness ${fairness.toFixed(3)}, ${messages.toFixed(1)} messages each`,
      )
    }
  }
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function print(what: string, figure: string, beside: string): void {
  process.stdout.write(`${what.padEnd(44)}${figure.padStart(18)}   ${beside}\n`)
}

if (globalThis.gc === undefined) {
  const child = fork(fileURLToPath(import.meta.url), process.argv.slice(2), {
    execArgv: [...process.execArgv, '--expose-gc'],
  })
  child.on('exit', (code) => process.exit(code ?? 1))
} else {
  await reacquire()
  await manyNames()
  await handOffsOfOneLock()
}
