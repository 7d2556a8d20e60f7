/** Messages of an algorithm are checked by the shapes it declares: no algorithm says twice what its messages are. */
import type { Message } from '@turnwise/core/algorithm'
import type { DataShapes, Shape } from '@turnwise/core/shape'
import { type Check, listOf, orNull, someOf, variants, whole } from './checks.ts'

/** Shapes are data, so what their checks let through is not known to the compiler. */
type UntypedCheck = (value: unknown) => string | null

/** `nodes` bounds node numbers and what is kept per node; a view has at most so many members. */
export function algorithmMessage(shapes: DataShapes['messages'], nodes: number): Check<Message> {
  const table = Object.fromEntries(
    Object.entries(shapes).map(([type, message]) => [
      type,
      someOf({ type: data, ...checksOf(message, nodes) }) as UntypedCheck,
    ]),
  )
  return variants<Message, 'type'>('type', table)
}

/** Shapes do not say which fields a message may lack, and some algorithms leave out what a setting makes needless. */
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

/** Nothing is declared of it; that it is plain and not nested deeply is seen to before anything is decoded. */
const data: UntypedCheck = () => null
