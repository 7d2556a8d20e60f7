import { existsSync } from 'node:fs'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { startingText } from '@turnwise/workshop/exercise'
import { exerciseNamed, exercises } from '@turnwise/workshop/exercises'
import type { Command } from 'commander'
import { given, writeText } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { readSource } from '../algorithm-sources.ts'

interface ExerciseOptions {
  readonly out?: string
  readonly hints?: true
  readonly json?: true
}

export function addExercise(program: Command, terminal: Terminal): void {
  program
    .command('exercise')
    .summary('list the exercises, or begin one')
    .description(
      'Without a name it lists the exercises. With a name it writes the file to begin with: an algorithm with a broken rule.',
    )
    .argument('[name]', 'the exercise to begin')
    .option('--out <file>', 'the file to write (default: NAME.ts)')
    .option('--hints', 'print the hints instead')
    .option('--json', 'print the list, or the exercise, as JSON')
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, options: ExerciseOptions) => {
      if (name !== undefined) return begin(name, options, terminal)
      if (options.out !== undefined || options.hints === true)
        throw new InvalidInput(
          `--${options.out === undefined ? 'hints' : 'out'} needs the name of an exercise: turnwise exercise lists them`,
        )
      terminal.print(options.json === true ? JSON.stringify(exercises.map(inJson), null, 2) : list(terminal))
    })
}

async function begin(name: string, options: ExerciseOptions, terminal: Terminal): Promise<void> {
  const exercise = given('NAME', name, () => exerciseNamed(name))
  if (options.json === true) {
    const text = await startingText(exercise, readSource)
    return terminal.print(JSON.stringify({ ...inJson(exercise), hints: exercise.hints, text }, null, 2))
  }
  if (options.hints === true)
    return terminal.print(exercise.hints.map((hint, i) => `${i + 1}. ${hint}`).join('\n'))
  const path = options.out ?? `${name}.ts`
  if (existsSync(path))
    throw new InvalidInput(`--out: "${path}" exists, and may be somebody's answer: give another file`)
  const text = await startingText(exercise, readSource)
  given('--out', path, () => writeText(path, text))
  terminal.print(
    `${terminal.paint.bold(exercise.title)}\n${exercise.question}\n\n` +
      `${path}  change it\nturnwise grade ${path} --exercise ${name}  says whether it holds`,
  )
}

function list({ paint }: Terminal): string {
  const width = Math.max(...exercises.map(({ slug }) => slug.length))
  const lines = exercises.map(({ slug, title }) => `${paint.bold(slug.padEnd(width))}  ${title}`)
  return [...lines, '', 'turnwise exercise NAME writes the file to begin with.'].join('\n')
}

function inJson({ slug, title, question }: (typeof exercises)[number]) {
  return { slug, title, question }
}

const HELP = `
Examples:
  turnwise exercise
  turnwise exercise tie-break --out answer.ts
  turnwise exercise tie-break --hints`
