/**
 * Finds deadlocks: circles of callers that wait for each other, in what members report about holders and waiters. An edge stands
 * for a certain fact. A caller waits for all holders of the same lock whose mode excludes its own. It also waits for the callers
 * ahead of it in the queue of its node, and for an upgrade there. A hold is not released before the requests made inside it have
 * ended. Semaphores, elections, the queues of other nodes, and callers that do not name their holder make no edge.
 *
 * In a group a caller waits for the holders of the names that it wants. It also waits for each seat that says that this caller's
 * seat is behind it: that seat was registered for a common name before, and passes the name on after it was inside. A seat never
 * takes its request back, so this is certain even if the caller of that seat has gone. A group has no queue that all callers of a
 * node pass through.
 */
import type { Mode, ResourceId } from '@turnwise/core/algorithm'
import { areCompatible } from '@turnwise/core/modes'
import type { About, HoldStanding, NameStanding, SeatStanding, Standing } from './messages.ts'
import { isGroup, isLock, nameOf, namesHeld, permittedName } from './names.ts'
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
  /** Unique among the callers of all nodes. A hold and its upgrade are of one caller. */
  readonly id: string
  /** Of a group: the names that it holds or wants. Otherwise empty. */
  readonly resources: readonly ResourceId[]
}

interface Waiter extends Caller {
  /** It holds the lock in mode update, and waits to be exclusive. */
  readonly isUpgrade: boolean
}

/**
 * This caller waits and keeps `holds` meanwhile. It waits for what the next step of the circle holds, or is behind callers of its
 * node that wait for that. The first step is the youngest.
 */
export interface Step {
  readonly waits: Waiter
  /** Those ahead of it, the nearest first. They hold nothing in this circle. */
  readonly behind: readonly Caller[]
  readonly holds: Caller
}

export type Circle = readonly Step[]

/** The edges among all callers that name their holder. */
export class Graph {
  readonly waits: readonly Waiter[]
  readonly #holdsOf = new Map<string, Caller[]>()
  /** The waiters and seats next ahead of each, by its key. */
  readonly #aheadOf: ReadonlyMap<string, readonly Waiter[]>
  /** Keyed by node and holder. */
  readonly #waitsOf = new Map<string, Waiter[]>()
  readonly #keys: ReadonlySet<string>

  constructor(answers: readonly Told[]) {
    const holds = callersIn(answers, ({ held }) => held)
    const held = new Set(holds.map(({ id }) => id))
    const waits = callersIn(answers, ({ pending }) => pending)
    this.waits = waits.map((wait) => ({ ...wait, isUpgrade: held.has(wait.id) }))
    for (const hold of holds) add(this.#holdsOf, hold.name, hold)
    for (const wait of this.waits) {
      for (const holder of wait.about.holders) add(this.#waitsOf, at(wait.node, holder), wait)
    }
    const seats = seatsIn(answers)
    this.#aheadOf = new Map([...queuesIn(this.waits), ...seatsAhead(this.waits, seats)])
    this.#keys = new Set([...holds, ...this.waits, ...seats].map(({ key }) => key))
  }

  /**
   * A circle in which this caller is the youngest that holds something, or null. All members compute ages alike, so each circle
   * has one youngest, and only the member of that caller finds the circle here.
   */
  circleOf(wait: Waiter): Circle | null {
    const seen = new Set([wait.key])
    // Breadth first finds a shortest circle, which is the easiest to read.
    const paths: Path[] = [{ wait, through: null, before: null }]
    for (const path of paths) {
      for (const ahead of this.#aheadOf.get(path.wait.key) ?? []) {
        if (seen.has(ahead.key)) continue
        seen.add(ahead.key)
        paths.push({ wait: ahead, through: null, before: path })
      }
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
    return circle.every(({ waits, behind, holds }) =>
      [waits, ...behind, holds].every(({ key }) => this.#keys.has(key)),
    )
  }

  /** An upgrade does not wait for the hold that it upgrades. */
  #holdsBefore(wait: Caller): readonly Caller[] {
    const holds = this.#holdsOf.get(wait.name) ?? []
    return holds.filter((hold) => hold.id !== wait.id && excludes(hold, wait))
  }

  /** The waits that keep a hold from being released. */
  #keepers({ node, about }: Caller): readonly Waiter[] {
    return this.#waitsOf.get(at(node, about.holders.at(-1) ?? '')) ?? []
  }
}

function excludes(hold: Caller, wait: Caller): boolean {
  if (isGroup(hold.name)) return hold.resources.some((each) => wait.resources.includes(each))
  return !areCompatible([hold.mode, wait.mode])
}

interface Path {
  readonly wait: Waiter
  /** The hold that led here; null at the start, and from a caller that is behind this one. */
  readonly through: Caller | null
  readonly before: Path | null
}

/** `end` closes the circle: its wait is that of the start. */
function stepsOf(end: Path): Circle {
  const steps: Step[] = []
  let behind: Caller[] = []
  for (let path: Path | null = end.before; path !== null; path = path.before) {
    const holds = path.before === null ? end.through : path.through
    if (holds === null) behind.unshift(path.wait)
    else {
      steps.unshift({ waits: path.wait, behind, holds })
      behind = []
    }
  }
  return steps
}

/**
 * Callers of one node get in one after another, and nobody joins those inside while one of the node upgrades. So each waits for the one
 * ahead, whatever its mode, and the first for an upgrade.
 */
function queuesIn(waits: readonly Waiter[]): ReadonlyMap<string, readonly Waiter[]> {
  const aheadOf = new Map<string, readonly Waiter[]>()
  const last = new Map<string, Waiter>()
  for (const wait of waits) if (wait.isUpgrade) last.set(at(wait.node, wait.name), wait)
  for (const wait of waits) {
    if (wait.isUpgrade || isGroup(wait.name)) continue
    const queue = at(wait.node, wait.name)
    const ahead = last.get(queue)
    if (ahead !== undefined) aheadOf.set(wait.key, [ahead])
    last.set(queue, wait)
  }
  return aheadOf
}

/** A seat of a group that waits. It holds nothing of its own: its caller, if it is still there, is a waiter beside it. */
interface WaitingSeat extends Waiter, Pick<SeatStanding, 'seat' | 'behind'> {}

function seatsIn(answers: readonly Told[]): readonly WaitingSeat[] {
  return answers.flatMap(({ id: node, names }) =>
    names.flatMap(({ name, seats = [] }) =>
      (isGroup(name) ? seats : []).map(({ seat, caller, resources, behind }) => ({
        node,
        name,
        mode: 'exclusive' as const,
        about: { id: caller, asked: 0, info: null, holders: [] },
        // Of this view, in which a caller has one seat. The next caller of the seat has another number.
        key: `${seat} for ${caller} ${at(node, name)}`,
        id: at(node, String(caller)),
        resources,
        isUpgrade: false,
        seat,
        behind,
      })),
    ),
  )
}

/** Those ahead of each seat, and of the caller that the seat has asked for. */
function seatsAhead(
  waits: readonly Waiter[],
  seats: readonly WaitingSeat[],
): ReadonlyMap<string, readonly Waiter[]> {
  const place = (name: string, number: number) => `${number} ${name}`
  const before = new Map<string, WaitingSeat[]>()
  for (const seat of seats) for (const each of seat.behind) add(before, place(seat.name, each), seat)
  const callers = new Map(waits.map((wait) => [wait.id, wait]))
  const ahead = new Map<string, readonly Waiter[]>()
  for (const seat of seats) {
    const all = before.get(place(seat.name, seat.seat)) ?? []
    ahead.set(seat.key, all)
    const caller = callers.get(seat.id)
    if (caller !== undefined) ahead.set(caller.key, all)
  }
  return ahead
}

function callersIn(
  answers: readonly Told[],
  pick: (standing: NameStanding) => readonly (Standing & Partial<HoldStanding>)[],
): readonly Caller[] {
  const found: Caller[] = []
  for (const { id: node, names } of answers) {
    for (const standing of names) {
      if (!isLock(standing.name) && !isGroup(standing.name)) continue
      for (const { mode, about, fence, resources = [] } of pick(standing)) {
        if (about === undefined || about.holders.length === 0) continue
        // A lock that was lost and acquired again has another fence. A wait that began again has another time.
        const what = fence === undefined ? `waits ${about.asked}` : `${fence.epoch}.${fence.counter}`
        const key = `${about.id} ${what} ${mode} ${node}`
        found.push({ node, name: standing.name, mode, about, key, id: at(node, String(about.id)), resources })
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
  return new Graph(answers).circles().map((circle) => circleText(circle))
}

/** `"x"`, or of a group `"east", "west" of "stock"`. */
function nameIn(caller: Caller): string {
  const whole = `"${nameOf(caller.name)}"`
  if (!isGroup(caller.name)) return whole
  const names = namesHeld(caller.name, caller)
  return `${names.map((name) => `"${name}"`).join(', ')} of ${whole}`
}

/** `a holds "x" and waits for "y"; b holds "y" and waits to upgrade "x"`. `may`: which names the reader may see. */
export function circleText(circle: Circle, may: (name: string) => boolean = () => true): string {
  const isSeen = ({ name }: Caller) => may(permittedName(name))
  const shownName = (caller: Caller) => (isSeen(caller) ? nameIn(caller) : 'another lock')
  return circle
    .map(({ waits, behind, holds }) => {
      const info = [holds, waits].filter(isSeen).find(({ about }) => about.info !== null)?.about.info ?? null
      const who = info === null ? waits.node : `${waits.node} ${shortInfo(info)}`
      const what = waits.isUpgrade ? 'to upgrade' : 'for'
      const others = behind.length === 0 ? '' : ` behind ${behind.length} more`
      return `${who} holds ${shownName(holds)} and waits ${what} ${shownName(waits)}${others}`
    })
    .map(printable)
    .join('; ')
}
