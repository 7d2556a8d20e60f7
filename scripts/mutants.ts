/**
 * `npm run mutants`: changes every comparison, constant, branch and statement of the algorithms, one at a time, and says who notices: a
 * scenario, a random run or a model. Who survives is printed. `--help` says what can be chosen.
 */
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { Program } from '@turnwise/fleet/program'
import { transformSync } from 'esbuild'
import { progressOn } from './bench/progress.ts'
import type { Noticed, Trial } from './mutants/child.ts'
import { equivalentsIn } from './mutants/equivalents.ts'
import { applied, type Mutant, mutantsOf } from './mutants/mutate.ts'
import { type Outcome, oneLine, recordOf, writeRecord } from './mutants/record.ts'
import { parseOptions, run } from './options.ts'

const HELP = `npm run mutants -- [options] [FILE…]
  FILE             a file of packages/algorithms/src, or a part of its name; default all
  --states NUMBER  of the largest model that is asked; default 8000
  --seconds NUMBER of processor time for one mutant, then it counts as noticed: it does not end. Default 60
  --every NUMBER   try only each so many-th; default 1
  --json FILE      write every mutant, and who noticed it
  --since FILE     an earlier --json: what a scenario noticed then is not tried again. Scenarios are only added
  --record         write the results of each file into scripts/mutants/record.json; npm run docs makes docs/mutants.md of it
`

const root = fileURLToPath(new URL('../packages/algorithms/', import.meta.url))
const sources = path.join(root, 'src')
const built = path.join(root, 'dist', 'src')
/** Beside the text, so that its imports are found, and where nothing is packed. Runs side by side have a folder each. */
const copies = path.join(root, 'node_modules', '.mutants', String(process.pid))

interface Options {
  readonly files: readonly string[]
  readonly states: number
  readonly seconds: number
  readonly every: number
  readonly json: string | null
  /** What a scenario noticed earlier. */
  readonly since: readonly Outcome[]
  readonly record: boolean
}

function parsed() {
  return parseOptions({
    allowPositionals: true,
    options: {
      states: { type: 'string', default: '8000' },
      seconds: { type: 'string', default: '60' },
      every: { type: 'string', default: '1' },
      json: { type: 'string' },
      since: { type: 'string' },
      record: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  })
}

function readOptions(): Options | 'help' {
  const { values, positionals } = parsed()
  if (values.help === true) return 'help'
  const all = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.includes(path.sep) && file.endsWith('.ts'))
    .toSorted()
  for (const wanted of positionals) {
    if (!all.some((file) => file.includes(wanted)))
      throw new InvalidInput(`"${wanted}" is in the name of no file of packages/algorithms/src`)
  }
  const files = all.filter(
    (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
  )
  return {
    files,
    states: wholeNumber(values.states, 'a number of states', 1),
    seconds: wholeNumber(values.seconds, 'a number of seconds', 1),
    every: wholeNumber(values.every, 'a number', 1),
    json: values.json ?? null,
    since: values.since === undefined ? [] : noticedIn(values.since),
    record: values.record,
  }
}

/** Of each file, the algorithms whose text it is a part of. */
function algorithmsIn(): (file: string) => string[] {
  const imports = new Map<string, string[]>()
  const names = new Map<string, string>()
  for (const file of readdirSync(sources, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue
    const text = readFileSync(path.join(sources, file), 'utf8')
    const from = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, name]) =>
      path.join(path.dirname(file), name ?? ''),
    )
    imports.set(file, from)
    const [, name] = /^(?: {2}){1,2}name: '([\w-]+)',$/m.exec(text) ?? []
    if (name !== undefined && file.includes(path.sep)) names.set(file, name)
  }
  const reaches = (file: string, wanted: string, seen = new Set<string>()): boolean => {
    if (file === wanted) return true
    if (seen.has(file)) return false
    seen.add(file)
    return (imports.get(file) ?? []).some((next) => reaches(next, wanted, seen))
  }
  return (wanted) => [...names].filter(([file]) => reaches(file, wanted)).map(([, name]) => name)
}

/** The built catalogue with one file replaced. The others are hard links, because a symbolic link would lead back to the original. */
function copyWith(file: string, text: string, number: number): string {
  const copy = path.join(copies, String(number))
  for (const each of readdirSync(built, { recursive: true, encoding: 'utf8' })) {
    if (!each.endsWith('.js')) continue
    mkdirSync(path.dirname(path.join(copy, each)), { recursive: true })
    if (each !== file.replace(/\.ts$/, '.js')) linkSync(path.join(built, each), path.join(copy, each))
  }
  const { code } = transformSync(text, { loader: 'ts', format: 'esm' })
  writeFileSync(
    path.join(copy, file.replace(/\.ts$/, '.js')),
    code.replaceAll(/(from\s*")(\.[^"]+)\.ts"/g, '$1$2.js"'),
  )
  return copy
}

const CHILD = [
  '--import',
  'tsx',
  '--conditions=turnwise-source',
  fileURLToPath(new URL('mutants/child.ts', import.meta.url)),
]

/** A child that does not end ends itself, and another takes its place. */
class Judge {
  #child: Program<Trial> | null = null

  async ask(trial: Trial): Promise<Noticed> {
    this.#child ??= new Program(CHILD, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], keeps: 2000 })
    const child = this.#child
    try {
      return await child.ask<Noticed>(trial)
    } catch (error) {
      if (child.isRunning) throw error
      this.#child = null
      const { exitCode, signalCode } = child.child
      return signalCode === 'SIGKILL' ? 'it does not end' : `the process ends with ${exitCode ?? signalCode}`
    }
  }

  end(): void {
    this.#child?.kill('SIGKILL')
  }
}

async function main(): Promise<void> {
  const options = readOptions()
  if (options === 'help') return void process.stdout.write(HELP)
  const { files, states: mostStates, seconds, every, json, since, record } = options
  const algorithmsOf = algorithmsIn()
  const progress = progressOn(process.stderr)
  const judge = new Judge()
  const outcomes: Outcome[] = []
  let number = 0
  rmSync(copies, { recursive: true, force: true })
  try {
    for (const file of files) {
      const text = readFileSync(path.join(sources, file), 'utf8')
      const algorithms = algorithmsOf(file)
      if (algorithms.length === 0) continue
      const all = mutantsOf(text)
      const equivalent = equivalentMutants(file, text, all)
      const mutants = all.filter((_, i) => i % every === 0)
      for (const [i, mutant] of mutants.entries()) {
        progress.begins(`${file}: ${i} of ${mutants.length}`)
        number += 1
        const known = since.find((each) => isSame(each, file, mutant))
        if (known !== undefined) {
          outcomes.push({ ...known, ...mutant })
          continue
        }
        const copy = copyWith(file, applied(text, mutant), number)
        const noticed = await judge.ask({
          catalogue: path.join(copy, 'catalogue.js'),
          algorithms,
          mostStates,
          seconds,
        })
        outcomes.push({ ...mutant, file, noticed, why: equivalent.get(mutant) ?? null })
        rmSync(copy, { recursive: true, force: true })
      }
      progress.clear()
      const ofFile = outcomes.filter((outcome) => outcome.file === file)
      tell(file, ofFile)
      if (record) writeRecord(file, recordOf(text, ofFile))
    }
  } finally {
    judge.end()
    rmSync(copies, { recursive: true, force: true })
  }
  if (json !== null) writeFileSync(json, `${JSON.stringify(outcomes, null, 2)}\n`)
  const survivors = outcomes.filter(survives).length
  process.stdout.write(`${outcomes.length} mutants, ${survivors} survived\n`)
  if (survivors > 0) process.exitCode = 1
}

function noticedIn(file: string): Outcome[] {
  try {
    const outcomes = JSON.parse(readFileSync(file, 'utf8')) as Outcome[]
    return outcomes.filter(({ noticed }) => noticed?.startsWith('scenario ') === true)
  } catch (error) {
    throw new InvalidInput(`--since: "${file}" is no file that --json wrote`, { cause: error })
  }
}

/** Whether an earlier outcome is of this mutant: the same change at the same place. */
function isSame(earlier: Outcome, file: string, { start, end, before, after }: Mutant): boolean {
  return (
    earlier.file === file &&
    earlier.start === start &&
    earlier.end === end &&
    earlier.before === before &&
    earlier.after === after
  )
}

/** The mutants of a file that cannot be noticed, each with the reason. */
function equivalentMutants(file: string, text: string, mutants: readonly Mutant[]): Map<Mutant, string> {
  const found = new Map<Mutant, string>()
  for (const { equivalent, mutant } of equivalentsIn(file, text, mutants)) {
    const { line, before, after, why } = equivalent
    if (mutant === null)
      throw new InvalidInput(`${file} has not one mutant that turns ${before} into ${after} in "${line}"`)
    found.set(mutant, why)
  }
  return found
}

function survives({ noticed, why }: Outcome): boolean {
  return noticed === null && why === null
}

function tell(file: string, outcomes: readonly Outcome[]): void {
  const survivors = outcomes.filter(survives)
  process.stdout.write(`${file}: ${outcomes.length} mutants, ${survivors.length} survived\n`)
  for (const { line, before, after } of survivors)
    process.stdout.write(`  line ${line}: ${oneLine(before)} -> ${oneLine(after)}\n`)
}

await run(main)
