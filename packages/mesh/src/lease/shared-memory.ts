/**
 * The memory that the program's thread and the lease thread share. All accesses are sequentially consistent atomics, because of
 * one race ("Pauses and sleep" in docs/mesh-protocol.md): the lease thread acknowledges a session while the program's thread
 * closes a view without it. The lease thread writes its debt and then checks that it is still allowed. The program's thread
 * forbids it and then reads the debt. So at least one of them sees the other.
 *
 * Times are whole microseconds, rounded against the one that relies on them.
 */

/** How many voters and sessions have a slot. */
export const VOTERS = 64
export const SESSIONS = 256
/** Lives of this node (R7) whose acks are kept apart. Acks of an earlier life must not count for the next. */
const LIVES = 8

const MAIN_ALIVE = 0
const IS_WORKING = 1
const LONGEST = 2
const ACKED = 3
const OWED = ACKED + LIVES * VOTERS
const ALLOWED = OWED + SESSIONS
const CELLS = ALLOWED + SESSIONS

const NEVER = 0n
const NO = 0n
const YES = 1n

export class LeaseMemory {
  readonly buffer: SharedArrayBuffer
  readonly #cells: BigInt64Array

  constructor(buffer = new SharedArrayBuffer(8 * CELLS)) {
    this.buffer = buffer
    this.#cells = new BigInt64Array(buffer)
  }

  /** When the program's thread last moved. */
  get mainAlive(): number {
    return millis(Atomics.load(this.#cells, MAIN_ALIVE))
  }

  set mainAlive(now: number) {
    Atomics.store(this.#cells, MAIN_ALIVE, microsBelow(now))
  }

  /** Whether the program's thread is inside the protocol, and not in code of the program. */
  get isWorking(): boolean {
    return Atomics.load(this.#cells, IS_WORKING) === YES
  }

  set isWorking(is: boolean) {
    Atomics.store(this.#cells, IS_WORKING, is ? YES : NO)
  }

  /** The longest lease on this voter's disk. Only the program's thread acknowledges longer ones (R19). */
  get longest(): number {
    return millis(Atomics.load(this.#cells, LONGEST))
  }

  set longest(leaseMs: number) {
    Atomics.store(this.#cells, LONGEST, microsBelow(leaseMs))
  }

  /** The sending time of the latest heartbeat of this life that a voter acknowledged; null if there is none. */
  acked(life: number, voter: number): number | null {
    const at = Atomics.load(this.#cells, ackedCell(life, voter))
    return at === NEVER ? null : millis(at)
  }

  acknowledged(life: number, voter: number, at: number): void {
    const cell = ackedCell(life, voter)
    const known = Atomics.load(this.#cells, cell)
    const value = microsBelow(at)
    if (value > known) Atomics.store(this.#cells, cell, value)
  }

  /** A life begins. Its cells may have been used by a life long ago. */
  beginLife(life: number): void {
    for (let voter = 0; voter < VOTERS; voter += 1) Atomics.store(this.#cells, ackedCell(life, voter), NEVER)
  }

  /** Called by the lease thread. Notes the debt, and returns whether it is still allowed. If not, nothing may be sent. */
  owe(slot: number, tag: number, until: number): boolean {
    if (!this.#isAllowed(slot, tag)) return false
    Atomics.store(this.#cells, OWED + slot, microsAbove(until))
    return this.#isAllowed(slot, tag)
  }

  #isAllowed(slot: number, tag: number): boolean {
    return Atomics.load(this.#cells, ALLOWED + slot) === BigInt(tag)
  }

  /** Called by the program's thread: the session with this tag may be acknowledged from this slot. */
  allow(slot: number, tag: number): void {
    Atomics.store(this.#cells, ALLOWED + slot, BigInt(tag))
  }

  forbid(slot: number): void {
    Atomics.store(this.#cells, ALLOWED + slot, NEVER)
  }

  /** What the session in the slot is owed; null for nothing. Read it after `forbid`. */
  owed(slot: number): number | null {
    const until = Atomics.load(this.#cells, OWED + slot)
    return until === NEVER ? null : millis(until)
  }

  clearDebt(slot: number): void {
    Atomics.store(this.#cells, OWED + slot, NEVER)
  }
}

function ackedCell(life: number, voter: number): number {
  return ACKED + (life % LIVES) * VOTERS + voter
}

function microsBelow(time: number): bigint {
  return BigInt(Math.floor(time * 1000))
}

function microsAbove(time: number): bigint {
  return BigInt(Math.ceil(time * 1000))
}

function millis(cell: bigint): number {
  return Number(cell) / 1000
}
