/**
 * `npm run torture`: `turnwise torture`, as others have it; and with `--mutants`, which is for a clone of the project only,
 * the same done to each broken rule (scripts/torture/mutants.ts).
 */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { main } from '../packages/cli/dist/cli/main.js'
import { tortureMutants } from './torture/mutants.ts'

const args = process.argv.slice(2)
const isMutants = args.includes('--mutants')
process.exitCode = isMutants ? await mutants() : await main(['torture', ...args])

async function mutants(): Promise<number> {
  try {
    return await tortureMutants(args.filter((arg) => arg !== '--mutants'))
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    process.stderr.write(`torture --mutants: ${error.message}\n`)
    return 2
  }
}
