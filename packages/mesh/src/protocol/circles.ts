/**
 * Finds deadlocks: circles of callers that wait for each other, in what members report about holders and waiters. An edge stands
 * for a certain fact. A caller waits for all holders of the same lock whose mode excludes its own. A hold is not released before
 * the requests made inside it have ended. Semaphores, elections, callers that are only ahead in a queue, and callers that do not
 * name their holder make no edge.
 */
import type { Mode } from '@turnwise/core/algorithm'
import { areCompatible } from '@turnwise/core/modes'
import type { About, HoldStanding, NameStanding, Standing } from './messages.ts'
import { isLock, nameOf } from './names.ts'
import { printable, shortInfo } from './printable.ts'
import type { Id } from './record.ts'

/** The report of one node. */
export interface Told {
  readonly id: Id
  readonly names: readonly NameStanding[]
}

/** A caller that holds or waits, and that names its holder. */
interface Caller {
  readonly node: Id
  readonly name: string
  readonly mode: Mode
  readonly about: About
  /** Unique among holds, and among waits. */
  readonly key: string
}

/**
 * This caller waits and keeps `holds` meanwhile. It waits for what the next step of the circle holds. The first step is the
 * youngest.
 */
export interface Step {
  readonly waits: Caller
  readonly holds: Caller
}

export type Circle = readonly Step[]

/** The edges among all callers that name their holder. */
export class Graph {
  readonly waits: readonly Caller[]
  readonly #holdsOf = new Map<string, Caller[]>()
  /** Keyed by node and holder. */
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
   * A circle in which this caller is the youngest, or null. All members compute ages alike, so each circle has one youngest,
   * and only the member of that caller finds the circle here.
   */
  circleOf(wait: Caller): Circle | null {
    const seen = new Set([wait.key])
    // Breadth first finds a shortest circle, which is the easiest to read.
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

  /** All circles, each once. */
  circles(): readonly Circle[] {
    const found = this.waits.map((wait) => this.circleOf(wait))
    return found.filter((circle) => circle !== null)
  }

  /** Whether exactly the same holds and waits are here too. */
  has(circle: Circle): boolean {
    return circle.every(({ waits, holds }) => this.#keys.has(waits.key) && this.#keys.has(holds.key))
  }

  #holdsBefore({ name, mode }: Caller): readonly Caller[] {
    return (this.#holdsOf.get(name) ?? []).filter((hold) => !areCompatible([hold.mode, mode]))
  }

  /** The waits that keep a hold from being released. */
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
        // A lock that was lost and acquired again has another fence.
        const what = fence === undefined ? 'waits' : `${fence.epoch}.${fence.counter}`
        const key = `${about.id} ${what} ${mode} ${node}`
        found.push({ node, name: standing.name, mode, about, key })
      }
    }
  }
  return found
}

/** Two nodes may use the same sign for different holders. */
function at(node: Id, holder: string): string {
  return `${node.length} ${node}${holder}`
}

function add<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** Compares the clocks of their nodes. These may differ, but every member gets the same order. */
function isOlder(one: Caller, other: Caller): boolean {
  if (one.about.asked !== other.about.asked) return one.about.asked < other.about.asked
  if (one.node !== other.node) return one.node < other.node
  return one.about.id < other.about.id
}

/** One line for each circle, as far as one query of all members can tell. */
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
