/** Members at one place, many in each process, and what is done to them. */
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '@turnwise/core/bounds'
import { type Helper, startHelper } from '../program.ts'
import type { Engine } from './engine.ts'
import type { Joined, Tally } from './talk.ts'

const PROCESS = './places/member-process.ts'

export class Gathering {
  readonly helpers: Helper[]
  readonly members: number
  readonly #engine: Engine
  readonly #lease: number
  readonly #patience: number
  readonly #counts: readonly number[]
  /** Bytes of a process before it has a node. */
  bare = 0

  constructor(engine: Engine, members: number, inProcess: number, lease: number, patience: number) {
    const processes = Math.max(2, Math.ceil(members / inProcess))
    this.#engine = engine
    this.#lease = lease
    this.#patience = patience
    this.members = members
    this.#counts = Array.from(
      { length: processes },
      (_, i) => Math.floor(members / processes) + (i < members % processes ? 1 : 0),
    )
    this.helpers = this.#counts.map(() => startHelper(PROCESS))
  }

  /** Nobody has joined yet, but all processes are loaded. */
  async load(): Promise<void> {
    const loaded = await this.tallies()
    this.bare = sum(loaded, ({ rss }) => rss) / loaded.length
  }

  /**
   * Milliseconds from the first `join`: until one is served, all are, and all know of each other. So many join at once, and then as many
   * again.
   */
  async begin(
    atOnce: number,
  ): Promise<{ readonly served: number; readonly joined: number; readonly known: number }> {
    const joined: Joined[] = []
    const join = async () => {
      for (const wave of this.#waves(atOnce))
        joined.push(...(await Promise.all(wave.map(([helper, count]) => this.enter(helper, count)))))
    }
    await this.within('joining', join())
    const asked = Math.min(...joined.map((each) => each.asked))
    const known = await this.see(this.members)
    return {
      served: Math.min(...joined.map((each) => each.served)) - asked,
      joined: Math.max(...joined.map((each) => each.joined)) - asked,
      known: known - asked,
    }
  }

  /** Whole processes, with at most so many members together. One process may have more. */
  #waves(atOnce: number): (readonly [helper: Helper, count: number])[][] {
    const waves: (readonly [Helper, number])[][] = []
    let room = 0
    for (const [i, helper] of this.helpers.entries()) {
      const count = get(this.#counts, i)
      if (count > room) {
        waves.push([])
        room = atOnce
      }
      waves.at(-1)?.push([helper, count])
      room -= count
    }
    return waves
  }

  enter(helper: Helper, count: number): Promise<Joined> {
    const { place, listen } = this.#engine
    return helper.ask<Joined>({ do: 'enter', place, count, lease: this.#lease, listen })
  }

  /** A process more, with so many nodes, when everybody knows of them. */
  async guest(count = 1): Promise<Helper> {
    const helper = this.ready()
    await this.admit(helper, count)
    return helper
  }

  /** A process more, which has not joined. */
  ready(): Helper {
    return startHelper(PROCESS)
  }

  async admit(helper: Helper, count = 1): Promise<void> {
    await this.within(`${count} more`, this.enter(helper, count))
    await this.see(this.members + count)
  }

  /** When all have begun a view of so many. */
  async see(members: number): Promise<number> {
    const seen = this.helpers.map((helper) => helper.ask<number>({ do: 'see', members }))
    return Math.max(...(await this.within(`a view of ${members}`, Promise.all(seen))))
  }

  tallies(): Promise<Tally[]> {
    return Promise.all(this.helpers.map((helper) => helper.ask<Tally>({ do: 'tally' })))
  }

  /** The first nodes of two processes hand a name to each other all the time. */
  async take(): Promise<void> {
    for (const helper of this.helpers.slice(0, 2)) await helper.ask({ do: 'take', name: 'steady' })
    await pause(1000)
    await this.gap()
  }

  /** The longest time that neither was let in, since this was asked last. */
  async gap(): Promise<number> {
    const two = this.helpers.slice(0, 2).map((helper) => helper.ask<number>({ do: 'gap' }))
    return Math.min(...(await Promise.all(two)))
  }

  async rest(): Promise<void> {
    await this.within('resting', Promise.all(this.helpers.map((helper) => helper.ask({ do: 'rest' }))))
  }

  async within<Result>(what: string, made: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new TooLong(what, this.#patience)), this.#patience)
    })
    // The code that ends these processes hears that they have ended.
    made.catch(() => {})
    try {
      return await Promise.race([made, late])
    } finally {
      clearTimeout(timer)
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.helpers.map((helper) => helper.end()))
  }
}

export class TooLong extends Error {
  constructor(what: string, patience: number) {
    super(`${what}: not within ${Math.round(patience / 1000)} s`)
  }
}

export function sum<Each>(all: readonly Each[], of: (each: Each) => number): number {
  return all.reduce((total, each) => total + of(each), 0)
}
