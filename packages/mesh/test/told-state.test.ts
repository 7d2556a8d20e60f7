import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { reshape } from '@turnwise/core/shape'
import { epochBegun, readTrace, type TraceEvent } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { Recorder } from '../src/host/recorder.ts'
import type { Effect, Event } from '../src/protocol/events.ts'
import type { Node } from '../src/protocol/state.ts'
import { worldsOf } from '../src/protocol/view-worlds.ts'
import { planFor, type Wishes } from './simulation/plan.ts'
import { simulate } from './simulation/voters.ts'
import '../check/texts.ts'

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1981)
const RUNS = extent(1, 3, 6)
const KEY = 'L'

/** What a reader of the trace knows of one node. */
class Reader {
  #header = ''
  #fresh = ''
  state: Readonly<Record<string, unknown>> | null = null
  view: readonly NodeId[] = []

  write(text: string): void {
    if (this.#header === '') this.#header = text
    else this.#fresh += text
  }

  /** Takes in what was written since the last time. */
  read(): readonly TraceEvent[] {
    const { events } = readTrace(this.#header + this.#fresh)
    this.#fresh = ''
    for (const { state, view } of events) {
      if (view !== undefined) [this.view, this.state] = [view, {}]
      if (state !== undefined) this.state = state === null ? null : { ...this.state, ...state }
    }
    return events
  }
}

/** The variables of a node as they are, in the numbers of the trace; null without an instance. */
function actual(node: Node): object | null {
  const instance = node.names.get(KEY)?.seats[0]?.instance ?? null
  if (node.begun === null || instance === null) return null
  const { algorithm, ids } = worldsOf(node).of(KEY)
  const numbers = node.config.peers.toSorted()
  const place = { self: ids.indexOf(node.id), sender: null }
  const state = reshape(algorithm.shapes.state, instance.state, place, {
    node: (i) => numbers.indexOf(get(ids, i)),
  })
  return JSON.parse(JSON.stringify(state))
}

/** Records every node of a random world, from its first event on, and compares after every event. */
function compare(seed: number, wishes: Wishes) {
  const readers = new Map<Node, { recorder: Recorder; reader: Reader }>()
  const seen = { states: 0, views: 0, without: 0 }
  let differs: string | null = null
  const beside = {
    before(node: Node, now: number) {
      if (!readers.has(node)) {
        const reader = new Reader()
        const write = (text: string) => reader.write(text)
        readers.set(node, { recorder: new Recorder(KEY, node, now, Math.round, write), reader })
      }
      readers.get(node)?.recorder.before(node)
    },
    after(event: Event, effects: readonly Effect[], node: Node, now: number) {
      const known = readers.get(node)
      if (known === undefined) return
      known.recorder.after(event, effects, node, now)
      const fresh = known.reader.read()
      seen.views += fresh.filter((line) => epochBegun(line) !== null).length
      if (node.begun === null && !node.left && known.reader.state === null) seen.without += 1
      const state = actual(node)
      if (state === null || differs !== null) return
      seen.states += 1
      if (JSON.stringify(sorted(known.reader.state)) === JSON.stringify(sorted(state))) return
      differs = `told ${JSON.stringify(known.reader.state)}, is ${JSON.stringify(state)} after ${JSON.stringify(event)}`
    },
  }
  simulate(planFor(seed, wishes), undefined, undefined, beside)
  expect(differs, `PROPERTY_SEED=${seed} npx vitest run packages/mesh/test/told-state.test.ts`).toBeNull()
  return seen
}

function sorted(state: object | null): object {
  return Object.fromEntries(Object.entries(state ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

describe('what a trace tells of variables is what they are, after every event', () => {
  const FEW = ['carvalho-roucairol', 'suzuki-kasami']
  const MORE = ['lamport', 'ricart-agrawala', 'maekawa', 'raymond', 'naimi-trehel', 'central-coordinator']
  test.each(extent(FEW, MORE, [...FEW, ...MORE]))('%s', (algorithm) => {
    const total = { states: 0, views: 0, without: 0 }
    for (let seed = SEED; seed < SEED + RUNS; seed += 1) {
      const seen = compare(seed, { algorithm })
      total.states += seen.states
      total.views += seen.views
      total.without += seen.without
    }
    expect(total.states).toBeGreaterThan(extent(100, 1000))
    expect(total.views).toBeGreaterThan(extent(2, 20))
    // Some were left out of a view, and told that they have no variables then.
    expect(total.without).toBeGreaterThanOrEqual(extent(0, 1))
  })

  test('thieves, who make others give back what they hold', () => {
    for (let seed = SEED; seed < SEED + RUNS; seed += 1) compare(seed, { steals: 0.2 })
  })
})
