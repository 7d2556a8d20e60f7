import glossary from 'virtual:glossary'

/** What a variable is called in the paper, and what it is for. */
export interface VariableName {
  readonly paper: string | null
  readonly about: string
}

const UNKNOWN: VariableName = { paper: null, about: '' }

export function nameOf(algorithm: string, field: string): VariableName {
  return glossary[algorithm]?.[field] ?? glossary[originalOf(algorithm)]?.[field] ?? UNKNOWN
}

/** A broken variant begins with the name of what it was made from. */
function originalOf(variant: string): string {
  const names = Object.keys(glossary).filter((name) => variant.startsWith(`${name}-`))
  return names.toSorted((a, b) => b.length - a.length)[0] ?? ''
}
