/**
 * `npm run check:all` checks every model, compares it with its record and writes the tables of the records; with
 * `-- --update` it first writes the records (with `--missing` too, only those that are not there yet).
 */
import { writeFileSync } from 'node:fs'
import { modelTables } from './docs/model-tables.ts'
import { algorithmOf, checkModel, commandFor, instanceOf, modelFiles, writeModelFile } from './models.ts'

const update = process.argv.includes('--update')
const onlyMissing = process.argv.includes('--missing')
/** Names after the flags restrict the work to these algorithms. */
const only = process.argv.slice(2).filter((word) => !word.startsWith('--'))
let different = 0
for (const file of modelFiles().filter(({ algorithm }) => only.length === 0 || only.includes(algorithm))) {
  const algorithm = algorithmOf(file)
  const models = file.models.map((model) => {
    if (onlyMissing && model.expected !== undefined) return model
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
