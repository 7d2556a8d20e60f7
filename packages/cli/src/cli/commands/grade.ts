import { InvalidInput } from '@turnwise/core/invalid-input'
import { exerciseNamed } from '@turnwise/workshop/exercises'
import type { Command } from 'commander'
import { duration, durationText } from '../../terminal/duration.ts'
import { given, readText } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { gradeWithin, refused } from '../grade-thread.ts'

interface GradeOptions {
  readonly exercise?: string
  readonly within: string
  readonly json?: true
}

export function addGrade(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('grade')
    .summary('check the answer to an exercise')
    .description(
      'Checks a file in the worlds of an exercise. It answers with the first property that fails, and a shortest run that breaks it.',
    )
    .argument('<file>', 'the answer')
    .option('--exercise <name>', 'a name that `turnwise exercise` lists')
    .option('--within <duration>', 'how long it may take', '60s')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', HELP)
    .action(async (file: string, options: GradeOptions) => {
      const { exercise: slug, within } = options
      if (slug === undefined)
        throw new InvalidInput('give --exercise NAME: turnwise exercise lists the names')
      given('--exercise', slug, () => exerciseNamed(slug))
      const limitMs = given('--within', within, () => duration(within, 'a time to take'))
      const { columns, paint } = terminal
      const task = { slug, text: readText(file), columns, colours: paint.isColorSupported }
      const answer =
        (await gradeWithin(task, limitMs)) ??
        refused(
          slug,
          `the check took longer than ${durationText(limitMs)}: does the file have an endless loop?`,
        )
      terminal.print(options.json === true ? JSON.stringify(answer.json, null, 2) : answer.text)
      exit(answer.json.passed ? 0 : 1)
    })
}

const HELP = `
Exit code: 0 passed, 1 not passed, 2 bad usage.

The file is code, and runs with your rights: grade the work of others in a container.

Examples:
  turnwise grade tie-break.ts --exercise tie-break
  turnwise grade answer.ts --exercise tie-break --json --within 20s`
