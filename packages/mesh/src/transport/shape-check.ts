/** Checks messages of an algorithm by the shapes that it declares, so that no algorithm describes its messages twice. */
import type { Message } from '@turnwise/core/algorithm'
import type { DataShapes, Shape } from '@turnwise/core/shape'
import { type Check, listOf, orNull, someOf, variants, whole } from './checks.ts'

/** Shapes are data, so the compiler does not know what their checks accept. */
type UntypedCheck = (value: unknown) => string | null

/** `nodes` bounds node numbers and lists with an entry per node. */
export function algorithmMessage(shapes: DataShapes['messages'], nodes: number): Check<Message> {
  const table = Object.fromEntries(
    Object.entries(shapes).map(([type, message]) => [
      type,
      someOf({ type: data, ...checksOf(message, nodes) }) as UntypedCheck,
    ]),
  )
  return variants<Message, 'type'>('type', table)
}

/** Shapes do not say which fields may be missing. Some algorithms leave out fields that a setting makes unnecessary. */
function checksOf(shapes: DataShapes['state'], nodes: number): Record<string, UntypedCheck> {
  return Object.fromEntries(Object.entries(shapes).map(([field, shape]) => [field, checkOf(shape, nodes)]))
}

function checkOf(shape: Shape, nodes: number): UntypedCheck {
  if (shape === 'data') return data
  if (shape === 'node') return orNull(whole(0, nodes - 1))
  if ('clock' in shape) return orNull(whole(Number.MIN_SAFE_INTEGER))
  if ('list' in shape) return orNull(listOf(checkOf(shape.list, nodes)))
  if ('perNode' in shape) return orNull(listOf(checkOf(shape.perNode, nodes), nodes))
  return orNull(someOf(checksOf(shape.fields, nodes)))
}

/** Nothing is declared about it. Before decoding, `well-formed.ts` has checked that it is plain and not deeply nested. */
const data: UntypedCheck = () => null
