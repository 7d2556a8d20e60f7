/**
 * `npm run -s mesh:check` explores the mesh protocol exhaustively within the quick bounds; `-- --bounds locks-3-wx,ballots-3` within
 * others (`--bounds list` names them, `--bounds all` takes all), `--rules NAME` with a broken rule: the shortest schedule that
 * shows it is printed. `--seconds N` ends each exploration after N seconds, `--plain` leaves out every reduction. Progress
 * goes to stderr.
 */
import { wholeNumber } from '@turnwise/core/invalid-input'
import { brokenRules } from '../packages/mesh/broken/rules.ts'
import { SOUND } from '../packages/mesh/broken/under.ts'
import { BOUNDS, QUICK } from '../packages/mesh/check/bounds.ts'
import { caught } from '../packages/mesh/check/caught.ts'
import { type Explored, explore } from '../packages/mesh/check/explore.ts'
import { ALL, NONE } from '../packages/mesh/check/reductions.ts'
import type { Rules } from '../packages/mesh/src/protocol/rules.ts'
import { present } from '../test/present.ts'
import { parseOptions, read } from './options.ts'

const { values } = read(() =>
  parseOptions({
    options: {
      bounds: { type: 'string' },
      rules: { type: 'string' },
      seconds: { type: 'string', default: '600' },
      plain: { type: 'boolean', default: false },
    },
  }),
)
const patience = read(() => wholeNumber(values.seconds, 'a number of seconds', 1))

const rules = rulesNamed(values.rules)
for (const name of boundsNamed(values.bounds)) {
  const started = performance.now()
  const before = process.cpuUsage()
  const explored = explore(present(BOUNDS[name]), rules, progressOf(name, started), values.plain ? NONE : ALL)
  const { user, system } = process.cpuUsage(before)
  print(name, explored, (performance.now() - started) / 1000, (user + system) / 1e6)
}

function rulesNamed(name: string | undefined): Rules {
  if (name === undefined) return SOUND
  const broken = brokenRules.find((each) => each.name === name)
  if (broken === undefined)
    stop(`no rule "${name}"; there are ${brokenRules.map((each) => each.name).join(', ')}`)
  return { ...SOUND, ...broken.change }
}

function boundsNamed(names: string | undefined): readonly string[] {
  if (names === undefined) {
    return values.rules === undefined
      ? QUICK
      : caught.filter(({ rule }) => rule === values.rules).map(({ bounds }) => bounds)
  }
  if (names === 'all') return Object.keys(BOUNDS)
  const list = names.split(',')
  const unknown = list.find((name) => !(name in BOUNDS))
  if (unknown === undefined) return list
  const known = Object.keys(BOUNDS).join(', ')
  if (unknown !== 'list') stop(`no bounds "${unknown}"; there are ${known}`)
  process.stdout.write(`${known}\n`)
  return []
}

function stop(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(2)
}

function progressOf(name: string, started: number): Parameters<typeof explore>[2] {
  let told = started
  return ({ states, expanded, depth }) => {
    const now = performance.now()
    if (now - told > 5000) {
      told = now
      const seconds = Math.round((now - started) / 1000)
      process.stderr.write(`${name}: ${states} states, ${expanded} expanded, depth ${depth}, ${seconds} s\n`)
    }
    return now - started < 1000 * patience
  }
}

function print(name: string, explored: Explored, seconds: number, busy: number): void {
  const { states, bytes, transitions, depth, isComplete, violation, sometimes } = explored
  const end = violation !== null ? 'violated' : isComplete ? 'complete' : 'NOT COMPLETE'
  process.stdout.write(
    `${name}: ${end}, ${states} states of ${Math.round(bytes / states)} bytes, ${transitions} steps, depth ${depth}, ` +
      `${seconds.toFixed(1)} s, ${busy.toFixed(1)} s of them on a processor\n`,
  )
  for (const [what, times] of sometimes) process.stdout.write(`  sometimes ${what}: ${times}\n`)
  if (violation === null) return
  process.stdout.write(`  ${violation.property}: ${violation.reason}\n`)
  violation.steps.forEach((step, i) => process.stdout.write(`  ${String(i + 1).padStart(3)}. ${step}\n`))
  if (values.rules === undefined) process.exitCode = 1
}
