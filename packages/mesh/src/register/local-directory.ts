/** A directory in which the processes of one user on one machine may meet, or one line that says why not. */
import { stat, statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { makeDirectory } from '../disk/state-directory.ts'

/** File systems that several machines can mount, by their type in statfs(2) on Linux. Those behind FUSE cannot be recognised. */
const SHARED: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9p'],
  [0x00c36400, 'Ceph'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x7461636f, 'OCFS2'],
  [0x01161970, 'GFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x786f4256, 'a folder of VirtualBox'],
  [0xbacbacbc, 'a folder of VMware'],
])

/** What the system says about the directory. Tests replace it. */
export interface DirectoryFacts {
  readonly platform: string
  readonly uid: number
  stat(path: string): Promise<{ readonly uid: number; readonly mode: number }>
  statfs(path: string): Promise<{ readonly type: number }>
}

export const realFacts: DirectoryFacts = {
  platform: process.platform,
  uid: process.getuid?.() ?? 0,
  stat,
  statfs,
}

/** Makes it, for this user only, if it does not exist. Returns its absolute path. */
export async function localDirectory(path: string, facts: DirectoryFacts = realFacts): Promise<string> {
  const directory = resolve(path)
  const refuse = (why: string, cause?: unknown) =>
    new InvalidInput(`processes cannot meet in the directory ${directory}: ${why}`, { cause })
  if (facts.platform === 'win32') throw refuse('Windows has no sockets in directories')
  try {
    await makeDirectory(directory)
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error), error)
  }
  const { uid, mode } = await facts.stat(directory)
  if (uid !== facts.uid) throw refuse(`it belongs to user ${uid}, but this process is user ${facts.uid}`)
  if ((mode & 0o022) !== 0) {
    const given = (mode & 0o777).toString(8)
    throw refuse(`others may write there, its mode is ${given}: chmod go-w ${directory}`)
  }
  const shared = facts.platform === 'linux' ? await sharedName(directory, facts) : undefined
  if (shared !== undefined)
    throw refuse(`it is on ${shared}, which other machines can mount too: use a local disk`)
  return directory
}

async function sharedName(directory: string, facts: DirectoryFacts): Promise<string | undefined> {
  const { type } = await facts.statfs(directory)
  return SHARED.get(type >>> 0)
}
