/** Where the nodes of `turnwise up` record what they see of each lock. */
import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { reasonOf } from '../terminal/input.ts'

/** `turnwise up` records in a directory that is empty: what another run left there would be taken for this one's. */
export function requireEmpty(path: string): void {
  let entries: string[] = []
  try {
    entries = readdirSync(path)
    // The nodes would end one by one if they could not write there.
    rmdirSync(mkdtempSync(join(path, 'try-')))
  } catch (error) {
    throw new InvalidInput(`cannot record in "${path}": ${reasonOf(error)}`, { cause: error })
  }
  if (entries.length > 0) throw new InvalidInput(`"${path}" is not empty: name a new or an empty directory`)
}

/** Where a node of `turnwise up` records a lock; started again, it goes on in a file with a number at its end. */
export function recordFile(directory: string, name: string, id: string): string {
  return join(directory, `${name}.${id}.trace`)
}

export function recordFiles(directory: string, name: string): readonly string[] {
  return readdirSync(directory)
    .filter((file) => file.startsWith(`${name}.`))
    .toSorted()
    .map((file) => join(directory, file))
}
