/**
 * The algorithms that can be a level of `composed.ts`, and what a composition must know of each beside its handlers: where a
 * member that is inside sees that another waits. The shapes of their states and messages are put together here, too.
 *
 * An algorithm fits if it needs no timer, no broadcast medium and no order of channels, if it gives one entry at a time, and if the
 * request of a member reaches the node that is inside. Quorum algorithms do not: there a request ends at an arbiter.
 */
import type { Algorithm, AnyAlgorithm, Message, NodeId } from '@turnwise/core/algorithm'
import { get, outOfBounds } from '@turnwise/core/bounds'
import type { Shape } from '@turnwise/core/shape'
import { centralCoordinator } from '../permission/central-coordinator.ts'
import { ricartAgrawala } from '../permission/ricart-agrawala.ts'
import { naimiTrehel } from '../token/naimi-trehel.ts'
import { raymond } from '../token/raymond.ts'
import { suzukiKasami } from '../token/suzuki-kasami.ts'
import { tokenQueue } from '../token/token-queue.ts'

/** An algorithm as a level of a composition. */
export interface Composable {
  readonly algorithm: AnyAlgorithm
  /** Whether the member `self`, which is inside, sees that another waits. */
  waits(state: object, self: NodeId): boolean
}

const TEXTS: readonly Composable[] = [
  composable(naimiTrehel, ({ next }) => next !== null),
  composable(raymond, ({ queue }) => queue.length > 0),
  composable(suzukiKasami, ({ requested, token }, self) => {
    if (token === null) return false
    const isOpen = (number: number, other: NodeId) => other !== self && number > get(token.served, other)
    return token.queue.length > 0 || requested.some(isOpen)
  }),
  composable(tokenQueue, ({ queue }) => queue.length > 0),
  composable(ricartAgrawala, ({ deferred }) => deferred.includes(true)),
  composable(centralCoordinator, ({ desk }) => desk !== null && desk.queue.length > 0),
]

export const INNER: readonly string[] = TEXTS.map(({ algorithm }) => algorithm.facts.name)

/** With a central coordinator only the member that decides sees who waits. In a zone that is our coordinator; between zones it may be any. */
export const OUTER: readonly string[] = INNER.filter((name) => name !== centralCoordinator.facts.name)

const NAMES = { inner: INNER, outer: OUTER } as const

const byName = new Map(TEXTS.map((text) => [text.algorithm.facts.name, text]))

export function composableNamed(name: string): Composable {
  const found = byName.get(name)
  if (found === undefined) throw new RangeError(`"${name}" cannot be a level of a composition`)
  return found
}

/** Levels, as they are named in the types of messages. */
export type LevelName = 'inner' | 'outer'

const typesWithin = { inner: typesOf('inner'), outer: typesOf('outer') } as const

/** The type of a message of a level, as a composition sends it. Made once: a text that is put together anew is slow to look up. */
export function typeWithin(level: LevelName, type: string): string {
  return typesWithin[level].get(type) ?? outOfBounds()
}

function typesOf(level: LevelName): Map<string, string> {
  return new Map(Object.keys(messageFields(level)).map((type) => [type, `${level}-${type}`]))
}

/** The shape of any state of a level: an object with the fields of its algorithm. */
export function stateShape(level: LevelName): { readonly fields: Record<string, Shape> } {
  const fields: Record<string, Shape> = {}
  for (const text of NAMES[level].map(composableNamed))
    addAll(fields, fieldsWithin(level, text, text.algorithm.shapes.state))
  return { fields }
}

/** The fields of all messages of a level, by type, without those that a composition adds. */
export function messageFields(level: LevelName): Record<string, Record<string, Shape>> {
  const messages: Record<string, Record<string, Shape>> = {}
  for (const text of NAMES[level].map(composableNamed)) {
    for (const [type, shapes] of Object.entries(text.algorithm.shapes.messages)) {
      messages[type] ??= {}
      addAll(messages[type], fieldsWithin(level, text, shapes))
    }
  }
  return messages
}

function composable<State extends object, M extends Message, Options>(
  algorithm: Algorithm<State, M, Options>,
  waits: (state: State, self: NodeId) => boolean,
): Composable {
  return {
    algorithm: algorithm as unknown as AnyAlgorithm,
    waits: (state, self) => waits(state as State, self),
  }
}

function fieldsWithin(
  level: LevelName,
  text: Composable,
  shapes: { readonly [field: string]: Shape },
): Record<string, Shape> {
  const { clock, scaled } = text.algorithm.shapes.fence
  const fence = scaled ? null : clock
  return Object.fromEntries(
    Object.entries(shapes).map(([field, shape]) => [field, shapeWithin(level, shape, fence)]),
  )
}

/**
 * Members have numbers of their own, which are no nodes: they are data. All clocks of a level are one for the
 * checker: it finds fewer worlds equal than it could, but none too many. Fences of a level are those of nobody, and rules do not read them.
 */
function shapeWithin(level: LevelName, shape: Shape, fence: string | null): Shape {
  if (shape === 'data' || shape === 'node') return 'data'
  if ('clock' in shape) return { clock: shape.clock === fence ? 'fence' : `${level} ${shape.clock}` }
  if ('fields' in shape) {
    const fields = Object.entries(shape.fields).map(
      ([field, inner]) => [field, shapeWithin(level, inner, fence)] as const,
    )
    return fields.every(([, inner]) => inner === 'data') ? 'data' : { fields: Object.fromEntries(fields) }
  }
  const item = shapeWithin(level, 'list' in shape ? shape.list : shape.perNode, fence)
  return item === 'data' ? 'data' : { list: item }
}

/** Algorithms may use one name for several things, but not with different clocks in them. */
function addAll(fields: Record<string, Shape>, more: Record<string, Shape>): void {
  for (const [field, shape] of Object.entries(more)) {
    const before = fields[field]
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(shape))
      throw new TypeError(`two algorithms give the field ${field} different shapes`)
    fields[field] = shape
  }
}
