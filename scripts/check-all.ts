/** `npm run check:all` checks every model, compares it with its record and writes the tables of the records. */
import { writeFileSync } from 'node:fs'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { modelTables } from './docs/model-tables.ts'
import { algorithmOf, checkModel, commandFor, instanceOf, modelFiles, writeModelFile } from './models.ts'
import { parseOptions, read } from './options.ts'

const HELP = `npm run check:all -- [options] [ALGORITHM…]
  ALGORITHM  whose models are checked, by its whole name; default all
  --update   write the records
  --missing  with --update: only those that are not there yet
`

const files = modelFiles()
const { values, positionals: only } = read(() => {
  const given = parseOptions({
    allowPositionals: true,
    options: { update: { type: 'boolean' }, missing: { type: 'boolean' }, help: { type: 'boolean' } },
  })
  const stray = given.positionals.find((name) => files.every(({ algorithm }) => algorithm !== name))
  if (stray !== undefined) throw new InvalidInput(`"${stray}" is not an algorithm with models`)
  return given
})
if (values.help === true) {
  process.stdout.write(HELP)
  process.exit(0)
}
const { update = false, missing = false } = values
let different = 0
for (const file of files.filter(({ algorithm }) => only.length === 0 || only.includes(algorithm))) {
  const algorithm = algorithmOf(file)
  const models = file.models.map((model) => {
    if (missing && model.expected !== undefined) return model
    const started = performance.now()
    const { expected } = checkModel(instanceOf(algorithm, model))
    const same = JSON.stringify(expected) === JSON.stringify(model.expected)
    if (!same) different += 1
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const verdict =
      expected.fails === undefined ? 'holds' : `${expected.fails} fails after ${expected.length} steps`
    const note = same ? '' : update ? '  (written)' : `  DIFFERS from ${JSON.stringify(model.expected)}`
    process.stdout.write(
      `${commandFor(file.algorithm, model).padEnd(80)} ${verdict}, ${expected.states} states, ${seconds} s${note}\n`,
    )
    return { ...model, expected }
  })
  if (update) writeModelFile({ ...file, models })
}
process.stdout.write(`${different} ${update ? 'written' : 'different'}\n`)
if (different > 0 && !update) process.exit(1)
const unrecorded = modelFiles().filter(({ models }) => models.some(({ expected }) => expected === undefined))
if (unrecorded.length === 0) writeFileSync(new URL('../docs/models.md', import.meta.url), modelTables())
else {
  const names = unrecorded.map(({ algorithm }) => algorithm).join(' ')
  process.stdout.write(`docs/models.md is not written: no record yet of ${names} (--update writes them)
`)
}
