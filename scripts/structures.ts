/**
 * `npm run structures`: all 262,144 information structures of three nodes, the theorem of Sanders (1987) against the checker. `--help` says
 * what can be chosen.
 */
import { wholeNumber } from '@turnwise/core/invalid-input'
import { randomStream } from '@turnwise/core/random'
import { structureText } from '@turnwise/core/structure/structure-from-text'
import { validate } from '@turnwise/core/structure/validate'
import {
  isWrong,
  renamed,
  STRUCTURES,
  structureAt,
  verdictOf,
} from '../packages/algorithms/test/every-structure.ts'
import { excludes } from '../packages/algorithms/test/excludes.ts'
import { progressOn } from './bench/progress.ts'
import { parseOptions, run } from './options.ts'
import { NOTHING, readTallies, type Tally, writeTally } from './structures/record.ts'

const HELP = `npm run structures -- [options]
  --requests NUMBER  how often each node may ask; default 1
  --seconds NUMBER   stop after so much time; the next call goes on there. Default: no limit
  --sample NUMBER    look at so many structures by chance instead, and record nothing
  --seed NUMBER      of the sample; default 1
  --again            forget what was recorded, and begin anew
`

/** A structure that is safe with two requests of each node has up to some hundred thousand states. */
const MOST_STATES = 4_000_000
/** The record is written after so many classes, so that a search can be stopped at any time. */
const SLICE = 250

function readOptions() {
  const { values } = parseOptions({
    options: {
      requests: { type: 'string', default: '1' },
      seconds: { type: 'string' },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      again: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  return {
    ...values,
    requests: wholeNumber(values.requests, 'a number of requests', 1),
    seconds: values.seconds === undefined ? null : wholeNumber(values.seconds, 'a number of seconds', 1),
    sample: values.sample === undefined ? null : wholeNumber(values.sample, 'a number of structures', 1),
    seed: wholeNumber(values.seed, 'a seed', 0),
  }
}

/** A violation that needs one request of each node is one with more requests, too: so few requests are tried first. */
function isSafe(code: number, requests: number): boolean {
  const structure = structureAt(code)
  for (let each = 1; each <= requests; each += 1) if (!excludes(structure, each, MOST_STATES)) return false
  return true
}

/** Adds a structure that stands for so many. */
function added(tally: Tally, code: number, count: number, requests: number): Tally {
  const structure = structureAt(code)
  const verdict = verdictOf(structure)
  const checker = isSafe(code, requests)
  const isMistake = isWrong(verdict, checker)
  const { valid } = verdict
  return {
    ...tally,
    next: code + 1,
    classes: tally.classes + 1,
    structures: tally.structures + count,
    printed: tally.printed + (validate(structure).valid ? count : 0),
    theorem: tally.theorem + (valid ? count : 0),
    checker: tally.checker + (checker ? count : 0),
    beyond: tally.beyond + (checker && !valid && !isMistake ? count : 0),
    wrong: isMistake ? [...tally.wrong, structureText(structure)] : tally.wrong,
  }
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function searchAll(requests: number, first: Tally, seconds: number | null): Tally {
  const progress = progressOn(process.stderr)
  const begun = performance.now()
  const usedAtFirst = processorSeconds()
  let tally = first
  const record = () => {
    tally = { ...tally, seconds: Math.round(first.seconds + processorSeconds() - usedAtFirst) }
    writeTally(requests, tally)
  }
  for (let code = first.next; code < STRUCTURES; code += 1) {
    const names = renamed(code)
    if (names.some((other) => other < code)) continue
    tally = added(tally, code, names.length, requests)
    if (tally.classes % SLICE !== 0) continue
    record()
    const share = Math.floor((100 * code) / STRUCTURES)
    progress.begins(`${code} of ${STRUCTURES} (${share} %), theorem wrong about ${tally.wrong.length}`)
    if (seconds !== null && performance.now() - begun > 1000 * seconds) return tally
  }
  tally = { ...tally, next: STRUCTURES }
  record()
  progress.clear()
  return tally
}

function sampled(requests: number, count: number, seed: number): Tally {
  const random = randomStream(seed, 'structures')
  let tally = NOTHING
  for (let i = 0; i < count; i += 1) tally = added(tally, random.below(STRUCTURES), 1, requests)
  return { ...tally, seconds: Math.round(processorSeconds()) }
}

function tell(tally: Tally, isSample: boolean): void {
  const { next, classes, structures, printed, theorem, checker, beyond, wrong, seconds } = tally
  const how = isSample ? 'by chance' : next === STRUCTURES ? 'all' : `up to number ${next - 1}`
  process.stdout.write(
    `${structures} structures, ${how}; ${classes} searched, ${seconds} s of processor time
safe by the theorem as printed: ${printed}; without nodes that are told but not asked: ${theorem}
safe by the checker: ${checker}, ${beyond} of them beyond the footnote
theorem wrong: ${wrong.length}${wrong.length === 0 ? '' : ` (${wrong.slice(0, 10).join(' ')})`}\n`,
  )
  if (wrong.length > 0) process.exitCode = 1
}

function main(): void {
  const { help, requests, seconds, sample, seed, again } = readOptions()
  if (help) process.stdout.write(HELP)
  else if (sample !== null) tell(sampled(requests, sample, seed), true)
  else tell(searchAll(requests, again ? NOTHING : (readTallies()[requests] ?? NOTHING), seconds), false)
}

await run(main)
