/**
 * Circles of callers that wait for each other, in what members tell of those who hold and wait. An edge is only what is certain: a caller waits
 * for everyone who holds the same lock in a mode that excludes its own, and a hold is not given back before the requests that were made inside
 * it have ended. Semaphores and elections, callers who are only ahead in line, and whoever says nothing of its holder make no edge.
 */
import type { Mode } from '@turnwise/core/algorithm'
import { areCompatible } from '@turnwise/core/modes'
import type { About, HoldStanding, NameStanding, Standing } from './messages.ts'
import { isLock, nameOf } from './names.ts'
import { printable, shortInfo } from './printable.ts'
import type { Id } from './record.ts'

/** What one node tells. */
export interface Told {
  readonly id: Id
  readonly names: readonly NameStanding[]
}

/** One who holds or waits, and says for whom. */
interface Caller {
  readonly node: Id
  readonly name: string
  readonly mode: Mode
  readonly about: About
  /** Never of two holds, or of two waits. */
  readonly key: string
}

/** Whoever waits here keeps `holds`, and waits for what the next one of the circle holds. The first is the youngest. */
export interface Step {
  readonly waits: Caller
  readonly holds: Caller
}

export type Circle = readonly Step[]

/** The edges among all who told of themselves. */
export class Graph {
  readonly waits: readonly Caller[]
  readonly #holdsOf = new Map<string, Caller[]>()
  /** By node and holder. */
  readonly #waitsOf = new Map<string, Caller[]>()
  readonly #keys: ReadonlySet<string>

  constructor(answers: readonly Told[]) {
    const holds = callersIn(answers, ({ held }) => held)
    this.waits = callersIn(answers, ({ pending }) => pending)
    for (const hold of holds) add(this.#holdsOf, hold.name, hold)
    for (const wait of this.waits) {
      for (const holder of wait.about.holders) add(this.#waitsOf, at(wait.node, holder), wait)
    }
    this.#keys = new Set([...holds, ...this.waits].map(({ key }) => key))
  }

  /**
   * A circle in which this one is the youngest, or null. Each circle has one youngest, in an order that all members compute alike, so
   * exactly one member finds it here for its own caller.
   */
  circleOf(wait: Caller): Circle | null {
    const seen = new Set([wait.key])
    // Shortest first: it is what a person reads.
    const paths: Path[] = [{ wait, through: null, before: null }]
    for (const path of paths) {
      for (const hold of this.#holdsBefore(path.wait)) {
        for (const next of this.#keepers(hold)) {
          if (next.key === wait.key) return stepsOf({ wait, through: hold, before: path })
          if (seen.has(next.key) || !isOlder(next, wait)) continue
          seen.add(next.key)
          paths.push({ wait: next, through: hold, before: path })
        }
      }
    }
    return null
  }

  /** All of them, each once. */
  circles(): readonly Circle[] {
    const found = this.waits.map((wait) => this.circleOf(wait))
    return found.filter((circle) => circle !== null)
  }

  /** Whether all who are in it are here too, the same and not others like them. */
  has(circle: Circle): boolean {
    return circle.every(({ waits, holds }) => this.#keys.has(waits.key) && this.#keys.has(holds.key))
  }

  #holdsBefore({ name, mode }: Caller): readonly Caller[] {
    return (this.#holdsOf.get(name) ?? []).filter((hold) => !areCompatible([hold.mode, mode]))
  }

  /** The waits that keep a hold from being given back. */
  #keepers({ node, about }: Caller): readonly Caller[] {
    return this.#waitsOf.get(at(node, about.holders.at(-1) ?? '')) ?? []
  }
}

interface Path {
  readonly wait: Caller
  /** The hold that led here, and from where. */
  readonly through: Caller | null
  readonly before: Path | null
}

function stepsOf(end: Path): Circle {
  const steps: Step[] = []
  for (let path: Path | null = end.before; path !== null; path = path.before)
    if (path.through !== null) steps.unshift({ waits: path.wait, holds: path.through })
  return end.through === null ? steps : [{ waits: end.wait, holds: end.through }, ...steps]
}

function callersIn(
  answers: readonly Told[],
  pick: (standing: NameStanding) => readonly (Standing & Partial<HoldStanding>)[],
): readonly Caller[] {
  const found: Caller[] = []
  for (const { id: node, names } of answers) {
    for (const standing of names) {
      if (!isLock(standing.name)) continue
      for (const { mode, about, fence } of pick(standing)) {
        if (about === undefined || about.holders.length === 0) continue
        // A hold that was lost and had again has another fence.
        const what = fence === undefined ? 'waits' : `${fence.epoch}.${fence.counter}`
        const key = `${about.id} ${what} ${mode} ${node}`
        found.push({ node, name: standing.name, mode, about, key })
      }
    }
  }
  return found
}

/** Signs of holders are of one node: another may use the same. */
function at(node: Id, holder: string): string {
  return `${node.length} ${node}${holder}`
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** By the clocks of their nodes, which may differ: any order will do that is the same for everyone. */
function isOlder(one: Caller, other: Caller): boolean {
  if (one.about.asked !== other.about.asked) return one.about.asked < other.about.asked
  if (one.node !== other.node) return one.node < other.node
  return one.about.id < other.about.id
}

/** In one line each, as far as one look at all members can tell. */
export function circlesIn(answers: readonly Told[]): readonly string[] {
  return new Graph(answers).circles().map(circleText)
}

/** `a holds "x" and waits for "y"; b holds "y" and waits for "x"` */
export function circleText(circle: Circle): string {
  return circle
    .map(({ waits, holds }) => {
      const info = holds.about.info ?? waits.about.info
      const who = info === null ? waits.node : `${waits.node} ${shortInfo(info)}`
      return `${who} holds ${shownName(holds)} and waits for ${shownName(waits)}`
    })
    .map(printable)
    .join('; ')
}

function shownName({ name }: Caller): string {
  return `"${nameOf(name)}"`
}
