import type { Message, NodeId } from './algorithm.ts'

/**
 * What the numbers in a state or a message mean. The checker uses it in two ways: it renames nodes, and it subtracts
 * the smallest value in use from all values of one clock, because only differences matter. An algorithm that declares a
 * clock promises to compare its values only with each other.
 */
export type Shape =
  /** Data without hidden meaning: a flag, a count, a name. */
  | 'data'
  /** The number of a node, or null. */
  | 'node'
  /** A value of a clock that all nodes share in meaning, or null. */
  | { readonly clock: string }
  /**
   * A value of a clock that belongs to one node: that of the array index (`index`), the node itself (`self`),
   * the sender of the message (`sender`), or the node in a sibling field of that name.
   */
  | { readonly clock: string; readonly of: string }
  /** An array in which position means nothing but order. */
  | { readonly list: Shape }
  /** An array indexed by node number. */
  | { readonly perNode: Shape }
  /** An object, or null. */
  | { readonly fields: { readonly [field: string]: Shape } }

/**
 * The shape that a value of this type must have. Every field of an object in it has a shape of its own, or the whole is
 * `data`. So a field without a shape does not compile.
 */
export type ShapeOf<Value> = 'data' | ShapeWithin<NonNullable<Value>>

type ShapeWithin<Value> = Value extends number
  ? Extract<Shape, 'node' | { readonly clock: string }>
  : Value extends readonly (infer Item)[]
    ? { readonly list: ShapeOf<Item> } | { readonly perNode: ShapeOf<Item> }
    : Value extends object
      ? { readonly fields: FieldShapes<Value> }
      : never

/** Only an optional field of a message may lack a shape: an algorithm that never sends it need not describe it. */
type FieldShapes<Value> = [keyof Value] extends [never]
  ? { readonly [field: string]: Shape }
  : { readonly [Field in keyof Value]: ShapeOf<Value[Field]> }

/** The same with no field optional, however deep. */
type EveryField<Value> = Value extends readonly (infer Item)[]
  ? readonly EveryField<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]-?: EveryField<Value[Field]> }
    : Value

/** The shape of the state and of each type of message (its `type` aside). */
export interface DataShapes<State = object, M extends Message = Message> {
  readonly state: FieldShapes<EveryField<State>>
  readonly messages: {
    readonly [Type in M['type']]: FieldShapes<Omit<Extract<M, { readonly type: Type }>, 'type'>>
  }
}

/** The shapes of an algorithm that gives out fences. */
export interface Shapes<State = object, M extends Message = Message> extends DataShapes<State, M> {
  /**
   * Rules may write a fence but never decide by one: the checker erases a clock that only fences use.
   *
   * How the fences given out relate to clocks: a value of the named clock, or that value times n plus the
   * node's number (see `timestampFence`).
   *
   * What a fence promises. If one may be inside at a time, every later grant has a larger fence. If k may be inside
   * together, no two grants have the same fence; algorithms whose holders need not have heard of each other cannot promise
   * more. An algorithm that fills k places declares `slots`: its fences are clock values times k plus the number of the
   * place, and they rise within each place, so that a resource can turn away a holder that has lost its place to another.
   *
   * A scaled clock is one that the rules compare, unless `onlyFences` says that it serves fences alone.
   */
  readonly fence: {
    readonly clock: string
    readonly scaled: boolean
    readonly slots?: true
    readonly onlyFences?: true
  }
}

/** What `walk` meets: a node number or a clock value, with the way to put another in its place. */
export interface ShapeVisitor {
  node?(value: NodeId): NodeId
  clock?(clock: string, owner: NodeId | null, value: number): number
}

interface Place {
  readonly self: NodeId
  readonly sender: NodeId | null
}

/**
 * Walks plain data by its shape and returns a copy in which the visitor has replaced what it wanted to.
 * Data that its shape does not describe is an error: a forgotten field would make the checker unsound.
 */
export function reshape(
  fields: { readonly [field: string]: Shape },
  value: object,
  place: Place,
  visitor: ShapeVisitor,
): object {
  return walkFields(fields, value as Record<string, unknown>, place, visitor, null)
}

function walk(shape: Shape, value: unknown, place: Place, visitor: ShapeVisitor, parent: Parent): unknown {
  if (value === null) return null
  if (shape === 'data') return structuredCopy(value)
  if (shape === 'node') return visitor.node === undefined ? value : visitor.node(value as NodeId)
  if ('clock' in shape) {
    if (typeof value !== 'number') throw new TypeError(`a value of clock ${shape.clock} is ${typeof value}`)
    const owner = 'of' in shape ? ownerOf(shape.of, place, parent) : null
    return visitor.clock === undefined ? value : visitor.clock(shape.clock, owner, value)
  }
  if ('list' in shape) {
    return (value as unknown[]).map((item) => walk(shape.list, item, place, visitor, parent))
  }
  if ('perNode' in shape) return walkPerNode(shape.perNode, value as unknown[], place, visitor)
  return walkFields(shape.fields, value as Record<string, unknown>, place, visitor, parent)
}

/** What encloses the value at hand: the fields beside it and the index it stands at. */
type Parent = { readonly fields: Record<string, unknown> | null; readonly index: NodeId | null } | null

function walkPerNode(shape: Shape, values: unknown[], place: Place, visitor: ShapeVisitor): unknown[] {
  const result = Array.from({ length: values.length }, (): unknown => null)
  values.forEach((value, index) => {
    const renamed = visitor.node === undefined ? index : visitor.node(index)
    result[renamed] = walk(shape, value, place, visitor, { fields: null, index })
  })
  return result
}

function walkFields(
  shapes: { readonly [field: string]: Shape },
  value: Record<string, unknown>,
  place: Place,
  visitor: ShapeVisitor,
  parent: Parent,
): object {
  const result: Record<string, unknown> = {}
  for (const [field, item] of Object.entries(value)) {
    const shape = shapes[field]
    if (shape === undefined) throw new TypeError(`field ${field} has no declared shape`)
    result[field] = walk(shape, item, place, visitor, { fields: value, index: parent?.index ?? null })
  }
  return result
}

function ownerOf(of: string, place: Place, parent: Parent): NodeId {
  const owner =
    of === 'self'
      ? place.self
      : of === 'sender'
        ? place.sender
        : of === 'index'
          ? parent?.index
          : parent?.fields?.[of]
  if (typeof owner !== 'number') throw new TypeError(`a clock belongs to ${of}, which is no node here`)
  return owner
}

/** Plain data only: anything else in a state breaks the contract, and the error names it. */
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy)
  if (typeof value === 'object' && value !== null) {
    if (Object.getPrototypeOf(value) !== Object.prototype)
      throw new TypeError('a state holds more than plain data')
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structuredCopy(item)]))
  }
  if (typeof value === 'function' || typeof value === 'symbol' || value === undefined) {
    throw new TypeError(`a state holds a ${typeof value}`)
  }
  return value
}
