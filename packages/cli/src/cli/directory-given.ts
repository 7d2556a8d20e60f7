import { resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { makeDirectory } from '@turnwise/mesh/disk/state-directory'
import { reasonOf } from '../terminal/input.ts'

/** Makes the directory that an option names, for this user only, if it is not there. */
export async function directoryGiven(option: string, path: string): Promise<void> {
  try {
    await makeDirectory(resolve(path))
  } catch (error) {
    throw new InvalidInput(`${option}: cannot make "${path}": ${reasonOf(error)}`, { cause: error })
  }
}
