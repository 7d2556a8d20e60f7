/**
 * `npm run mesh:runs -- --seeds 1..1000` runs the mesh protocol through as many simulated worlds and prints counts;
 * `--seed 7` replays one and tells every event, `--rules NAME` breaks a rule (`--rules list` names them), `--algorithm NAME`
 * and `--nodes N` hold what the seed would draw; `--names L,#2=S` names other locks and semaphores, `--steals 0.2` is the
 * chance that a caller steals, `--shared 0.5` that it shares, `--downgrades 0.5` that a writer goes on as a reader,
 * `--updates 0.3` that a caller wants to update, `--zones 2` puts nodes into zones, and `--plan '{"cuts":0}'` holds anything else. `--seed 7 --shrink` leaves out what a failing run does not
 * need, and prints the command that replays the rest.
 */
import { brokenRules } from '../packages/mesh/broken/rules.ts'
import { SOUND } from '../packages/mesh/broken/under.ts'
import { type Counts, noCounts } from '../packages/mesh/test/simulation/counts.ts'
import { planFor, type Wishes } from '../packages/mesh/test/simulation/plan.ts'
import { smallerPlan, wishesFor } from '../packages/mesh/test/simulation/smaller-plan.ts'
import { simulate } from '../packages/mesh/test/simulation/voters.ts'
import { parseOptions, read, seedsFrom } from './options.ts'

const { values } = read(() =>
  parseOptions({
    options: {
      seeds: { type: 'string', default: '1..200' },
      seed: { type: 'string' },
      rules: { type: 'string' },
      algorithm: { type: 'string' },
      nodes: { type: 'string' },
      names: { type: 'string' },
      steals: { type: 'string' },
      zones: { type: 'string' },
      shared: { type: 'string' },
      downgrades: { type: 'string' },
      updates: { type: 'string' },
      plan: { type: 'string' },
      shrink: { type: 'boolean', default: false },
      'first-only': { type: 'boolean', default: false },
    },
  }),
)

const broken = brokenRules.find(({ name }) => name === values.rules)
if (values.rules !== undefined && broken === undefined) {
  for (const { row, name, mistake } of brokenRules) process.stdout.write(`${row}\t${name}\t${mistake}\n`)
  process.exit(values.rules === 'list' ? 0 : 2)
}
const rules = { ...SOUND, ...broken?.change }
const wishes: Wishes = {
  ...broken?.world,
  ...(values.algorithm === undefined ? {} : { algorithm: values.algorithm }),
  ...(values.names === undefined ? {} : { names: values.names.split(',') }),
  ...(values.zones === undefined ? {} : { zones: Number(values.zones) }),
  ...(values.steals === undefined ? {} : { steals: Number(values.steals) }),
  ...(values.shared === undefined ? {} : { shared: Number(values.shared) }),
  ...(values.updates === undefined ? {} : { updates: Number(values.updates) }),
  ...(values.downgrades === undefined ? {} : { downgrades: Number(values.downgrades) }),
  ...(values.nodes === undefined ? {} : { nodes: Number(values.nodes) }),
  ...(values.plan === undefined ? {} : (JSON.parse(values.plan) as Wishes)),
}

if (values.seed === undefined) many()
else if (values.shrink) shrunk(Number(values.seed))
else {
  const plan = planFor(Number(values.seed), wishes)
  process.stdout.write(`${JSON.stringify(plan)}\n`)
  const { violation } = simulate(plan, rules, (line) => process.stdout.write(`${line}\n`))
  process.stdout.write(`${violation === null ? 'no violation' : `${violation.judge}: ${violation.text}`}\n`)
  if (violation !== null) process.exitCode = 1
}

function shrunk(seed: number): void {
  const small = smallerPlan(planFor(seed, wishes), (plan) => simulate(plan, rules).violation)
  const { violation } = simulate(small, rules)
  if (violation === null) return void process.stdout.write('no violation: nothing to shrink\n')
  const rule = broken === undefined ? '' : ` --rules ${broken.name}`
  const plan = JSON.stringify(wishesFor(small, planFor(small.seed, broken?.world)))
  process.stdout.write(
    `${violation.judge} at ${violation.at.toFixed(1)}: ${violation.text}\n` +
      `npm run -s mesh:runs -- --seed ${small.seed}${rule} --plan '${plan}'\n`,
  )
  process.exitCode = 1
}

function many(): void {
  const [first, last] = read(() => seedsFrom(values.seeds))
  const total = noCounts()
  let violations = 0
  const started = performance.now()
  for (let seed = first; seed <= last; seed += 1) {
    const { violation, counts } = simulate(planFor(seed, wishes), rules)
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key]
    if (violation === null) continue
    violations += 1
    process.stdout.write(
      `seed ${seed} at ${violation.at.toFixed(1)}: ${violation.judge}: ${violation.text}\n`,
    )
    if (values['first-only']) break
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  for (const [key, count] of Object.entries(total)) process.stdout.write(`${key.padEnd(16)}${count}\n`)
  process.stdout.write(`${violations} violations in ${total.runs} runs, ${seconds} s\n`)
  if (violations > 0) process.exitCode = 1
}
