/** Asks the other members who holds and who waits, and collects their answers. */
import type { Runner } from '../host/runner.ts'
import type { Effect } from '../protocol/events.ts'
import { withPlaces } from '../protocol/line.ts'
import type { Asked, NameStanding } from '../protocol/messages.ts'
import { areHolders, standings } from '../protocol/query.ts'
import type { Id } from '../protocol/record.ts'
import type { CallerId } from '../protocol/state.ts'
import { worldsOf } from '../protocol/view-worlds.ts'
import type { Echoes } from './echoes.ts'
import type { Upgrades } from './upgrades.ts'

export interface Answer {
  readonly id: Id
  readonly names: readonly NameStanding[]
}

/** What a waiting caller is told. */
export interface Lined {
  readonly nodes: readonly Answer[]
  /** How many are let in before it, if nobody else comes and nobody gives up; null if that is not known. */
  readonly ahead: number | null
}

/** Only callers that name their holder. */
export const HOLDERS: Asked = { only: 'holders' }

export interface Line {
  /** Tells the protocol of callers that have left. */
  settle(): void
  /** Callers of this node that the protocol does not know yet: for one name, or for all (null). */
  inLine(name: Asked): readonly NameStanding[]
  /** Holders of this node that wait to be exclusive. */
  readonly upgrades: Pick<Upgrades, 'told'>
}

interface Question {
  readonly name: Asked
  readonly answers: Answer[]
  /** Pieces of answers that are not complete. */
  readonly pieces: Map<Id, (readonly NameStanding[])[]>
  /** Members that have not answered yet, in the view of the question; null while there is no view to ask in. */
  missing: Set<Id> | null
  /** The view of the first answer. Places in the line of another view mean nothing. */
  readonly epoch: number | null
  readonly heard: (answer: Answer) => void
  readonly done: (answers: readonly Answer[]) => void
  readonly fail: (error: Error) => void
}

export class Survey {
  readonly #runner: Runner
  readonly #line: Line
  readonly #echoes: Echoes
  readonly #open = new Map<number, Question>()
  #tickets = 0

  constructor(runner: Runner, line: Line, echoes: Echoes) {
    this.#runner = runner
    this.#line = line
    this.#echoes = echoes
  }

  /**
   * The answers of all members, this node first. Answers of members that left the view meanwhile are missing. `heard` is called
   * with each answer as it comes.
   */
  ask(name: Asked, heard: (answer: Answer) => void = () => {}): Promise<readonly Answer[]> {
    return this.#ask(name, [...this.own(name), ...this.#line.inLine(name)], heard)
  }

  /** As `ask`, and how many are before this caller of this node; null if that is not known. */
  async place(name: string, caller: CallerId | null): Promise<Lined> {
    const own = this.own(name)
    const waiting = this.#runner.node.names.get(name)?.waiting.filter(({ probes }) => !probes) ?? []
    const index = waiting.findIndex((each) => each.caller === caller)
    const nodes = await this.#ask(name, [...own, ...this.#line.inLine(name)])
    return { nodes, ahead: nodes[0]?.names[0]?.pending[index]?.ahead ?? null }
  }

  /** Callers that name their holder. What clients of this node and of the members have released by now is not among them. */
  async askHolders(): Promise<readonly Answer[]> {
    return this.#ask(HOLDERS, await this.#echoes.after(() => this.own(HOLDERS)))
  }

  #ask(
    name: Asked,
    names: readonly NameStanding[],
    heard: (answer: Answer) => void = () => {},
  ): Promise<readonly Answer[]> {
    return new Promise((done, fail) => {
      this.#tickets += 1
      const { id, begun } = this.#runner.node
      const answers = [{ id, names }]
      const epoch = begun?.epoch ?? null
      const question: Question = { name, answers, pieces: new Map(), missing: null, epoch, heard, done, fail }
      this.#open.set(this.#tickets, question)
      this.#runner.keepAlive('questions', true)
      this.#put(this.#tickets, question)
    })
  }

  /** Without callers in line. */
  own(name: Asked): readonly NameStanding[] {
    this.#line.settle()
    return [...standings(this.#runner.node, name, this.#runner.now), ...this.#line.upgrades.told(name)]
  }

  #put(ticket: number, question: Question): void {
    const { begun, id } = this.#runner.node
    const answered = question.answers.map((answer) => answer.id)
    question.missing = null
    question.pieces.clear()
    if (begun === null) return
    const others = begun.members.map((member) => member.id)
    question.missing = new Set(others.filter((other) => other !== id && !answered.includes(other)))
    if (question.missing.size === 0) this.#finish(ticket, question)
    else this.#runner.dispatch({ kind: 'ask', name: question.name, ticket })
  }

  asked({ from, ticket, name, epoch }: Extract<Effect, { kind: 'asked' }>): void {
    const answer = (inLine: readonly NameStanding[]) =>
      this.#runner.dispatch({ kind: 'answer', to: from, ticket, name, epoch, inLine })
    // Callers that have left hold nothing, even if the protocol has not heard of it.
    if (!areHolders(name)) {
      this.#line.settle()
      answer([...this.#line.inLine(name), ...this.#line.upgrades.told(name)])
    } else if (this.#echoes.isEmpty) answer(this.own(name))
    else void this.#echoes.after(() => this.own(name)).then(answer)
  }

  told({ from, ticket, names, more }: Extract<Effect, { kind: 'told' }>): void {
    const question = this.#open.get(ticket)
    if (question === undefined || !question.missing?.has(from)) return
    const pieces = question.pieces.get(from) ?? []
    pieces.push(names)
    question.pieces.set(from, pieces)
    if (more) return
    question.missing.delete(from)
    const answer = { id: from, names: pieces.flat() }
    question.answers.push(answer)
    question.heard(answer)
    if (question.missing.size === 0) this.#finish(ticket, question)
  }

  /** The links of the old view are gone, and the questions with them. Members that have not answered are asked again. */
  begun(): void {
    for (const [ticket, question] of this.#open) this.#put(ticket, question)
  }

  #finish(ticket: number, { done, answers, epoch }: Question): void {
    this.#open.delete(ticket)
    if (this.#open.size === 0) this.#runner.keepAlive('questions', false)
    const { node } = this.#runner
    const { begun, thefts, names } = node
    const isStolen = (name: string) => thefts.has(name) || names.get(name)?.waiting[0]?.steals === true
    done(withPlaces(answers, begun?.epoch === epoch ? worldsOf(node) : null, isStolen))
  }

  /** There is no quorum, or the node has left, so questions will not be answered. */
  fail(error: Error): void {
    for (const { fail } of this.#open.values()) fail(error)
    this.#open.clear()
    this.#runner.keepAlive('questions', false)
  }
}
