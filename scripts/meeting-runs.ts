/**
 * `npm run mesh:meetings -- --seeds 1..1000` runs nodes that meet at a register through as many simulated worlds and prints counts; `--seed 7`
 * replays one and tells every event; `--rules NAME` breaks a rule (`--rules list` names them). `--wipes 300` deletes the view every three leases, and
 * `--restores 300` puts an old copy of all cells there, after which two may be inside (docs/meeting-places.md, M14).
 * `--names 'L &a,b=G'` names other locks, semaphores and groups, and `--plan '{"cuts":0}'` holds anything else that the seed would draw for the nodes.
 */
import { brokenMeetings, SOUND_MEETING } from '../packages/mesh/broken/meeting.ts'
import { meetingPlanFor } from '../packages/mesh/test/meeting/plan.ts'
import { simulateMeeting } from '../packages/mesh/test/meeting/register.ts'
import { type Counts, noCounts } from '../packages/mesh/test/simulation/counts.ts'
import type { Wishes } from '../packages/mesh/test/simulation/plan.ts'
import { parseOptions, read, seedsFrom } from './options.ts'

const { values } = read(() =>
  parseOptions({
    options: {
      seeds: { type: 'string', default: '1..200' },
      seed: { type: 'string' },
      rules: { type: 'string' },
      'first-only': { type: 'boolean', default: false },
      wipes: { type: 'string' },
      restores: { type: 'string' },
      names: { type: 'string' },
      plan: { type: 'string' },
    },
  }),
)

const broken = brokenMeetings.find(({ name }) => name === values.rules)
if (values.rules !== undefined && broken === undefined) {
  for (const { rule, name, mistake } of brokenMeetings) process.stdout.write(`${rule}\t${name}\t${mistake}\n`)
  process.exit(values.rules === 'list' ? 0 : 2)
}
const rules = { ...SOUND_MEETING, ...broken?.change }
const damage = {
  ...(values.wipes !== undefined && { wipes: Number(values.wipes) }),
  ...(values.restores !== undefined && { restores: Number(values.restores) }),
}
const world = {
  ...broken?.world,
  engine: { ...broken?.world?.engine, ...damage },
  plan: {
    ...broken?.world?.plan,
    ...(values.names !== undefined && { names: values.names.split(' ') }),
    ...(values.plan !== undefined && (JSON.parse(values.plan) as Wishes)),
  },
}

if (values.seed === undefined) many()
else {
  const plan = meetingPlanFor(Number(values.seed), world)
  process.stdout.write(`${JSON.stringify(plan)}\n`)
  const { violation } = simulateMeeting(plan, rules, (line) => process.stdout.write(`${line}\n`))
  process.stdout.write(`${violation === null ? 'no violation' : `${violation.judge}: ${violation.text}`}\n`)
}

function many(): void {
  const [first, last] = read(() => seedsFrom(values.seeds))
  const total = noCounts()
  let violations = 0
  for (let seed = first; seed <= last; seed += 1) {
    const { violation, counts } = simulateMeeting(meetingPlanFor(seed, world), rules)
    for (const key of Object.keys(total) as (keyof Counts)[]) total[key] += counts[key]
    if (violation === null) continue
    violations += 1
    if (values['first-only'] && violation.judge === 'progress') continue
    process.stdout.write(
      `seed ${seed}: ${violation.judge} at ${violation.at.toFixed(1)}: ${violation.text.slice(0, 300)}\n`,
    )
    if (values['first-only']) break
  }
  process.stdout.write(`${JSON.stringify(total)}\n${violations} violations\n`)
}
