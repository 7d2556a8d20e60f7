import type { AnyProtocol } from '@turnwise/core/algorithm'

const FAMILIES = {
  permission: 'Permission',
  token: 'Token',
  quorum: 'Quorum',
  multi: 'Several inside',
  zones: 'Zones',
  election: 'Election',
} as const

/** What courses and textbooks tell of, in the order in which they do. */
const WELL_KNOWN = [
  'ricart-agrawala',
  'lamport',
  'maekawa',
  'suzuki-kasami',
  'raymond',
  'naimi-trehel',
  'central-coordinator',
  'token-ring',
  'bully',
]

/** Some algorithms below one heading of a list. */
export interface AlgorithmGroup {
  readonly title: string
  readonly list: readonly AnyProtocol[]
}

/** Algorithms in the order of every list on the page: the well-known first, then all others by family and year. */
export function inGroups(of: readonly AnyProtocol[]): AlgorithmGroup[] {
  const wellKnown = WELL_KNOWN.flatMap((name) => of.filter(({ facts }) => facts.name === name))
  const families = Object.entries(FAMILIES).map(([family, title]) => ({
    title,
    list: of
      .filter(({ facts }) => facts.family === family && !WELL_KNOWN.includes(facts.name))
      .toSorted((a, b) => a.facts.year - b.facts.year || a.facts.title.localeCompare(b.facts.title)),
  }))
  return [{ title: 'Well known', list: wellKnown }, ...families].filter(({ list }) => list.length > 0)
}
