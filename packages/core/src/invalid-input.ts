/**
 * Thrown when something a person wrote (an option, a file, a setting) cannot be used. The message is one
 * line that says what was given and what is allowed; whoever knows the name of the option puts it in front.
 */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput'
}

export function invalid(given: string, allowed: string): InvalidInput {
  return new InvalidInput(`"${given}" is not ${allowed}`)
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
