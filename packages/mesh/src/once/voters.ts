/**
 * Runs at the voters of a mesh of peers, durable at a majority of them (keeping.ts). This is both sides: the asking node and the
 * voter.
 */
import type { Disk } from '../disk/disk.ts'
import { inEra } from '../disk/memory-file.ts'
import type { Runner } from '../host/runner.ts'
import { lockLost, NoQuorumError, quotaExceeded, RunUnknownError } from '../locks/errors.ts'
import { type Held, heldCaller, heldKey } from '../locks/held.ts'
import type { Memory, Page } from '../locks/run-memory.ts'
import type { Effect } from '../protocol/events.ts'
import { type Advice, consider, judge, MOST_NAMES, type Verdict } from '../protocol/keeping.ts'
import { nameOf } from '../protocol/names.ts'
import type { VoterId } from '../protocol/record.ts'
import { forgetting, NO_RUNS, type Runs, readRuns, writeRuns } from '../protocol/runs.ts'

type Consulted = Extract<Effect, { kind: 'consulted' }>
type Advised = Extract<Effect, { kind: 'advised' }>
type Begun = Extract<Effect, { kind: 'begun' }>
/** `begun`: a view in which both sets of voters vote. */
export type Word = Consulted | Advised | Begun

/** Obtains the lock of a job for a moment. Null if it is held or awaited. */
export type ObtainIfFree = (key: string) => Promise<Held | null>

type Heeded = Extract<Verdict, { kind: 'heeded' }>

/** An open question, and the voters that have answered in which view. */
interface Question {
  epoch: number
  readonly answers: Map<VoterId, Advice>
  settle(): void
}

export class VoterMemory implements Memory {
  readonly #runner: Runner
  readonly #disk: Disk
  /** Resolves at the next tick of the node, with false when it has left. */
  readonly #pause: () => Promise<boolean>
  readonly #obtain: ObtainIfFree
  /** Milliseconds until a majority counts as away. */
  readonly #patience: number
  readonly #open = new Map<number, Question>()
  #tickets = 0

  constructor(
    runner: Runner,
    disk: Disk,
    pause: () => Promise<boolean>,
    obtain: ObtainIfFree,
    patience: number,
  ) {
    this.#runner = runner
    this.#disk = disk
    this.#pause = pause
    this.#obtain = obtain
    this.#patience = patience
  }

  async open(name: string, held: Held, skew: number): Promise<Page> {
    const ask = this.#asking(name, held)
    const { latest, before } = await ask(null)
    const found = latest === null ? NO_RUNS : readRuns(latest.value)
    if (found === null) throw new RunUnknownError(`the runs of "${name}" at the voters are damaged`)
    // Clocks may differ by `skew`, and a job may run that much ahead of its time.
    const runs = forgetting(found, before === null ? null : before + 2 * skew)
    const write = async (next: Runs) => void (await ask(writeRuns(next)))
    return {
      runs,
      // Only a minority may have it, from a holder that died while it wrote.
      confirm: () => write(runs),
      write,
    }
  }

  /** Counts the steps of one hold. */
  #asking(name: string, held: Held): (value: string | null) => Promise<Heeded> {
    let step = 0
    return (value) => {
      step += 1
      return this.#ask(held, name, step, value)
    }
  }

  /**
   * Writes what this voter has of each name once more, while both sets of voters vote. Then a majority of the new voters has it.
   * A job whose lock is held is left to its holder. What is not copied in time counts as unknown.
   */
  #copyAll(): void {
    for (const key of this.#disk.remembered.shelves.keys()) void this.#copy(key).catch(() => {})
  }

  async #copy(key: string): Promise<void> {
    const held = await this.#obtain(key)
    if (held === null) return
    try {
      const ask = this.#asking(nameOf(key), held)
      const { latest, before } = await ask(null)
      // If something may be missing, the next caller must say by how much clocks differ.
      if (latest !== null && before === null) await ask(latest.value)
    } finally {
      held.release()
    }
  }

  /** Repeats the question on every tick, because messages are lost and views change. */
  async #ask(held: Held, name: string, step: number, value: string | null): Promise<Heeded> {
    this.#tickets += 1
    const ticket = this.#tickets
    const asked = {
      kind: 'consult',
      ticket,
      name: heldKey(held),
      caller: heldCaller(held),
      step,
      value,
    } as const
    const deadline = this.#runner.now + this.#patience
    let answered = () => {}
    const settled = new Promise<void>((resolve) => {
      answered = resolve
    })
    const question: Question = { epoch: 0, answers: new Map(), settle: answered }
    this.#open.set(ticket, question)
    try {
      for (;;) {
        held.assertHeld()
        this.#runner.dispatch(asked)
        const isOpen = await Promise.race([settled.then(() => true), this.#pause()])
        const verdict = this.#verdict(question)
        if (verdict.kind === 'heeded') return verdict
        if (verdict.kind === 'refused') throw lockLost(name)
        if (verdict.kind === 'full')
          throw quotaExceeded(`cannot remember "${name}": voters remember ${MOST_NAMES} names`)
        if (!isOpen || this.#runner.now >= deadline) throw this.#inVain(name, value)
      }
    } finally {
      this.#open.delete(ticket)
    }
  }

  #verdict({ epoch, answers }: Question): Verdict {
    const { begun } = this.#runner.node
    return begun === null || begun.epoch !== epoch ? { kind: 'open' } : judge(begun, answers)
  }

  #inVain(name: string, value: string | null): Error {
    const why = `too few voters answered for ${Math.round(this.#patience)} ms`
    return value === null
      ? new NoQuorumError(`the runs of "${name}" at the voters cannot be read: ${why}`)
      : new RunUnknownError(`it is unknown whether a run of "${name}" is remembered: ${why}`)
  }

  /** Called by the mesh with messages to this node. */
  heard(word: Word): void {
    if (word.kind === 'begun') this.#copyAll()
    else if (word.kind === 'consulted') void this.#advise(word)
    else this.#advised(word)
  }

  #advised({ epoch, ticket, voterId, advice }: Advised): void {
    const question = this.#open.get(ticket)
    if (question === undefined) return
    // An answer ends with its view, because the next view may have other voters.
    if (question.epoch !== epoch) question.answers.clear()
    question.epoch = epoch
    question.answers.set(voterId, advice)
    if (this.#verdict(question).kind !== 'open') question.settle()
  }

  /**
   * On disk before it is answered. Questions are handled one after the other, and writes follow each other, so every answer is
   * on disk.
   */
  async #advise({ from, epoch, since, ticket, question }: Consulted): Promise<void> {
    const before = inEra(this.#disk.remembered, since, Date.now())
    const there = before.shelves.get(question.name) ?? null
    const { shelf, outcome } = consider(there, question, epoch, before.shelves.size >= MOST_NAMES)
    const shelves = new Map(before.shelves)
    if (shelf !== null) shelves.set(question.name, shelf)
    try {
      await this.#disk.remember({ ...before, shelves })
    } catch (error) {
      return this.#runner.fail(error instanceof Error ? error : new Error(String(error)))
    }
    const advice = { outcome, kept: shelf?.kept ?? null, since: before.since, at: before.at }
    this.#runner.dispatch({ kind: 'advise', to: from, epoch, ticket, advice })
  }
}
