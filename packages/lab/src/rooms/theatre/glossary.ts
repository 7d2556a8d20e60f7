import glossary from 'virtual:glossary'

/** What a variable is called in the paper, and what it is for. */
export interface VariableName {
  readonly paper: string | null
  readonly about: string
}

const UNKNOWN: VariableName = { paper: null, about: '' }

export function nameOf(algorithm: string, field: string): VariableName {
  return glossary[algorithm]?.[field] ?? UNKNOWN
}
