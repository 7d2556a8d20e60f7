import type { AnyElection, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { faultFrom } from '@turnwise/core/faults'
import { decimal, InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { randomStream } from '@turnwise/core/random'
import {
  about,
  arrangeWorld,
  channelsFrom,
  DEFAULT_NODES,
  MOST_NODES,
  type RunWishes,
  read,
  whole,
} from './configuration.ts'
import type { Call, ElectionConfig } from './election-simulation.ts'
import { latencyFrom } from './latency.ts'

/** The wishes for an election, in the words of the command line. */
export interface ElectionWishes
  extends Pick<RunWishes, 'nodes' | 'topology' | 'latency' | 'channels' | 'fault' | 'set' | 'seed'> {
  /** Who calls an election: a list such as `3,0@20`, `all`, or `one` drawn by the seed. */
  readonly initiators?: string
  /** Who is dead when the world begins: a list such as `5,6`, `highest`, or `none`. */
  readonly dead?: string
}

export const INITIATORS_FORMS = 'one, all, or a list such as 3,0@20'
export const DEAD_FORMS = 'highest, none, or a list such as 5,6'

/** Reads all wishes. An error begins with the name of the wish. */
export function electionConfig(algorithm: AnyElection, wishes: ElectionWishes = {}): ElectionConfig {
  const seed = whole('seed', wishes.seed ?? 1, 0)
  const nodes = whole('nodes', wishes.nodes ?? DEFAULT_NODES, 1, MOST_NODES)
  const dead = about('dead', () => deadFrom(wishes.dead ?? 'highest', nodes))
  return {
    algorithm,
    setup: arrangeWorld(algorithm, wishes, nodes, seed, dead),
    seed,
    calls: about('initiators', () => callsFrom(wishes.initiators ?? 'one', nodes, dead, seed)),
    latency: about('latency', () => read(wishes.latency ?? 'constant:1', (text) => latencyFrom(text, nodes))),
    channels: about('channels', () => channelsFrom(wishes.channels ?? algorithm.facts.channels)),
    faults: (wishes.fault ?? []).map((text) => about('fault', () => faultFrom(text, nodes))),
  }
}

/** By default the coordinator has died, which is the reason for the election; a single node must live. */
export function deadFrom(text: string, nodes: number): NodeId[] {
  if (text === 'none' || (text === 'highest' && nodes === 1)) return []
  if (text === 'highest') return [nodes - 1]
  if (!/^\d+(,\d+)*$/.test(text)) throw invalid(text, `one of ${DEAD_FORMS}`)
  const dead = text.split(',').map((node) => wholeNumber(node, 'a node', 0, nodes - 1))
  if (new Set(dead).size === nodes) throw invalid(text, 'a list that leaves a node alive')
  return dead
}

export function callsFrom(text: string, nodes: number, dead: readonly NodeId[], seed: number): Call[] {
  const living = Array.from({ length: nodes }, (_, node) => node).filter((node) => !dead.includes(node))
  if (text === 'one') {
    return [{ node: get(living, randomStream(seed, 'load').below(living.length)), at: 0 }]
  }
  if (text === 'all') return living.map((node) => ({ node, at: 0 }))
  return text.split(',').map((word) => {
    const [, name, time = '0'] = /^(\d+)(?:@(.+))?$/.exec(word) ?? []
    if (name === undefined) throw invalid(text, `one of ${INITIATORS_FORMS}`)
    const node = wholeNumber(name, 'a node', 0, nodes - 1)
    if (dead.includes(node)) throw new InvalidInput(`"${node}" is dead and calls no election`)
    return { node, at: decimal(time, 'a time', { min: 0 }) }
  })
}
