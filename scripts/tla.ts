/**
 * `npm run tla` lets a checker that is not ours search models that were written from the papers, and ours the same worlds; it
 * prints both results and fails if they differ. Names restrict the work to these algorithms, `--quick` to the quick runs;
 * `--record` writes what was found for `docs/other-checkers.md`.
 */
import { parseArgs } from 'node:util'
import { explore } from '@turnwise/checker'
import { lamportMutex, PUBLISHED } from './tla/lamport-mutex.ts'
import { type Recorded, writeRecord } from './tla/record.ts'
import { commandOf, difference, type Found, ours, RUNS, theirs, verdictOf } from './tla/runs.ts'
import { findTool, type Tool } from './tla/tool.ts'

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
  allowPositionals: true,
})

const tool = await findTool()
if (typeof tool === 'string') process.stdout.write(`skipped: ${tool}\n`)
else compareAll(tool)

function compareAll(theirTool: Tool): void {
  const known = new Set(RUNS.map(({ algorithm }) => algorithm))
  const unknown = positionals.find((name) => !known.has(name))
  if (unknown !== undefined) return stop(`no model of "${unknown}"; there are ${[...known].join(', ')}`)
  const runs = RUNS.filter(({ algorithm, quick }) => {
    if (positionals.length > 0 && !positionals.includes(algorithm)) return false
    return quick === true || !values.quick
  })
  row('world', 'verdict', 'ours', 'theirs', 's', 's')
  const recorded: Recorded[] = []
  const differences: string[] = []
  for (const run of runs) {
    const [mine, mineIn] = timed(() => ours(run))
    const [other, otherIn] = timed(() => theirs(run, theirTool))
    const command = commandOf(run).replace('npx turnwise check ', '')
    row(command, verdictOf(mine), mine.states, other.states, mineIn, otherIn)
    const differs = difference(mine, other)
    if (differs !== null) differences.push(`${run.module}.tla and ${command} differ: ${differs}`)
    recorded.push({ run, ours: mine, theirs: other })
  }
  if (!values.quick && positionals.length === 0) differences.push(...fromTlc())
  if (differences.length > 0) return stop(differences.join('\n'))
  const algorithms = new Set(runs.map(({ algorithm }) => algorithm))
  process.stdout.write(`${runs.length} worlds of ${algorithms.size} algorithms and variants: no difference\n`)
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

function timed(find: () => Found): [found: Found, seconds: string] {
  const before = process.cpuUsage()
  const found = find()
  const { user, system } = process.cpuUsage(before)
  return [found, ((user + system) / 1e6).toFixed(1)]
}

function row(
  world: string,
  verdict: string,
  mine: number | string,
  other: number | string,
  mineIn: string,
  otherIn: string,
): void {
  const figures = [mine, other].map((figure) => figure.toLocaleString('en').padStart(9)).join(' ')
  process.stdout.write(
    `${world.padEnd(58)} ${verdict.padEnd(32)} ${figures} ${mineIn.padStart(6)} ${otherIn.padStart(6)}\n`,
  )
}

function stop(message: string): void {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
