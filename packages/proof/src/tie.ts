/**
 * The tie between a model and the text that runs: visits every world of a small instance as the checker does, sees each as a state of the model,
 * and demands that the invariant holds there and that every step of the handlers is a step of the model, or changes nothing in it.
 */

import { instanceOf } from '@turnwise/checker/asked-instance'
import { type Exploration, explore } from '@turnwise/checker/explore'
import { MOST_NUMBERS } from '@turnwise/checker/world-layout'
import { Worlds } from '@turnwise/checker/worlds'
import type { AnyAlgorithm, Message, Mode, NodeId } from '@turnwise/core/algorithm'
import { get, intAt } from '@turnwise/core/bounds'
import { readOptions } from '@turnwise/core/options'
import { quorumsFromLists } from '@turnwise/core/quorum/quorum-from-text'
import { arrange, type Wishes } from '@turnwise/core/setup'
import { structureFromText } from '@turnwise/core/structure/structure-from-text'
import { tellStructure } from './counterexample.ts'
import { Finite, type Structure, textOf } from './logic/finite.ts'
import type { Proof, SeenWorld, TiedInstance } from './proof.ts'

export interface Tie extends Exploration<string> {
  /** How many states of the model the worlds are. */
  readonly abstractStates: number
  /** The steps of the model that were taken. */
  readonly taken: ReadonlySet<string>
}

/** Ties the model of a proof to a text: its own, or for a test another. */
export function tie(proof: Proof, tied: TiedInstance, algorithm: AnyAlgorithm = proof.algorithm): Tie {
  const watch = new Watch(proof, tied, algorithm)
  const exploration = explore(watch)
  return { ...exploration, abstractStates: watch.states.size, taken: watch.taken }
}

/** One step of the model. */
interface Successor {
  readonly text: string
  readonly structure: Structure
  readonly name: string
  /** Its first parameter. */
  readonly node: number | undefined
}

/** Some steps one after the other, and where they lead. */
interface Way extends Pick<Successor, 'text' | 'structure'> {
  readonly names: readonly string[]
}

/** The worlds of a text, each step judged by the model. */
class Watch {
  readonly mostNumbers = MOST_NUMBERS
  readonly taken = new Set<string>()
  /** The states of the model that worlds are, by their texts. */
  readonly states = new Set<string>()
  /** By the text of a state of the model: the states one step away. */
  readonly #successors = new Map<string, readonly Successor[]>()
  readonly #proof: Proof
  readonly #worlds: Worlds
  readonly #finite: Finite
  readonly #tied: TiedInstance
  #isFirst = true

  constructor(proof: Proof, tied: TiedInstance, algorithm: AnyAlgorithm) {
    const { nodes, requests, readers, downgrades, updates, priorities, withdrawals = 0, sizes } = tied
    this.#proof = proof
    this.#tied = tied
    const { setup } = arrange(algorithm.facts, wishesOf(tied, algorithm))
    const instance = instanceOf(
      { algorithm, setup },
      { requests, readers, downgrades, updates, priorities },
      { withdrawals },
    )
    // Numbers as they are: a model compares those before a step with those after it.
    this.#worlds = new Worlds(instance, { followFences: false, concrete: true })
    this.#finite = new Finite(proof.model, { ...sizes, node: nodes })
  }

  initial(world: Int32Array): number {
    return this.#worlds.initial(world)
  }

  expand(
    world: Int32Array,
    size: number,
    visit: (next: Int32Array, size: number, finding: string | null, tell: () => string) => void,
  ): void {
    const before = this.#seen(world, size)
    const { axioms, axiomsOfGoals = [], first, invariant, goals } = this.#proof.model
    // No step changes what the axioms speak of, so once is enough.
    const begins = this.#isFirst ? [...axioms, ...axiomsOfGoals, ...first] : []
    const wrong = this.#finite.broken([...begins, ...invariant, ...goals], before)
    if (wrong !== null)
      return visit(world, size, this.#told(`this does not hold: ${wrong.name}`, before), () => 'nothing')
    this.#isFirst = false
    this.states.add(textOf(before))
    this.#worlds.expand(world, size, (next, nextSize) => {
      const { event, node } = this.#worlds.step
      if (event.is === 'request' && !this.#mayAsk(node, event.mode)) return
      const after = this.#seen(next, nextSize)
      const steps = this.#way(before, textOf(after), node)
      for (const step of steps ?? []) this.taken.add(step)
      const finding = steps === null ? this.#told('this is no step of the model', before, after) : null
      visit(next, nextSize, finding, () => this.#tellStep())
    })
  }

  /** The fewest steps of the model that lead from one state to another by a step of the text at this node; null if none do. */
  #way(from: Structure, to: string, node: NodeId): readonly string[] | null {
    const text = textOf(from)
    if (text === to) return []
    const { together = 1 } = this.#proof
    // Models whose steps are whole handlers need not name the node first.
    const isHere = (next: Successor) => together === 1 || next.node === node
    const seen = new Set([text])
    let last: Way[] = [{ text, structure: from, names: [] }]
    for (let taken = 0; taken < together; taken += 1) {
      const ways = last.flatMap((way) =>
        this.#successorsOf(way)
          .filter((next) => isHere(next) && !seen.has(next.text))
          .map((next) => {
            seen.add(next.text)
            return { ...next, names: [...way.names, next.name] }
          }),
      )
      const found = ways.find((way) => way.text === to)
      if (found !== undefined) return found.names
      last = ways
    }
    return null
  }

  #successorsOf({ text, structure }: Pick<Way, 'text' | 'structure'>): readonly Successor[] {
    const known = this.#successors.get(text)
    if (known !== undefined) return known
    const found: Successor[] = []
    this.#finite.steps(structure, ({ name }, [node], next) =>
      found.push({ text: textOf(next), structure: next, name, node }),
    )
    this.#successors.set(text, found)
    return found
  }

  #seen(world: Int32Array, size: number): Structure {
    const finite = this.#finite
    const structure = finite.empty()
    const { layout, parts, instance } = this.#worlds
    const { setup } = instance
    const nodes = Array.from({ length: setup.nodes }, (_, node) => {
      const { state, status } = layout.localOf(world, node)
      return { node, state, inside: status === 'inside', waiting: status === 'waiting' }
    })
    const mail = Array.from({ length: size - layout.header }, (_, index) =>
      get(parts.envelopes, intAt(world, layout.header + index)),
    )
    const seen: SeenWorld<object, Message> = { setup, nodes, mail, sizes: finite.sizes }
    this.#proof.see(seen, {
      holds: ({ symbol }, ...at) => finite.add(symbol, at, structure),
      is: ({ symbol }, value, ...at) => finite.set(symbol, at, value, structure),
    })
    return structure
  }

  #mayAsk(node: NodeId, mode: Mode): boolean {
    const { nodes, askers = nodes, modes } = this.#tied
    return node < askers && (modes === undefined || modes[node] === mode)
  }

  #tellStep(): string {
    const { event, node } = this.#worlds.step
    if (event.is !== 'receive') return `node ${node}: ${event.is}`
    return `node ${node} receives ${event.message.type} from ${event.from}`
  }

  #told(what: string, ...structures: readonly Structure[]): string {
    const told = structures.map((structure) => tellStructure(this.#finite, structure).join('; '))
    return `${what}\n${told.join('\n')}`
  }
}

function wishesOf(
  { nodes, set = [], quorums, structure }: TiedInstance,
  algorithm: AnyAlgorithm,
): Wishes<object> {
  return {
    nodes,
    options: readOptions(algorithm.options, [...set], algorithm.facts.name),
    ...(quorums === undefined ? {} : { quorums: quorumsFromLists(quorums) }),
    ...(structure === undefined ? {} : { structure: structureFromText(structure, nodes) }),
  }
}
