import { InvalidInput, nearestNames } from '@turnwise/core/invalid-input'

/** The complaint about a name that is none of these. */
export function unknownAlgorithm(name: string, names: readonly string[]): InvalidInput {
  const near = nearestNames(name, names)
  const hint = near.length === 0 ? '' : `did you mean ${near.join(', ')}? `
  return new InvalidInput(`"${name}" is not an algorithm: ${hint}turnwise algorithms lists all`)
}
