/** `npm run scale`: what many members cost, simulated. `--help` says what can be chosen. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { progressOn } from './bench/progress.ts'
import { parseOptions, run } from './options.ts'
import { type Churned, type ChurnPlan, churn, type ViewCost, viewCost } from './scale/churn.ts'
import { type Measured, measuredWith } from './scale/messages.ts'
import { readRecord, type ScaleRecord, writeRecord } from './scale/record.ts'

const PARTS = ['messages', 'views', 'churn'] as const
type Part = (typeof PARTS)[number]

const HELP = `npm run scale -- [options]
  --only LIST   of ${PARTS.join(', ')}; default all, five minutes of a processor
  --record      keep the figures in scripts/scale/record.json, from which npm run docs writes docs/scale.md

Messages per entry are simulated with a million nodes, views and churn with up to 1,000 members.
`

const VIEWS = [10, 100, 1000]

/** Minutes of virtual time: enough for some hundred changes, and less where a view costs much. */
const CHURN: readonly ChurnPlan[] = [
  ...[10, 100].flatMap((members) =>
    [false, true].flatMap((kills) => [
      { members, perMinute: 1, kills, delay: 1, minutes: 10 },
      { members, perMinute: 10, kills, delay: 1, minutes: 5 },
      { members, perMinute: 100, kills, delay: 1, minutes: 1 },
    ]),
  ),
  ...[10, 100].map((perMinute) => ({ members: 1000, perMinute, kills: true, delay: 1, minutes: 1 })),
  ...[1, 10].map((perMinute) => ({ members: 100, perMinute, kills: false, delay: 75, minutes: 5 })),
]

const progress = progressOn(process.stderr)

function told<Value>(what: string, work: () => Value, outcome: (value: Value) => string): Value {
  progress.begins(what)
  const value = work()
  progress.ended(what, outcome(value))
  return value
}

function messages(): Measured[] {
  const all: Measured[] = []
  progress.begins('messages per entry, 1,000,000 nodes')
  for (const each of measuredWith([1_000_000])) {
    progress.ended(each.algorithm, each.simulated === null ? 'by its formula' : each.simulated.toFixed(2))
    all.push(each)
  }
  return all
}

function views(): ViewCost[] {
  return VIEWS.map((members) =>
    told(
      `a view of ${members} members`,
      () => viewCost(members),
      ({ messages: sent, record }) => `${sent} messages, a record of ${record} characters`,
    ),
  )
}

function churned(): Churned[] {
  return CHURN.map((plan) => {
    const { members, perMinute, kills, delay } = plan
    const what = `${members} members, ${perMinute} come and go a minute${kills ? ', half of them killed' : ''}, ${delay} ms`
    return told(
      what,
      () => churn(plan, () => {}),
      ({ views: made, share }) =>
        `${made.toFixed(0)} views/h, paused ${(100 * share).toFixed(2)} % of the time`,
    )
  })
}

function chosen(): { readonly parts: readonly Part[]; readonly record: boolean } | string {
  const { values } = parseOptions({
    options: { only: { type: 'string' }, record: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  if (values.help === true) return HELP
  const parts = values.only?.split(',').map((part) => part.trim()) ?? PARTS
  const stray = parts.find((part) => !(PARTS as readonly string[]).includes(part))
  if (stray !== undefined) throw new InvalidInput(`--only "${stray}" is not one of ${PARTS.join(', ')}`)
  return { parts: parts as Part[], record: values.record === true }
}

function main(): void {
  const wish = chosen()
  if (typeof wish === 'string') return void process.stdout.write(wish)
  const works = { messages, views, churn: churned }
  const made = Object.fromEntries(wish.parts.map((part) => [part, works[part]()])) as Partial<ScaleRecord>
  progress.clear()
  if (wish.record) writeRecord({ ...readRecord(), ...made })
  else process.stdout.write(`${JSON.stringify(made, null, 2)}\n`)
}

await run(main)
