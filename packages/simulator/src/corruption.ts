import type { Message } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Random } from '@turnwise/core/random'

/**
 * Alters one value of a message, as a faulty network might: a number becomes another, a flag turns, a list loses an item. A
 * message that carries nothing but its type becomes one of another type. No algorithm here claims to survive it.
 */
export function corrupted(message: Message, types: readonly string[], random: Random): Message {
  const copy = structured(message) as Record<string, unknown>
  const places = valuesIn(copy)
  if (places.length === 0) {
    const others = types.filter((type) => type !== message.type)
    return others.length === 0 ? message : { ...copy, type: get(others, random.below(others.length)) }
  }
  const { holder, key } = get(places, random.below(places.length))
  const value = holder[key]
  if (typeof value === 'boolean') holder[key] = !value
  else if (typeof value === 'number')
    holder[key] = value + (random.below(2) === 0 ? 1 : -1) * (1 + random.below(3))
  else holder[key] = random.below(4)
  return copy as unknown as Message
}

interface Place {
  readonly holder: Record<string, unknown>
  readonly key: string
}

/** Every number, flag and null in the message, but not its type. */
function valuesIn(holder: Record<string, unknown>): Place[] {
  return Object.entries(holder).flatMap(([key, value]): Place[] => {
    if (typeof value === 'object' && value !== null) return valuesIn(value as Record<string, unknown>)
    return typeof value === 'string' ? [] : [{ holder, key }]
  })
}

function structured(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structured)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, structured(item)]))
  }
  return value
}
