import type { Ask, NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { decimal, InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { resourcesFrom } from '@turnwise/core/resources'
import { type Law, lawFrom } from './latency.ts'

/** Who asks when, as a person writes it. */
export type Load = { readonly text: string } & (
  | { readonly kind: 'light' }
  | { readonly kind: 'heavy' }
  /** Arrivals in the whole system per unit of time, each at a node drawn uniformly. */
  | { readonly kind: 'poisson'; readonly rate: number }
  /** Each node thinks, asks, enters, leaves, thinks again. */
  | { readonly kind: 'closed'; readonly think: Law }
  /** As light, but the next requester is drawn by weight. */
  | { readonly kind: 'hot'; readonly weights: readonly number[] }
  | { readonly kind: 'script'; readonly lines: readonly ScriptLine[] }
)

export interface ScriptLine {
  /** In units of time. */
  readonly at: number
  readonly does: 'request' | 'withdraw'
  readonly node: NodeId
  readonly ask: Ask
}

export const LOAD_FORMS = 'light, heavy, poisson:RATE, closed:THINK, hot:W0,W1,…, script:FILE'

export const EXCLUSIVE: Ask = { mode: 'exclusive', priority: 0 }
export const SHARED: Ask = { mode: 'shared', priority: 0 }

/** Reads a load. The caller reads the file of a script; `scriptFrom` parses it. */
export function loadFrom(text: string, nodes: number): Load {
  const [, kind = text, argument] = /^([a-z]+):(.*)$/.exec(text) ?? []
  const wrong = invalid(text, `one of ${LOAD_FORMS}`)
  if ((kind === 'light' || kind === 'heavy') && argument === undefined) return { text, kind }
  if (argument === undefined || argument === '') throw wrong
  switch (kind) {
    case 'poisson':
      return { text, kind, rate: decimal(argument, 'a rate of arrivals', { above: 0 }) }
    case 'closed': {
      // A bare number is the mean of an exponential law, the usual model of people who think.
      const think = argument.includes(':')
        ? lawFrom(argument)
        : ({ kind: 'exponential', mean: decimal(argument, 'a time to think', { above: 0 }) } as const)
      return { text, kind, think }
    }
    case 'hot':
      return { text, kind, weights: weightsFrom(argument, nodes) }
    default:
      throw wrong
  }
}

/** The last weight stands for all further nodes, so that `hot:10,1` is one busy node among many. */
function weightsFrom(argument: string, nodes: number): number[] {
  const given = argument.split(',').map((weight) => decimal(weight, 'a weight', { min: 0 }))
  if (given.length > nodes) throw invalid(argument, `at most one weight per node: there are ${nodes} nodes`)
  const weights = Array.from({ length: nodes }, (_, node) => get(given, Math.min(node, given.length - 1)))
  if (weights.every((weight) => weight === 0)) throw invalid(argument, 'weights of which one is more than 0')
  return weights
}

/**
 * Reads a script, one line per action, `#` starts a comment:
 *
 *     0    request 2
 *     0.5  request 1 shared
 *     1    request 0 priority 5
 *     2    request 1 resources 0,3
 *     3    withdraw 1
 */
export function scriptFrom(source: string, nodes: number, text: string): Load {
  const lines: ScriptLine[] = []
  source.split('\n').forEach((line, index) => {
    const words = line.replace(/#.*/, '').trim().split(/\s+/)
    if (words[0] === '') return
    try {
      lines.push(scriptLine(words, nodes))
    } catch (error) {
      if (error instanceof InvalidInput) throw new InvalidInput(`line ${index + 1}: ${error.message}`)
      throw error
    }
  })
  if (!lines.some(({ does }) => does === 'request')) throw new InvalidInput('the script makes no request')
  return { text, kind: 'script', lines: lines.toSorted((a, b) => a.at - b.at) }
}

function scriptLine([time = '', does = '', node = '', ...more]: string[], nodes: number): ScriptLine {
  const at = decimal(time, 'a time', { min: 0 })
  if (does !== 'request' && does !== 'withdraw') throw invalid(does, 'request or withdraw')
  if (does === 'withdraw' && more.length > 0)
    throw invalid(more.join(' '), 'expected after TIME withdraw NODE')
  return { at, does, node: wholeNumber(node, 'a node', 0, nodes - 1), ask: scriptAsk(more) }
}

/** The words after TIME request NODE. */
function scriptAsk(words: readonly string[]): Ask {
  const [keyword, resources = ''] = words.slice(-2)
  if (keyword !== 'resources') return plainAsk(words)
  return { ...plainAsk(words.slice(0, -2)), resources: resourcesFrom(resources) }
}

function plainAsk(words: readonly string[]): Ask {
  const [word = 'exclusive'] = words
  const isMode = word === 'exclusive' || word === 'shared'
  const [keyword, priority = '', ...more] = isMode ? words.slice(1) : words
  if (keyword === undefined) return word === 'shared' ? SHARED : EXCLUSIVE
  if (keyword !== 'priority' && !isMode) throw invalid(word, 'exclusive, shared or priority')
  if (keyword !== 'priority' || more.length > 0)
    throw invalid(
      words.slice(isMode ? 1 : 2).join(' '),
      'expected after TIME request NODE [shared] [priority P]',
    )
  return {
    mode: word === 'shared' ? 'shared' : 'exclusive',
    priority: wholeNumber(priority, 'a priority', 0),
  }
}
