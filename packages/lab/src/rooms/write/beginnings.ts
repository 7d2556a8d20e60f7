/** The texts to begin from, and what is kept of them in this browser. */
import { startingText } from '@turnwise/workshop/exercise'
import { exercises } from '@turnwise/workshop/exercises'
import { standingAlone } from '@turnwise/workshop/own-algorithm'
import type { World } from '@turnwise/workshop/world'
import { variantNamed } from '../../run/spec.ts'

/** What a visitor accepted from an address. */
export const FROM_LINK = 'link'
export const FIRST = 'ricart-agrawala'

type Sources = Readonly<Record<string, string>>

export function exerciseIn(from: string) {
  return exercises.find(({ slug }) => `exercise:${slug}` === from) ?? null
}

/** The text to begin with; null if there is none of this name. */
export async function beginning(from: string, sources: Sources): Promise<string | null> {
  const exercise = exerciseIn(from)
  if (exercise !== null) return startingText(exercise, (path) => sources[path] ?? '')
  const path = Object.keys(sources).find((each) => each.endsWith(`/${from}.ts`))
  const text = path === undefined ? undefined : sources[path]
  return path === undefined || text === undefined ? null : standingAlone(text, path.replace(/\/[^/]*$/, ''))
}

/** The worlds in which a text is checked: those of the exercise, that in which the rule fails, or what the visitor chose. */
export function worldsFor(
  from: string,
  nodes: number | null,
  requests: number | 'any' | null,
): readonly World[] {
  const exercise = exerciseIn(from)
  if (exercise !== null) return exercise.worlds
  const world: World = variantNamed(from)?.instance ?? { nodes: 3, requests: 1 }
  return [{ ...world, ...(nodes === null ? {} : { nodes }), ...(requests === null ? {} : { requests }) }]
}

const KEY = 'turnwise-write '

/** Storage may be full or forbidden: then a text lasts as long as the page. */
export function keep(from: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(`${KEY}${from}`)
    else localStorage.setItem(`${KEY}${from}`, text)
    localStorage.setItem(`${KEY}last`, from)
  } catch {
    // See above.
  }
}

export function kept(from: string): string | null {
  try {
    return localStorage.getItem(`${KEY}${from}`)
  } catch {
    return null
  }
}

export function lastFrom(): string {
  return kept('last') ?? FIRST
}

/** As `npm run new-algorithm` would call the file. */
export function fileName(text: string): string {
  const [, name] = /^\s{4}name: '([a-z0-9-]+)'/m.exec(text) ?? []
  return `${name ?? 'algorithm'}.ts`
}
