/**
 * Algorithm instances: one per lock name and view, started in a clean world that is a pure function of the record and the
 * name, so equal at all members without a message. They are made at first use: a local request, the first message for
 * the name, or a table entry of this node. Whoever holds the name by the table begins inside.
 */
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { type AnyAlgorithm, type Here, impossible, type Message } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { readOptions } from '@turnwise/core/options'
import { randomStream } from '@turnwise/core/random'
import { arrange, type Setup } from '@turnwise/core/setup'
import { sendOnLink } from './links.ts'
import type { Id, Table, ViewRecord } from './record.ts'
import { type Instance, isLive, type LocalName, type Node, type Turn } from './state.ts'

/** The algorithm a mesh can run, by name: one inside, silent when nobody asks, no time-outs of its own. */
export function servable(name: string): AnyAlgorithm {
  const algorithm = algorithmNamed(name)
  const { facts } = algorithm
  const why =
    facts.entries !== 1
      ? 'it lets several in'
      : !facts.fallsSilent
        ? 'it never falls silent'
        : facts.medium !== undefined
          ? 'it needs a broadcast medium'
          : Object.values(facts.timers).some((kind) => kind !== 'pace')
            ? 'it has time-outs of its own, and a view has no failures for them to find'
            : facts.knownToFail !== undefined
              ? 'it is known to fail'
              : null
  if (why !== null) throw new InvalidInput(`"${name}" cannot serve a mesh: ${why}`)
  return algorithm
}

/** Highest rendezvous rank first: where a lock begins that nobody holds moves only if its home leaves. */
export function home(name: string, ids: readonly Id[]): Id {
  const rank = (id: Id) => randomStream(0, `${name}\n${id}`).below(0x1_0000_0000)
  return ids.toSorted((a, b) => rank(b) - rank(a) || (a < b ? -1 : 1))[0]
}

interface World {
  readonly algorithm: AnyAlgorithm
  readonly setup: Setup
  /** By the number the algorithm knows them by: members sorted by id, rotated so that home is 0. */
  readonly seats: readonly Id[]
}

/** Setups hold functions, so they are no part of the state; a record never changes, so they are made once for it. */
const worlds = new WeakMap<ViewRecord, Map<string, World>>()

function worldOf(record: ViewRecord, name: string): World {
  const known = worlds.get(record) ?? new Map<string, World>()
  worlds.set(record, known)
  const world = known.get(name) ?? makeWorld(record, record.table, name)
  known.set(name, world)
  return world
}

function makeWorld({ members, settings }: ViewRecord, table: Table, name: string): World {
  const algorithm = servable(settings.algorithm)
  const ids = members.map(({ id }) => id).toSorted()
  const first = ids.indexOf(home(name, ids))
  const seats = ids.map((_, seat) => ids[(first + seat) % ids.length])
  const holders = table[name] ?? []
  const { setup } = arrange(algorithm.facts, {
    nodes: seats.length,
    options: readOptions(algorithm.options, []),
    inside: holders.map(({ id }) => seats.indexOf(id)).toSorted((a, b) => a - b),
    insideMode: holders[0]?.mode ?? 'exclusive',
  })
  return { algorithm, setup, seats }
}

function worldFor({ node, rules, now }: Turn, record: ViewRecord, name: string): World {
  const world = rules.readsTable ? worldOf(record, name) : makeWorld(record, {}, name)
  if (rules.homeFromView) return world
  const live = world.seats.filter((id) => isLive(node, id, now))
  return { ...world, setup: { ...world.setup, home: world.seats.indexOf(home(name, live)) } }
}

export function localName(node: Node, name: string): LocalName {
  node.names[name] ??= { waiting: [], hold: null, instance: null }
  return node.names[name]
}

/** The instance of a name in the view that this node has begun. */
export function openInstance(turn: Turn, name: string): Instance {
  const { node } = turn
  const local = localName(node, name)
  if (local.instance !== null) return local.instance
  if (node.begun === null) return impossible(`${node.id} has no view to serve ${name} in`)
  const { algorithm, setup, seats } = worldFor(turn, node.begun, name)
  const self = seats.indexOf(node.id)
  const phase = setup.inside.includes(self) ? 'inside' : 'idle'
  local.instance = { state: algorithm.init(self, setup), phase, mode: setup.insideMode, grant: null }
  return local.instance
}

/** Runs one handler of the algorithm, and what it asks to be done at once after it. */
export function runInstance(
  turn: Turn,
  name: string,
  handler: (algorithm: AnyAlgorithm, state: object, here: Here, seats: readonly Id[]) => void,
): void {
  const { node } = turn
  const instance = openInstance(turn, name)
  const { algorithm, setup, seats } = worldFor(turn, node.begun as ViewRecord, name)
  const self = seats.indexOf(node.id)
  const steps: string[] = []
  const post = (to: Id, message: Message) => sendOnLink(turn, to, { name, message })
  const here: Here = {
    self,
    setup,
    send: (to, message) => post(seats[to], message),
    sendToOthers(message) {
      for (const id of seats) if (id !== node.id) post(id, message)
    },
    enter(grant) {
      instance.phase = 'inside'
      instance.grant = grant
    },
    proceed: (step) => void steps.push(step),
    broadcast: () => impossible('a mesh has no broadcast medium'),
    elected: () => impossible('a lock elects nobody'),
    setTimer: () => impossible('instances in a mesh have no timers'),
    cancelTimer: () => {},
    random: () => impossible('instances in a mesh draw no random numbers'),
  }
  handler(algorithm, instance.state, here, seats)
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    algorithm.proceed?.(instance.state, here, step)
  }
}
