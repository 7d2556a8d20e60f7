/** Plain data as text, the same text for the same data however it was put together; and copies of it. */

/** Texts of what never changes once it is made, such as view records. */
const known = new WeakMap<object, string>()

export function textOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const before = known.get(value)
  if (before !== undefined) return before
  if (Array.isArray(value)) return `[${value.map(textOf).join()}]`
  if (value instanceof Map || value instanceof Set) {
    return `<${[...value].map(textOf).toSorted().join()}>`
  }
  const fields = value as Record<string, unknown>
  let text = '{'
  for (const key of Object.keys(fields).toSorted()) text += `${key}:${textOf(fields[key])},`
  return `${text}}`
}

/** The one object of this text; from now on its text is known. It must never change. */
export class Shared<Kind extends object> {
  readonly #byText = new Map<string, Kind>()

  of(value: Kind): Kind {
    const text = textOf(value)
    const before = this.#byText.get(text)
    if (before !== undefined) return before
    this.#byText.set(text, value)
    known.set(value, text)
    return value
  }
}

/** A deep copy. It shares what is known never to change. */
export function copyOf<Kind>(value: Kind): Kind {
  if (typeof value !== 'object' || value === null || known.has(value)) return value
  if (Array.isArray(value)) return value.map(copyOf) as Kind
  if (value instanceof Map) return new Map([...value].map(([key, each]) => [key, copyOf(each)])) as Kind
  if (value instanceof Set) return new Set(value) as Kind
  const copy: Record<string, unknown> = {}
  for (const [key, each] of Object.entries(value)) copy[key] = copyOf(each)
  return copy as Kind
}

/** Gives every different thing a number. */
export class Numbered<Kind> {
  readonly list: Kind[] = []
  readonly #numbers = new Map<string, number>()

  numberOf(value: Kind): number {
    const text = textOf(value)
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.list.length
      this.list.push(value)
      this.#numbers.set(text, number)
    }
    return number
  }
}
