/** A world in the making: what follows from another by a step. */

import { get, intAt } from '@turnwise/core/bounds'
import type { Outcome } from './happening.ts'
import { aged, type Fact } from './items.ts'
import type { Lemmas } from './lemmas.ts'
import type { Machine } from './machine.ts'
import { tellFence } from './telling.ts'
import { remembers } from './trouble.ts'

export interface Finding {
  readonly property: string
  readonly reason: string
}

export const MOST_THINGS = 1024

export class Draft {
  readonly machine: Machine
  /** The processes, the trouble left, the last fence, and then the set, in order. */
  readonly next = new Int32Array(MOST_THINGS)
  /** Where the set begins. */
  readonly header: number
  size = 0
  fault: Finding | null = null
  /** One bit for each process that changed, or that got a message. */
  touched = 0
  readonly #n: number
  readonly #lemmas: Lemmas
  readonly #sometimes: Map<string, number>

  constructor(machine: Machine, lemmas: Lemmas, sometimes: Map<string, number>) {
    this.machine = machine
    this.#n = machine.bounds.nodes.length
    this.header = this.#n + 2
    this.#lemmas = lemmas
    this.#sometimes = sometimes
  }

  start(world: Int32Array, size: number): void {
    for (let i = 0; i < size; i += 1) this.next[i] = intAt(world, i)
    this.size = size
    this.fault = null
    this.touched = 0
  }

  get remembers(): boolean {
    return remembers(intAt(this.next, this.#n))
  }

  set trouble(packed: number) {
    this.next[this.#n] = packed
  }

  get fence(): number {
    return intAt(this.next, this.#n + 1)
  }

  set fence(fence: number) {
    this.next[this.#n + 1] = fence
  }

  become(p: number, process: number): void {
    if (this.next[p] === process) return
    this.next[p] = process
    this.touched |= 1 << p
  }

  apply(p: number, { process, items, fence, began, happened, impossible }: Outcome): void {
    if (this.fault !== null) return
    if (impossible !== null) {
      this.fault = { property: 'impossible', reason: impossible }
      return
    }
    this.become(p, process)
    for (const what of happened) this.#happened(what)
    if (fence > 0) {
      if (fence <= this.fence) {
        this.fault = {
          property: 'F',
          reason: `a grant with fence ${tellFence(fence)} after ${tellFence(this.fence)}`,
        }
      }
      this.fence = Math.max(fence, this.fence)
    }
    for (const item of items) this.add(item)
    if (began > 0) this.fault ??= this.#lemmas.begins(began, this.next, this.header, this.size)
    this.settle(p)
  }

  add(number: number): void {
    const q = get(this.machine.receivers, number)
    if (q >= 0) {
      if (!this.machine.isDead(intAt(this.next, q), number, this.remembers)) this.#insert(number)
      return
    }
    const item = this.machine.items.list[number] as Fact
    const { fault, added, dropped } = this.#lemmas.enter(number, item, this.next, this.header, this.size)
    for (const each of dropped) this.remove(each)
    for (const each of added) this.#insert(each)
    if (fault !== null) this.fault ??= fault
    for (const what of this.#lemmas.noticed(item, added, this.next)) this.#happened(what)
  }

  /** Drops what can do nothing at a process any more. */
  settle(p: number): void {
    const { next, machine, header } = this
    const lasts = this.remembers
    let kept = header
    for (let i = header; i < this.size; i += 1) {
      const number = intAt(next, i)
      if (machine.receivers[number] === p && machine.isDead(intAt(next, p), number, lasts)) continue
      next[kept] = number
      kept += 1
    }
    this.size = kept
  }

  /** A tick later for times in messages, but not for those read from the clock of `slow`. */
  age(slow: number): void {
    const { items, bounds } = this.machine
    const before = this.next.slice(this.header, this.size)
    this.size = this.header
    for (const number of before) {
      const item = aged(get(items.list, number), bounds.nodes[slow], bounds)
      if (item !== null) this.#insert(this.machine.numberOf(item))
    }
  }

  remove(number: number): void {
    const at = this.next.indexOf(number, this.header)
    if (at < 0 || at >= this.size) return
    this.next.copyWithin(at, at + 1, this.size)
    this.size -= 1
  }

  #insert(number: number): void {
    const { next } = this
    let place = this.size
    while (place > this.header && intAt(next, place - 1) > number) place -= 1
    if (place > this.header && next[place - 1] === number) return
    next.copyWithin(place + 1, place, this.size)
    next[place] = number
    this.size += 1
    const q = get(this.machine.receivers, number)
    if (q >= 0) this.touched |= 1 << q
  }

  #happened(what: string): void {
    this.#sometimes.set(what, (this.#sometimes.get(what) ?? 0) + 1)
  }
}
