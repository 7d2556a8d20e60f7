/**
 * `npm run others` lets checkers that are not ours search models that were written from the papers, and ours the same worlds; it
 * prints both results and fails if they differ. Names restrict the work to these algorithms, `--tool spin` or `--tool tla` to one checker, `--quick` to
 * the quick runs; with `--required` a checker that is missing is a failure; `--record` writes what was found for `docs/other-checkers.md`.
 */
import { explore } from '@turnwise/checker'
import { parseOptions, read } from './options.ts'
import type { Found, Run } from './others/checker.ts'
import { lamportMutex, PUBLISHED } from './others/lamport-mutex.ts'
import { type Recorded, writeRecord } from './others/record.ts'
import { commandOf, difference, findOthers, isPromela, ours, RUNS, theirs, verdictOf } from './others/runs.ts'

const { values, positionals } = read(() =>
  parseOptions({
    options: {
      quick: { type: 'boolean', default: false },
      required: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      tool: { type: 'string' },
    },
    allowPositionals: true,
  }),
)

const others = await findOthers()
const complaint = misuse()
if (complaint === null) compareAll()
else stop(complaint)

function misuse(): string | null {
  const known = [...new Set(RUNS.map(({ algorithm }) => algorithm))]
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) return `no model of "${unknown}"; there are ${known.join(', ')}`
  if (values.tool === undefined || ['tla', 'spin'].includes(values.tool)) return null
  return `--tool: "${values.tool}" is not one of tla, spin`
}

function isAsked({ algorithm, model, quick }: Run): boolean {
  if (positionals.length > 0 && !positionals.includes(algorithm)) return false
  if (values.tool !== undefined && isPromela(model) !== (values.tool === 'spin')) return false
  return quick === true || !values.quick
}

function compareAll(): void {
  const recorded: Recorded[] = []
  const differences: string[] = []
  const skipped = new Map<string, number>()
  row('world', 'model', 'verdict', 'ours', 'theirs', 's', 's')
  for (const run of RUNS.filter(isAsked)) {
    const [other, otherIn] = timed(() => theirs(run, others))
    if (typeof other === 'string') {
      skipped.set(other, (skipped.get(other) ?? 0) + 1)
      continue
    }
    const [mine, mineIn] = timed(() => ours(run))
    const command = commandOf(run).replace('npx turnwise check ', '')
    row(command, run.model, verdictOf(mine), mine.states, other.states, mineIn, otherIn)
    const differs = difference(mine, other)
    if (differs !== null) differences.push(`${run.model} and ${command} differ: ${differs}`)
    recorded.push({ run, ours: mine, theirs: other })
  }
  if (!values.quick && positionals.length === 0 && values.tool === undefined) differences.push(...fromTlc())
  for (const [why, worlds] of skipped) process.stdout.write(`skipped ${worlds} worlds: ${why}\n`)
  if (values.required && skipped.size > 0) differences.push('a checker is missing')
  if (differences.length > 0) return stop(differences.join('\n'))
  process.stdout.write(`${recorded.length} worlds: no difference\n`)
  if (values.record) writeRecord(recorded)
}

/** What TLC found in a specification, and our search finds in the same. */
function fromTlc(): string[] {
  const { nodes, mostClock, ...published } = PUBLISHED
  const generated = { steps: 0 }
  const { states, depth } = explore(lamportMutex(nodes, mostClock, generated))
  const found = { distinct: states, generated: generated.steps + 1, depth: depth + 1 }
  const [mine, theirs] = [found, published].map((figures) => JSON.stringify(figures))
  process.stdout.write(`LamportMutex, ${nodes} nodes, clocks up to ${mostClock}: ${mine}\n`)
  return mine === theirs ? [] : [`LamportMutex: our search finds ${mine}, TLC ${theirs}`]
}

function timed<Value extends Found | string>(find: () => Value): [found: Value, seconds: string] {
  const before = performance.now()
  const found = find()
  return [found, ((performance.now() - before) / 1000).toFixed(1)]
}

function row(
  world: string,
  model: string,
  verdict: string,
  mine: number | string,
  other: number | string,
  mineIn: string,
  otherIn: string,
): void {
  const figures = [mine, other].map((figure) => figure.toLocaleString('en').padStart(9)).join(' ')
  const words = `${world.padEnd(58)} ${model.padEnd(23)} ${verdict.padEnd(32)}`
  process.stdout.write(`${words} ${figures} ${mineIn.padStart(6)} ${otherIn.padStart(6)}\n`)
}

function stop(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
