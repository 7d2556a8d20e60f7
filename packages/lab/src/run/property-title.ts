import type { PropertyName } from '@turnwise/checker/property'

/** The properties that the checker decides and that judges watch, in words. Commands and addresses have their names. */
const TITLES: Readonly<Record<PropertyName | 'progress' | 'fence', string>> = {
  progress: 'a turn for everyone',
  fence: 'rising fences',
  exclusion: 'mutual exclusion',
  'one-token': 'one token',
  'no-deadlock': 'no deadlock',
  rules: 'rules of the paper',
  'can-enter': 'a way in for each waiting node',
  'no-starvation': 'no starvation',
  'fences-rise': 'rising fences',
  'one-coordinator': 'one coordinator',
  agreement: 'agreement on the coordinator',
  highest: 'the highest node as coordinator',
  'can-end': 'a way to end each election',
  'always-ends': 'an end of each election',
  'sometimes-elects': 'an election with a result',
  'sometimes-enters': 'an entry',
  'sometimes-all-enter': 'an entry of each node',
  'sometimes-compete': 'two nodes that wait together',
  'sometimes-full': 'as many inside as may be',
  'sometimes-together': 'two inside with different resources',
}

export function propertyTitle(name: string): string {
  return name in TITLES ? TITLES[name as keyof typeof TITLES] : name
}

/** What became of a property: null if it was not decided. What happens sometimes is possible or not; other properties hold or fail. */
export function propertyVerb(name: string, holds: boolean | null): string {
  if (holds === null) return 'not decided'
  if (name.startsWith('sometimes')) return holds ? 'possible' : 'impossible'
  return holds ? 'holds' : 'fails'
}
