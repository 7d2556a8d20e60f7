/** The worlds that the algorithms of one view run in. All members of a view make the same ones, from its record and the name. */
import { type AnyAlgorithm, impossible } from '@turnwise/core/algorithm'
import { meansNumbers, worldOfView } from '@turnwise/core/asked-world'
import { get } from '@turnwise/core/bounds'
import { firstDraws } from '@turnwise/core/random'
import { arrange, type Setup } from '@turnwise/core/setup'
import { derived } from './derived.ts'
import { isGroup, permitsOf, resourcesIn, seatsOf } from './names.ts'
import { type Holder, holdersOf, type Id, overlapping, type ViewRecord } from './record.ts'
import { rules } from './rules.ts'
import { algorithmTextFor, type Serving, servingFor } from './serving.ts'
import type { Node } from './state.ts'
import { zoneNumbers, zoneOfSeats } from './zones.ts'

/** The member with the highest rendezvous rank. It changes only if that member leaves or a newcomer ranks higher. */
export function home(name: string, ids: readonly Id[]): Id {
  let first = get(ids, 0)
  let highest = -1
  const rankOf = firstDraws(0, `${name}\n`)
  for (const id of ids) {
    const rank = rankOf(id)
    if (rank > highest || (rank === highest && id < first)) first = id
    highest = Math.max(highest, rank)
  }
  return first
}

export interface World {
  readonly algorithm: AnyAlgorithm
  readonly setup: Setup
  /** Members sorted by id, rotated so that home is first. Each has `seats` seats, numbered consecutively. */
  readonly ids: readonly Id[]
  readonly seats: number
  /** The initial states as text, by the number of the process, as far as they were asked for. */
  readonly initialTexts: Map<number, string>
}

/** The worlds of one view. Few worlds serve all names, and each is made once. */
export class Worlds {
  readonly record: ViewRecord
  /** The record from which instances start. */
  readonly #start: ViewRecord
  #ofLocks: Serving | null = null
  /** Those of semaphores and groups, by kind and text. */
  readonly #others = new Map<string, Serving>()
  readonly #known = new Map<string, World>()
  /** An event asks for the same name several times, and finding the home of a name is slow. */
  #last: { readonly name: string; readonly world: World } | null = null
  /** The members by their ids, for the worlds of all names: sorting very many of them is slow, too. */
  #sorted: readonly Id[] | null = null

  constructor(record: ViewRecord) {
    this.record = record
    this.#start = rules.startsFrom(record)
  }

  /** One algorithm serves all locks. */
  serving(name: string): Serving {
    const { settings } = this.record
    if (!name.startsWith('#') && !isGroup(name)) {
      this.#ofLocks ??= servingFor(settings, name)
      return this.#ofLocks
    }
    const key = `${name.charAt(0)}${algorithmTextFor(settings, name)}`
    const serving = this.#others.get(key) ?? servingFor(settings, name)
    this.#others.set(key, serving)
    return serving
  }

  of(name: string): World {
    if (this.#last?.name === name) return this.#last.world
    const serving = this.serving(name)
    this.#sorted ??= this.#start.members.map(({ id }) => id).toSorted()
    const homeId = home(name, this.#sorted)
    const key = this.#keyOf(name, serving, homeId)
    const world = this.#known.get(key) ?? makeWorld(this.#start, name, serving, this.#sorted, homeId)
    this.#known.set(key, world)
    this.#last = { name, world }
    return world
  }

  /** Algorithm, seats, resources, home, and holders. A semaphore of one permit is not a lock. */
  #keyOf(name: string, { algorithm: { facts } }: Serving, homeId: Id): string {
    const free = `${facts.name} ${seatsOf(name)} ${resourcesIn(name)} ${homeId}`
    const holders = holdersOf(this.#start.table, name)
    if (holders.length === 0) return free
    return JSON.stringify([
      free,
      ...holders.map(({ id, seat, mode, resources }) => [id, seat, mode, resources]),
    ])
  }
}

function makeWorld(
  { members, table }: ViewRecord,
  name: string,
  serving: Serving,
  sorted: readonly Id[],
  homeId: Id,
): World {
  const seats = seatsOf(name)
  const { algorithm, options, asked } = serving
  const built = worldOfView(asked, algorithm.facts, sorted.length)
  // A structure that numbers its nodes means the members in the order of their names, the same for every lock.
  const first = built !== null && meansNumbers(asked) ? 0 : sorted.indexOf(homeId)
  const ids = sorted.map((_, i) => get(sorted, (first + i) % sorted.length))
  const numberOf = ({ id, seat }: Holder) => ids.indexOf(id) * seats + seat
  const holders = holdersOf(table, name).toSorted((a, b) => numberOf(a) - numberOf(b))
  if (isGroup(name) && overlapping(holders).length > 0)
    impossible(`the table has two holders of one name of ${name}`)
  const updater = holders.find(({ mode }) => mode === 'update')
  const { setup } = arrange(algorithm.facts, {
    nodes: ids.length * seats,
    options,
    home: ids.indexOf(homeId) * seats,
    ...built,
    inside: holders.map(numberOf),
    insideMode: updater === undefined ? (holders[0]?.mode ?? 'exclusive') : 'shared',
    updating: updater === undefined ? null : numberOf(updater),
    ...(algorithm.facts.entries === 'k' && { entries: permitsOf(name) }),
    ...(isGroup(name) && {
      resources: resourcesIn(name),
      insideWith: holders.map(({ resources = [] }) => resources),
    }),
    zoneOfNode: zoneOfSeats(zoneNumbers({ members }, ids), seats),
  })
  return { algorithm, setup, ids, seats, initialTexts: new Map() }
}

/** The worlds of the view that this node has begun. */
export function worldsOf(node: Node): Worlds {
  const { begun } = node
  if (begun === null) return impossible(`${node.id} has begun no view`)
  const known = derived(node)
  if (known.worlds?.record !== begun) known.worlds = new Worlds(begun)
  return known.worlds
}

/** What serves a name at this node: as its view says, or without a view as it is configured. */
export function servingAt(node: Node, name: string): Serving {
  return node.begun === null ? servingFor(node.config.settings, name) : worldsOf(node).serving(name)
}
