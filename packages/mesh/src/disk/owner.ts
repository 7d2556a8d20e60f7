/**
 * Which node a state directory belongs to. Its promises and sessions belong to one node in one place. A second process with a
 * copy would end the first one's session by a higher number (R19), while the first one still holds its locks.
 */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Durable } from '../protocol/record.ts'
import { type Check, fields, text } from '../transport/checks.ts'

export interface Owner {
  readonly id: string
  readonly mesh: string
  /** The path of the directory when it was written. */
  readonly directory: string
  /** Identifies the directory on its machine. A copy or a restored directory has another fingerprint. */
  readonly fingerprint: string
}

export const ownerCheck: Check<Owner> = fields<Owner>({
  id: text(1, 255),
  mesh: text(0, 255),
  directory: text(1, 4096),
  fingerprint: text(1, 64),
})

export async function ownerOf(id: string, mesh: string, directory: string): Promise<Owner> {
  const machine = await readFile('/etc/machine-id', 'utf8').catch(() => '')
  const { ino } = await stat(directory, { bigint: true })
  const fingerprint = createHash('sha256').update(`${machine.trim()} ${ino}`).digest('hex').slice(0, 16)
  return { id, mesh, directory, fingerprint }
}

/** What is wrong if `here` opens what `there` wrote, or null. */
export function complaintOf(durable: Durable, there: Owner | null, here: Owner): string | null {
  // For directories older than owners: the record names the node of this voter.
  const id = there?.id ?? idIn(durable)
  if (id !== null && id !== here.id)
    return `it belongs to node ${JSON.stringify(id)}, not to node ${JSON.stringify(here.id)}`
  if (there !== null && there.mesh !== here.mesh)
    return `it belongs to the mesh ${JSON.stringify(there.mesh)}, not to ${JSON.stringify(here.mesh)}`
  return null
}

function idIn({ voterId, accepted }: Durable): string | null {
  if (accepted === null) return null
  const { voters, oldVoters, members } = accepted
  const voter = [...voters, ...(oldVoters ?? [])].find((each) => each.voterId === voterId)
  return (voter ?? members.find(({ session }) => session.voterId === voterId))?.id ?? null
}

/** Whether this is not the directory that was written: it was copied, moved to another file system, or restored. */
export function isElsewhere(there: Owner | null, here: Owner): there is Owner {
  return there !== null && there.fingerprint !== here.fingerprint
}

/** Whether two paths lead to one directory. */
export async function isSamePlace(a: string, b: string): Promise<boolean> {
  const identity = (path: string) => stat(join(path, '.'), { bigint: true })
  const [one, other] = await Promise.all([identity(a), identity(b)])
  return one.dev === other.dev && one.ino === other.ino
}
