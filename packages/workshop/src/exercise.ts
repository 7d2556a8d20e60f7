import { compile } from './compile.ts'
import { standingAlone } from './own-algorithm.ts'
import type { World } from './world.ts'

/** A task for a student: a text with one rule broken, and the worlds in which it must hold again. Plain data. */
export interface Exercise {
  readonly slug: string
  readonly title: string
  /** What is to be found and done, in a few sentences. */
  readonly question: string
  /** From the least to the most telling. */
  readonly hints: readonly string[]
  /** The right text: files of `@turnwise/algorithms`, one after the other, or a text of its own. */
  readonly right: readonly string[] | { readonly text: string }
  /** What makes the starting text of it: each passage occurs once, and is replaced. */
  readonly breaks: readonly (readonly [from: string, to: string])[]
  /** The property that the starting text fails first. */
  readonly fails: string
  /** All properties must hold in each, the smallest world first. */
  readonly worlds: readonly World[]
}

/** Reads a file of `@turnwise/algorithms`, such as `src/token/raymond.ts`. */
export type ReadSource = (path: string) => string | Promise<string>

export async function rightText({ right }: Exercise, read: ReadSource): Promise<string> {
  if ('text' in right) return right.text
  const texts = await Promise.all(
    right.map(async (path) => standingAlone(await read(path), path.replace(/\/[^/]*$/, ''))),
  )
  return joined(
    texts,
    right.map((path) => `@turnwise/algorithms/${path.replace(/^src\//, '').replace(/\.ts$/, '')}`),
  )
}

export async function startingText(exercise: Exercise, read: ReadSource): Promise<string> {
  let text = await rightText(exercise, read)
  for (const [from, to] of exercise.breaks) {
    if (text.split(from).length !== 2) throw new Error(`${exercise.slug}: not once in its text: ${from}`)
    text = text.replace(from, () => to)
  }
  return `${headOf(exercise)}${text}`
}

function headOf({ slug, title, question }: Exercise): string {
  const words = `Exercise ${slug}: ${title}. ${question}`.split(' ')
  const lines = ['']
  for (const word of words) {
    const line = lines.at(-1) ?? ''
    if (line.length + word.length > 110) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return `${lines.map((line) => `// ${line}\n`).join('')}// turnwise grade ${slug}.ts --exercise ${slug}\n\n`
}

/** One text of several: later ones lose their imports of earlier ones, and names that are imported already. */
function joined(texts: readonly string[], modules: readonly string[]): string {
  const known = new Set<string>()
  return texts
    .map((text) => {
      const { statements } = compile(text)
      const rest = statements.toReversed().reduce((whole, { start, end, module, names }) => {
        const isHere = modules.includes(module)
        const wanted = names.filter(({ local }) => !isHere && !known.has(local))
        if (wanted.length === names.length) return whole
        const list = wanted.map(({ written }) => written).join(', ')
        const line = wanted.length === 0 ? '' : `import { ${list} } from '${module}'\n`
        return `${whole.slice(0, start)}${line}${whole.slice(end).replace(/^\n/, '')}`
      }, text)
      for (const { local } of statements.flatMap(({ names }) => names)) known.add(local)
      return rest
    })
    .join('\n')
}
