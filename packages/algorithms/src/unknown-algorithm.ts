import { InvalidInput, nearestNames } from '@turnwise/core/invalid-input'

/** The error for an unknown name. */
export function unknownAlgorithm(name: string, names: readonly string[]): InvalidInput {
  const near = nearestNames(name, names)
  const hint = near.length === 0 ? '' : `did you mean ${near.join(', ')}? `
  return new InvalidInput(`"${name}" is not an algorithm: ${hint}turnwise algorithms lists all`)
}
