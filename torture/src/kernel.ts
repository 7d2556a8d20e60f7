/**
 * What only the kernel can do to nodes: drop packets, and make a disk read-only. Both are done in a network and a mount
 * namespace that this process shares with its nodes alone (`unshare --net --mount`), so nothing of it outlives the run.
 */
import { execFile } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Way } from './deeds.ts'

const run = promisify(execFile)

/** Of a lossy way so many packets are dropped. */
const LOSS = 0.2
/** Verdicts of a filter: drop the packet, or leave it to the next filter. */
const DROP = 2
const PASS = 0xffffffff
/** Where classic BPF reads a random number of 32 bits. */
const RANDOM = 0xfffff038

export class Kernel {
  /** The ports of which packets are dropped, each by its own filter. */
  readonly #filters = new Map<number, number>()
  readonly #protected = new Set<string>()
  #last = 0

  private constructor() {}

  /** Refuses a network that others use: what is dropped here would be theirs. */
  static async open(): Promise<Kernel> {
    const others = Object.keys(networkInterfaces()).filter((name) => name !== 'lo')
    if (others.length > 0) {
      const found = `this one has ${others.join(', ')}`
      throw new InvalidInput(`--own-namespace: wants a network namespace of its own, and ${found}`)
    }
    try {
      await run('ip', ['link', 'set', 'lo', 'up'])
      await run('tc', ['qdisc', 'replace', 'dev', 'lo', 'clsact'])
      return new Kernel()
    } catch (cause) {
      throw new InvalidInput(`--own-namespace: packets cannot be dropped: ${firstLine(cause)}`, { cause })
    }
  }

  /** `dropped`: of what is sent to that port, everything. `lossy`: of that and of what comes from it, some. */
  async drop(port: number, how: Extract<Way, 'dropped' | 'lossy'>): Promise<void> {
    const place = this.#filters.get(port) ?? ++this.#last
    this.#filters.set(port, place)
    const program = how === 'dropped' ? filterFor(port, false, 1) : filterFor(port, true, LOSS)
    const bytecode = [program.length, ...program.map((each) => each.join(' '))].join(',')
    await run('tc', ['filter', 'replace', ...at(place), 'bpf', 'direct-action', 'bytecode', bytecode])
  }

  async pass(port: number): Promise<void> {
    const place = this.#filters.get(port)
    if (!this.#filters.delete(port) || place === undefined) return
    await run('tc', ['filter', 'del', ...at(place)])
  }

  /** Mounted over itself: what is open there stays open, and nothing can be opened for writing any more. */
  async protect(directory: string): Promise<void> {
    await run('mount', ['--bind', directory, directory])
    this.#protected.add(directory)
    await run('mount', ['-o', 'remount,bind,ro', directory])
  }

  async unprotect(directory: string): Promise<void> {
    if (this.#protected.delete(directory)) await run('umount', ['--lazy', directory])
  }

  async close(): Promise<void> {
    for (const directory of this.#protected) await this.unprotect(directory)
  }
}

function at(place: number): string[] {
  return ['dev', 'lo', 'egress', 'pref', String(place)]
}

type Instruction = readonly [code: number, jumpIf: number, jumpElse: number, value: number]

/** Classic BPF over an Ethernet frame: TCP over IPv4, to that port or, if asked, from it, and then as chance has it. */
function filterFor(port: number, bothWays: boolean, share: number): Instruction[] {
  const [half, byte, word, headerLength, halfAfterHeader] = [40, 48, 32, 177, 72]
  const [equals, isAtLeast, verdict] = [21, 53, 6]
  return [
    [half, 0, 0, 12],
    [equals, 0, 7, 0x800],
    [byte, 0, 0, 23],
    [equals, 0, 5, 6],
    [headerLength, 0, 0, 14],
    [halfAfterHeader, 0, 0, 16],
    [equals, 3, 0, port],
    [halfAfterHeader, 0, 0, 14],
    [equals, bothWays ? 1 : 0, 0, port],
    [verdict, 0, 0, PASS],
    [word, 0, 0, RANDOM],
    [isAtLeast, share < 1 ? 1 : 0, 0, Math.floor(share * 0xffffffff)],
    [verdict, 0, 0, DROP],
    [verdict, 0, 0, PASS],
  ]
}

function firstLine(error: unknown): string {
  const { stderr = '', message = '' } = error as { stderr?: string; message?: string }
  return get((stderr.trim() || message).split('\n'), 0)
}
