/** A directory in which the processes of one user on one machine may meet, or one line that says why not. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type DiskFacts, diskFacts, whyShared } from '../disk/shared-disk.ts'
import { makeDirectory } from '../disk/state-directory.ts'
import { codeOf } from '../disk/witness.ts'

/** What the system says about the directory. Tests replace it. */
export interface DirectoryFacts extends DiskFacts {
  readonly uid: number
  stat(path: string): Promise<{ readonly uid: number; readonly mode: number }>
}

export const realFacts: DirectoryFacts = {
  ...diskFacts,
  uid: process.getuid?.() ?? 0,
  stat,
}

/** Makes it, for this user only, if it does not exist. Returns its absolute path. */
export async function localDirectory(path: string, facts: DirectoryFacts = realFacts): Promise<string> {
  const directory = resolve(path)
  const refuse = (why: string, cause?: unknown) => refusal(directory, why, cause)
  if (facts.platform === 'win32') throw refuse('Windows has no sockets in directories')
  try {
    await makeDirectory(directory)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error), error)
  }
  const { uid, mode } = await facts.stat(directory)
  if (uid !== facts.uid) throw refuse(ofAnother(uid, facts))
  if ((mode & 0o022) !== 0) {
    const given = (mode & 0o777).toString(8)
    throw refuse(`others may write there, its mode is ${given}: chmod go-w ${directory}`)
  }
  const shared = await whyShared(directory, facts)
  if (shared !== null) throw refuse(shared)
  return directory
}

/** Why a directory cannot be read, in the words that a process which meets there would get. */
export async function unreadable(
  directory: string,
  error: unknown,
  facts: DirectoryFacts = realFacts,
): Promise<InvalidInput> {
  if (codeOf(error) === 'ENOTDIR') return refusal(directory, `${directory} is not a directory`, error)
  const uid = await facts.stat(directory).then(
    (found) => found.uid,
    () => facts.uid,
  )
  if (uid !== facts.uid) return refusal(directory, ofAnother(uid, facts), error)
  return refusal(directory, error instanceof Error ? error.message : String(error), error)
}

function refusal(directory: string, why: string, cause?: unknown): InvalidInput {
  return new InvalidInput(`processes cannot meet in the directory ${directory}: ${why}`, { cause })
}

function ofAnother(uid: number, facts: DirectoryFacts): string {
  return `it belongs to user ${uid}, but this process is user ${facts.uid}`
}
