/**
 * Where the runtime has locks of its own (`navigator.locks`, Node 24 and later), random sequences of requests are put to
 * them and to ours, step by step, and both must say the same. Left out, because Node differs there from the standard:
 *
 * - An aborted request stays in Node's queue as a ghost, is told by `query`, and holds up readers that came after
 *   it. So a request is aborted only if nobody who shares can be behind it, and ghosts are not compared.
 * - A callback that throws at once keeps the lock there: ours all return promises.
 * - A thenable that is no promise does not keep the lock there.
 * - A signal that has aborted comes before options that contradict each other: none do here.
 * - Between threads `query` tells of the own one only, and who shares passes a writer of another: this is one thread.
 */
import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { join } from '../../src/join.ts'
import type { LockInfo, LockManager } from '../../src/locks/lock-manager.ts'
import type { LockOptions } from '../../src/locks/options.ts'
import type { Mesh } from '../../src/surface.ts'

type Locks = Pick<LockManager, 'request' | 'query'>

/** Those of Deno 2.9 let a shared request with `ifAvailable` wait behind a writer, and so do not judge. */
const native =
  'deno' in process.versions
    ? undefined
    : (globalThis as { readonly navigator?: { readonly locks?: Locks } }).navigator?.locks

/** One caller. It is inside until it is told to go. */
interface Caller {
  readonly name: string
  readonly mode: 'exclusive' | 'shared'
  readonly controller: AbortController
  outcome: string
  end: (isWell: boolean) => void
}

type Kind = 'wait' | 'ifAvailable' | 'steal' | 'aborted'

class Side {
  readonly callers: Caller[] = []
  readonly #locks: Locks
  readonly #prefix: string

  constructor(locks: Locks, prefix: string) {
    this.#locks = locks
    this.#prefix = prefix
  }

  request(name: string, mode: Caller['mode'], kind: Kind): void {
    const controller = new AbortController()
    let end: Caller['end'] = () => {}
    const work = new Promise<string>((resolve, reject) => {
      end = (isWell) => (isWell ? resolve('done') : reject(new RangeError('failed')))
    })
    work.catch(() => {})
    const caller: Caller = { name, mode, controller, outcome: 'waits', end }
    this.callers.push(caller)
    if (kind === 'aborted') controller.abort()
    const options: LockOptions = {
      wait: { mode, signal: controller.signal },
      aborted: { mode, signal: controller.signal },
      ifAvailable: { mode, ifAvailable: true },
      steal: { steal: true },
    }[kind]
    const entered = (lock: unknown) => {
      caller.outcome = lock === null ? 'null' : 'inside'
      return lock === null ? 'nothing' : work
    }
    this.#locks.request(this.#prefix + name, options, entered).then(
      (value) => {
        caller.outcome += ` ${value}`
      },
      (error: Error) => {
        caller.outcome += ` ${error.name}`
      },
    )
  }

  get isBusy(): boolean {
    return this.callers.some(isLive)
  }

  /** What is known of every caller, and what `query` tells: by name the modes of holders, and of those who wait in order. */
  async state(isHaunted: (name: string) => boolean): Promise<unknown> {
    await this.settled()
    const { held, pending } = await this.#locks.query()
    const modesOf = (all: readonly LockInfo[], name: string) =>
      all.filter((info) => info.name === this.#prefix + name).map(({ mode }) => mode)
    return {
      callers: this.callers.map(({ outcome }) => outcome),
      held: NAMES.map((name) => modesOf(held, name)),
      pending: NAMES.map((name) => (isHaunted(name) ? [] : modesOf(pending, name))),
    }
  }

  /** Grants and ends follow each other by turns of the event loop. */
  async settled(): Promise<void> {
    for (let round = 0; round < 5; round += 1) {
      await this.#locks.query()
      await new Promise(setImmediate)
    }
  }
}

const NAMES = ['x', 'y']

const step = fc.record({
  does: fc.constantFrom(
    'wait',
    'wait',
    'wait',
    'ifAvailable',
    'steal',
    'aborted',
    'abort',
    'end',
    'end',
    'fail',
  ),
  name: fc.constantFrom(...NAMES),
  mode: fc.constantFrom('exclusive', 'shared'),
  which: fc.nat(100),
} as const)

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** Whether a caller still holds or awaits the lock. A caller that was robbed has an outcome already. */
function isLive({ outcome }: Caller): boolean {
  return outcome === 'waits' || outcome === 'inside'
}

/** What both sides are told; by our side it is decided whom a step can be about. */
class Game {
  readonly #sides: readonly Side[]
  readonly #haunted = new Set<string>()

  constructor(sides: readonly Side[]) {
    this.#sides = sides
  }

  async play({ does, name, mode, which }: Step): Promise<void> {
    const { callers } = get(this.#sides, 0)
    const here = callers.map((caller, i) => ({ caller, i })).filter(({ caller }) => caller.name === name)
    const pick = (fits: (caller: Caller) => boolean) => {
      const fitting = here.filter(({ caller }) => fits(caller))
      return fitting.length === 0 ? null : get(fitting, which % fitting.length).i
    }
    const live = here.map(({ caller }) => caller).filter(isLive)
    if (live.length === 0) this.#haunted.delete(name)
    if (does === 'abort') {
      const isAlone = live.every((caller) => caller.mode === 'exclusive')
      const i = pick((caller) => caller.outcome === 'waits' && (isAlone || caller === live.at(-1)))
      if (i === null) return
      this.#haunted.add(name)
      for (const { callers } of this.#sides) get(callers, i).controller.abort()
    } else if (does === 'end' || does === 'fail') {
      const i = pick(({ outcome }) => outcome === 'inside')
      if (i !== null) for (const { callers } of this.#sides) get(callers, i).end(does === 'end')
    } else {
      const asked = does === 'steal' || this.#haunted.has(name) ? 'exclusive' : mode
      for (const side of this.#sides) side.request(name, asked, does)
    }
    await this.compare({ does, name, mode, which })
  }

  async compare(after: unknown): Promise<void> {
    const [ours, theirs] = await Promise.all(
      this.#sides.map((side) => side.state((name) => this.#haunted.has(name))),
    )
    expect({ after, ...(ours as object) }).toEqual({ after, ...(theirs as object) })
  }

  /** Lets everybody in and out. */
  async end(): Promise<void> {
    while (this.#sides.some(({ isBusy }) => isBusy)) {
      for (const { callers } of this.#sides) for (const { end } of callers) end(true)
      for (const side of this.#sides) await side.settled()
    }
    await this.compare('the end')
  }
}

let mesh: Mesh
beforeAll(async () => {
  mesh = await join()
})
afterAll(() => mesh.leave())

let games = 0

test.skipIf(native === undefined)('as the locks of the runtime, which Node has from 24 on', async () => {
  if (native === undefined) return
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
    games += 1
    const prefix = `native ${games} `
    const game = new Game([new Side(mesh.locks, prefix), new Side(native, prefix)])
    for (const each of steps) await game.play(each)
    await game.end()
  })
  await fc.assert(property, { numRuns: 500 })
})
