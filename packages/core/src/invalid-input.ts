/**
 * Thrown when something a person wrote (an option, a file, a setting) cannot be used. The message is one line that says
 * what was given and what is allowed. A caller that knows the name of the option puts it in front.
 */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput'
  readonly code = 'INVALID_INPUT'
}

export function invalid(given: string, allowed: string): InvalidInput {
  return new InvalidInput(`"${given}" is not ${allowed}`)
}

/** The names that the given text may have meant: at most four, the nearest, the shortest first. */
export function nearestNames(text: string, names: readonly string[]): string[] {
  if (text === '') return []
  // A match of the whole name is nearer than a match of its beginning.
  const typos = (name: string) => Math.min(edits(text, name), edits(text, name.slice(0, text.length)) + 0.5)
  const far = names.map((name) => (name.includes(text) || text.includes(name) ? 0 : typos(name)))
  const least = Math.min(...far)
  if (least > text.length / 3) return []
  return names
    .filter((_, index) => far[index] === least)
    .toSorted((one, other) => one.length - other.length)
    .slice(0, 4)
}

/** How many letters must be put in, left out or changed to turn one text into the other. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1)
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, replaced))
    }
    row = next
  }
  return row[to.length] ?? 0
}

/** Reads a whole number within bounds; `what` names it in the complaint. */
export function wholeNumber(text: string, what: string, min: number, max = Number.MAX_SAFE_INTEGER): number {
  const value = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    const range = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `${min} to ${max}`
    throw invalid(text, `${what}: a whole number, ${range}`)
  }
  return value
}

/** Reads a decimal number within bounds; `above` excludes the lower bound itself. */
export function decimal(
  text: string,
  what: string,
  bounds: { min?: number; above?: number; max?: number },
): number {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : Number.NaN
  const {
    min = Number.NEGATIVE_INFINITY,
    above = Number.NEGATIVE_INFINITY,
    max = Number.POSITIVE_INFINITY,
  } = bounds
  if (!Number.isFinite(value) || value < min || value <= above || value > max) {
    const low = bounds.above === undefined ? `${min} or more` : `more than ${above}`
    throw invalid(text, `${what}: a number, ${low}${bounds.max === undefined ? '' : `, at most ${max}`}`)
  }
  return value
}
