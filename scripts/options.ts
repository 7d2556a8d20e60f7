/** Options of scripts. If one cannot be used, the script says so in one line and ends with 2. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'

export function parseOptions<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new InvalidInput(error instanceof Error ? error.message : String(error), { cause: error })
  }
}

/** Runs a script. `expected`: another kind of error that is told in one line. */
export async function run(
  script: () => Promise<void> | void,
  expected: new (...args: never) => Error = InvalidInput,
): Promise<void> {
  try {
    await script()
  } catch (error) {
    if (!(error instanceof InvalidInput || error instanceof expected)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 2
  }
}

/** As `run`, for what a script needs before all else. */
export function read<Value>(option: () => Value): Value {
  try {
    return option()
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

/** Reads `7` or `1..1000`. */
export function seedsFrom(text: string): readonly [first: number, last: number] {
  const [, from = text, to = from] = /^(.*?)\.\.(.*)$/.exec(text) ?? []
  const first = wholeNumber(from, 'a seed', 0)
  return [first, wholeNumber(to, 'the last seed', first)]
}
