/**
 * Sopena, Legond-Aubry, Arantes and Sens, "A composition approach to mutual exclusion algorithms for grid applications", International
 * Conference on Parallel Processing, 2007.
 *
 * Messages within a zone are quick, and between zones slow. So each zone has an algorithm of its own (INNER), and each has a coordinator,
 * which is a member of it beside the nodes. The coordinators are the members of another algorithm (OUTER). A coordinator begins inside the
 * inner section, which keeps its zone out. When a node of its zone waits, it asks the outer algorithm. Once let in there, it leaves the
 * inner section, and its zone takes turns. When another coordinator waits, it asks the inner algorithm again. Once it is back inside, it
 * leaves the outer section.
 *
 * Why it is safe: while a node is inside, its coordinator is not inside the inner section, because that has one place. It left there
 * after it got the outer one, and leaves the outer one only when it is back. So the coordinator of the node that is inside holds the outer
 * section, and one coordinator does. Why nobody starves: a request in a zone that is shut is seen by its coordinator, which asks once. If the
 * outer algorithm starves nobody, it gets its turn, because the coordinator before it asks the inner one, which starves nobody either.
 *
 * Both texts run unchanged, as they do alone. Assumed is what they assume: reliable channels, in no order, between every two nodes of a zone
 * and between every two coordinators. An entry in a zone that is open costs what the inner algorithm costs. If another zone must hand
 * over first, it costs an outer entry more, and an inner one for the coordinator that returns. While one zone alone asks, no message
 * leaves it once it is let in.
 *
 * A budget (Dice, Marathe and Shavit, "Lock cohorting: a general technique for designing NUMA locks", PPoPP 2012): each return of a coordinator
 * costs messages, and each change of zones slow ones. With `localTurns` above one, a coordinator that is back while its zone has had fewer turns
 * steps behind the nodes that wait there. Once it stands in the inner line, the nodes before it have one place each. So a zone of m nodes, let in
 * while another waits, takes at most localTurns - 1 + m turns, if the line is first come, first served and the coordinator is in it
 * at once: with a central coordinator and with the token that carries its queue. With the others its request is under way first, and
 * nodes may enter meanwhile.
 *
 * What is ours:
 *  - A coordinator is a role beside a node, the first of its zone, and never enters for itself. The paper gives it a node of its own. What the
 *    two say to each other is no message.
 *  - The paper lets a coordinator look for waiting requests. Here each algorithm says where its member that is inside sees them
 *    (`composable.ts`). It looks after every event.
 *  - Fences: nodes tell in each message the highest fence that they have heard of, and an entry adds one, as Lamport's clocks do. A turn
 *    always follows from the one before it by messages, so fences rise, whatever the two algorithms count.
 *  - Turns are counted and told in the same way, by all nodes: the coordinator compares them when it is back. The cohort of the paper counts in
 *    shared memory, and stops when the budget is spent. Ours serves the line that stands there then.
 *  - Zones are blocks of node numbers of about equal size.
 */
import { type Algorithm, type Here, ImpossibleError, type NodeId } from '@turnwise/core/algorithm'
import type { Facts, Prediction } from '@turnwise/core/facts'
import type { OptionSpecs } from '@turnwise/core/options'
import type { Setup } from '@turnwise/core/setup'
import type { Shape, Shapes } from '@turnwise/core/shape'
import { INNER, type LevelName, messageFields, OUTER, stateShape, typeWithin } from './composable.ts'
import {
  act,
  coordinatorAt,
  countsTurns,
  firstState,
  type Handling,
  hear,
  type Options,
  planOf,
  type State,
  someoneWaits,
  unwrapped,
  type Wrapped,
} from './seat.ts'

export type { Handling, Options, State, Wrapped }

const EXCLUSIVE = { mode: 'exclusive', priority: 0 } as const

/** Far more than one event leads to. A message that comes twice can make two members of a tree point at each other. */
const MOST_ACTS = 1000

/** The rule of a coordinator: what it does next of itself. False if it waits for something to happen. */
export type Coordinate = (handling: Handling) => boolean

export const coordinate: Coordinate = (handling) => {
  const { here, node, zone } = handling
  const coordinator = coordinatorAt(node)
  switch (coordinator.stands) {
    case 'shut':
      if (!someoneWaits(handling, 'inner')) return false
      here.because?.('a node of zone {zone} waits: its coordinator asks the other zones', { zone })
      coordinator.stands = 'asking'
      return ask(handling, 'outer')
    case 'let in':
      here.because?.('zone {zone} may enter: its coordinator leaves, so that its nodes take turns', { zone })
      coordinator.stands = 'open'
      if (countsTurns(here.setup)) coordinator.since = node.turns
      return leave(handling, 'inner')
    case 'open':
      if (!someoneWaits(handling, 'outer')) return false
      here.because?.('another zone waits: the coordinator of zone {zone} asks to be back inside', { zone })
      coordinator.stands = 'returning'
      return ask(handling, 'inner')
    case 'back':
      if (hasTurnsLeft(handling) && someoneWaits(handling, 'inner')) {
        here.because?.('zone {zone} has turns left, and a node waits: the coordinator stands behind it', {
          zone,
        })
        coordinator.stands = 'returning'
        leave(handling, 'inner')
        return ask(handling, 'inner')
      }
      here.because?.('nobody of zone {zone} is inside now: another zone may enter', { zone })
      coordinator.stands = 'shut'
      coordinator.since = null
      return leave(handling, 'outer')
    case 'asking':
    case 'returning':
      return false
  }
}

/** The turns since the zone was let in are its own: nobody else was inside. All of them have led to this moment, so none is missing. */
function hasTurnsLeft({ node, here }: Handling): boolean {
  const { since } = coordinatorAt(node)
  return since !== null && node.turns - since < here.setup.options.localTurns
}

export function ask(handling: Handling, level: LevelName): true {
  act(handling, level, (algorithm, state, place) => algorithm.request(state, place, EXCLUSIVE))
  return true
}

export function leave(handling: Handling, level: LevelName): true {
  act(handling, level, (algorithm, state, place) => algorithm.release(state, place))
  return true
}

const facts: Facts<Options> = {
  name: 'composed',
  title: 'Composition of two algorithms',
  year: 2007,
  family: 'zones',
  idea:
    'Nodes belong to zones, and each zone has an algorithm of its own. A coordinator keeps its zone out until it has the ' +
    'section of another algorithm, whose members are the coordinators. So turns stay within a zone while they can.',
  sources: ['sopena-legond-aubry-arantes-sens-2007', 'dice-marathe-shavit-2012'],
  zones: true,
  entries: 1,
  sharedMode: false,
  channels: 'unordered',
  topology: 'complete',
  knows: 'everyone',
  quorums: false,
  messages: {
    formula: 'within a zone as the inner algorithm; across zones twice that, and once the outer one',
    light: (setup) => perEntry(setup, 'light'),
    heavy: (setup) => perEntry(setup, 'heavy'),
    start: {
      light: (setup) => atStart(setup, 'light'),
      heavy: (setup) => atStart(setup, 'heavy'),
    },
  },
  syncDelay: {
    formula: 'within a zone as the inner algorithm; across zones twice that, and once the outer one',
    hops: (setup) => {
      const hops = levelsOf(setup).map(
        ({ text, setup: level }) => text.algorithm.facts.syncDelay.hops(level).max,
      )
      return { min: 0, max: across(hops) }
    },
  },
  faults: ['spike', 'pause'],
  fallsSilent: true,
  timing: 'any',
  timers: {},
}

const options: OptionSpecs<Options> = {
  inner: {
    kind: 'choice',
    default: 'naimi-trehel',
    choices: INNER,
    title: 'Within a zone',
    about: 'the algorithm of each zone, among its nodes and its coordinator',
  },
  outer: {
    kind: 'choice',
    default: 'naimi-trehel',
    choices: OUTER,
    title: 'Between zones',
    about: 'the algorithm between the coordinators',
  },
  zones: {
    kind: 'integer',
    default: 2,
    min: 1,
    title: 'Zones',
    about: 'how many zones, of consecutive nodes and about the same size',
  },
  localTurns: {
    kind: 'integer',
    default: 1,
    min: 1,
    title: 'Turns of a zone in a row',
    about: 'turns that a zone takes before it lets others in; nodes in line before its coordinator go first',
  },
}

/** The composition whose coordinators follow this rule. */
export function composedBy(rule: Coordinate): Algorithm<State, Wrapped, Options> {
  /** Does something at a node, and then everything that follows from it there. */
  const follow = (node: State, here: Here<Wrapped, Options>, begin: (handling: Handling) => void): void => {
    const plan = planOf(here.setup)
    const handling: Handling = { node, here, plan, zone: plan.zones.of(here.self), mail: [] }
    begin(handling)
    for (let acts = 0; acts < MOST_ACTS; acts += 1) {
      const letter = handling.mail.shift()
      if (letter !== undefined) hear(handling, letter)
      else if (node.coordinator === null || !rule(handling)) return
    }
    throw new ImpossibleError(`node ${here.self} and its coordinator answer each other without end`)
  }
  const receive =
    (level: LevelName, type: string) =>
    (node: State, here: Here<Wrapped, Options>, message: Wrapped, from: NodeId): void => {
      node.fence = Math.max(node.fence, message.known)
      node.turns = Math.max(node.turns, message.turnsKnown ?? 0)
      follow(node, here, (handling) => hear(handling, unwrapped(handling, level, type, message, from)))
    }
  return {
    facts,
    options,
    shapes,

    init: firstState,

    request(node, here) {
      follow(node, here, (handling) =>
        act(handling, 'member', (algorithm, state, place) => algorithm.request(state, place, EXCLUSIVE)),
      )
    },

    release(node, here) {
      follow(node, here, (handling) =>
        act(handling, 'member', (algorithm, state, place) => algorithm.release(state, place)),
      )
    },

    proceed(node, here, named) {
      const [, seat, step = ''] = /^(member|inner|outer): (.*)$/.exec(named) ?? []
      follow(node, here, (handling) =>
        act(handling, seat as 'member' | LevelName, (algorithm, state, place) =>
          algorithm.proceed?.(state, place, step),
        ),
      )
    },

    receive: Object.fromEntries(
      LEVELS.flatMap((level) =>
        Object.keys(messageFields(level)).map((type) => [typeWithin(level, type), receive(level, type)]),
      ),
    ),
  }
}

const LEVELS: readonly LevelName[] = ['inner', 'outer']
const FENCE = { clock: 'fence' } as const
const TURNS = { clock: 'turns' } as const

const shapes: Shapes<State, Wrapped> = {
  state: {
    member: stateShape('inner'),
    coordinator: {
      fields: { inner: stateShape('inner'), outer: stateShape('outer'), stands: 'data', since: TURNS },
    },
    fence: FENCE,
    turns: TURNS,
  },
  messages: Object.fromEntries(
    LEVELS.flatMap((level) =>
      Object.entries(messageFields(level)).map(([type, fields]): [string, Record<string, Shape>] => [
        typeWithin(level, type),
        { ...fields, known: FENCE, turnsKnown: TURNS, ...(level === 'inner' ? { coordinator: 'data' } : {}) },
      ]),
    ),
  ) as Shapes<State, Wrapped>['messages'],
  fence: { clock: 'fence', scaled: false },
}

/** A largest zone, and the coordinators: what an entry costs at most depends on no other. */
function levelsOf(setup: Setup<Options>) {
  const { zones, inner, outer } = planOf(setup)
  const sizes = Array.from({ length: zones.count }, (_, zone) => zones.size(zone))
  return [inner(sizes.indexOf(Math.max(...sizes))), outer]
}

function perEntry(setup: Setup<Options>, load: 'light' | 'heavy'): Prediction {
  const costs = levelsOf(setup).map(
    ({ text, setup: level }) => text.algorithm.facts.messages[load](level).max,
  )
  return { min: 0, max: across(costs), mean: null }
}

function atStart(setup: Setup<Options>, load: 'light' | 'heavy'): Prediction {
  const { zones } = planOf(setup)
  const [inner = 0, outer = 0] = levelsOf(setup).map(
    ({ text, setup: level }) => text.algorithm.facts.messages.start?.[load](level).max ?? 0,
  )
  return { min: 0, max: zones.count * inner + outer, mean: null }
}

/** An entry in the zone, one of the coordinator that returns elsewhere, and one between the zones. */
function across([inner = 0, outer = 0]: readonly number[]): number {
  return 2 * inner + outer
}

export const composed: Algorithm<State, Wrapped, Options> = composedBy(coordinate)
