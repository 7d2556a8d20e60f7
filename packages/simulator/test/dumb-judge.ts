import type { Mode, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { reshape } from '@turnwise/core/shape'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { present } from '../../../test/present.ts'
import type { Simulation } from '../src/simulation.ts'
import { only, type Played } from './harness.ts'

/**
 * Judges a run without faults from its trace alone, and without haste: what the host promises its algorithm,
 * what the network promises, and exclusion. Returns everything that is wrong.
 */
export function complaintsAbout({ simulation, events }: Played): string[] {
  const { setup, channels, algorithm } = simulation.config
  return [
    ...wrongTimes(events),
    ...wrongTurns(events, setup.inside),
    ...crowds(events, setup.entries),
    ...wrongDeliveries(events, setup.nodes, algorithm.facts.medium, algorithm.facts.fallsSilent),
    ...(channels === 'fifo' ? overtakings(events) : []),
    ...undescribed(simulation, events),
  ]
}

function wrongTimes(events: readonly TraceEvent[]): string[] {
  return events.flatMap(({ at }, index) => {
    const before = index === 0 ? 0 : get(events, index - 1).at
    return Number.isSafeInteger(at) && at >= before ? [] : [`event ${index} happens at ${at} after ${before}`]
  })
}

/** A node asks, enters and leaves in turn, or asks and withdraws. */
function wrongTurns(events: readonly TraceEvent[], inside: readonly NodeId[]): string[] {
  const wrong: string[] = []
  const last = new Map<NodeId, string>()
  const allowed: Record<string, readonly string[]> = {
    request: ['leave', 'withdraw', 'nothing'],
    enter: ['request'],
    leave: ['enter'],
    withdraw: ['request'],
  }
  for (const event of only(events, 'request', 'enter', 'leave', 'withdraw')) {
    const before = last.get(event.node) ?? 'nothing'
    const begins = event.is === 'enter' && before === 'nothing' && inside.includes(event.node)
    if (!begins && !present(allowed[event.is]).includes(before))
      wrong.push(`node ${event.node}: ${event.is} after ${before}`)
    last.set(event.node, event.is)
  }
  for (const [node, is] of last) {
    if (is !== 'leave' && is !== 'withdraw') wrong.push(`node ${node} ends with ${is}`)
  }
  return wrong
}

function crowds(events: readonly TraceEvent[], entries: number): string[] {
  const resources = new Set(only(events, 'enter').flatMap((event) => event.resources ?? [0]))
  return [...resources].flatMap((resource) => crowdsWith(resource, events, entries))
}

function crowdsWith(resource: number, events: readonly TraceEvent[], entries: number): string[] {
  const wrong: string[] = []
  const inside = new Map<NodeId, Mode>()
  for (const event of only(events, 'enter', 'leave')) {
    if (event.is === 'enter' && !(event.resources ?? [0]).includes(resource)) continue
    if (event.is === 'enter') inside.set(event.node, event.mode)
    else inside.delete(event.node)
    const shared = [...inside.values()].every((mode) => mode === 'shared')
    if (inside.size > entries && !shared) wrong.push(`${[...inside.keys()].join()} are inside at ${event.at}`)
  }
  return wrong
}

/** Every message reaches everyone it is for once, after it was sent; where a run stops early, at most once. */
function wrongDeliveries(
  events: readonly TraceEvent[],
  nodes: number,
  medium: string | undefined,
  toTheEnd: boolean,
): string[] {
  const wrong: string[] = []
  const awaited = new Map<number, { at: number; by: Set<NodeId> }>()
  const everyone = Array.from({ length: nodes }, (_, node) => node)
  for (const event of only(events, 'send', 'receive')) {
    if (event.is === 'send') {
      const hears = everyone.filter((node) => medium === 'ordered broadcast' || node !== event.from)
      awaited.set(event.id, { at: event.at, by: new Set(event.to === null ? hears : [event.to]) })
      continue
    }
    const sent = awaited.get(event.id)
    if (sent === undefined || sent.at >= event.at || !sent.by.delete(event.node)) {
      wrong.push(`node ${event.node} must not receive message ${event.id} at ${event.at}`)
    }
  }
  if (!toTheEnd) return wrong
  for (const [id, { by }] of awaited) if (by.size > 0) wrong.push(`message ${id} misses ${[...by].join()}`)
  return wrong
}

function overtakings(events: readonly TraceEvent[]): string[] {
  const wrong: string[] = []
  const senders = new Map(only(events, 'send').map(({ id, from }) => [id, from]))
  const last = new Map<string, number>()
  for (const { id, node } of only(events, 'receive')) {
    const channel = `${senders.get(id)}>${node}`
    const before = last.get(channel) ?? 0
    if (id < before) wrong.push(`message ${id} is overtaken by ${before} on ${channel}`)
    last.set(channel, id)
  }
  return wrong
}

/** States and messages are plain data, every field of which is declared. */
function undescribed(simulation: Simulation, events: readonly TraceEvent[]): string[] {
  const wrong: string[] = []
  const { setup, algorithm } = simulation.config
  const attempt = (what: string, read: () => void) => {
    try {
      read()
    } catch (error) {
      wrong.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const numbers = { node: (node: NodeId) => checked(node, setup.nodes) }
  for (let node = 0; node < setup.nodes; node += 1) {
    const place = { self: node, sender: null }
    attempt(`the state of node ${node}`, () =>
      reshape(algorithm.shapes.state, simulation.stateOf(node), place, numbers),
    )
  }
  for (const { from, to, message } of only(events, 'send')) {
    const { type, ...fields } = message
    const place = { self: to ?? from, sender: from }
    attempt(`a ${type} message`, () =>
      reshape(present(algorithm.shapes.messages[type]), fields, place, numbers),
    )
  }
  return wrong
}

function checked(node: NodeId, nodes: number): NodeId {
  if (Number.isInteger(node) && node >= 0 && node < nodes) return node
  throw new TypeError(`${node} is declared a node and is none`)
}
