/**
 * Whether anything of a process group can still act. A lock may be released only when nothing can.
 *
 * The system says whether a group has processes, but it counts the dead that nobody has buried yet, and some programs never bury theirs.
 * Only /proc tells the dead from the living. It may hide the processes of other users (`hidepid`), or show those of another namespace. So
 * a group counts as dead only if /proc hides nothing from us, and shows that each of its processes is dead.
 */
import { readdirSync, readFileSync } from 'node:fs'

export function isRunning(group: number, proc = '/proc'): boolean {
  try {
    process.kill(-group, 0)
  } catch (error) {
    // EPERM: there are some, and all belong to other users.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  try {
    const dead = deadOf(group, proc)
    if (dead === null || !showsAll(proc)) return true
    // A process that lived when we listed it may have started another and died before we looked. The second list has that one.
    return deadOf(group, proc) !== dead
  } catch {
    // No /proc, one of another system, or a process that ended while we looked or may not be looked at.
    return true
  }
}

/** Which processes of the group are dead; null if one lives, or none is shown. Throws if one cannot be looked at. */
function deadOf(group: number, proc: string): string | null {
  const dead: string[] = []
  for (const id of readdirSync(proc).filter((name) => /^\d+$/.test(name))) {
    const text = readFileSync(`${proc}/${id}/stat`, 'utf8')
    // The name of the program, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (Number(fields[GROUP]) !== group) continue
    // The state is that of the first thread. Others may outlive it, for example in a call of the system that cannot be interrupted.
    if (!['Z', 'X'].includes(fields[0] ?? '') || Number(fields[THREADS]) > 1) return null
    dead.push(`${id} since ${fields[START]}`)
  }
  return dead.length === 0 ? null : dead.join()
}

/** Fields of proc_pid_stat(5), counted from the state. */
const GROUP = 2
const THREADS = 17
const START = 19

/** Whether it has all processes of our namespace. Throws where the system does not tell. */
function showsAll(proc: string): boolean {
  // One number for each namespace from that of /proc to ours.
  const isOfOurNamespace = /^NSpid:\s+\d+$/m.test(readFileSync(`${proc}/self/status`, 'utf8'))
  // Another may be mounted over one that hides nothing, or below one.
  const mounts = readFileSync(`${proc}/self/mountinfo`, 'utf8')
    .split('\n')
    .filter((line) => line.split(' ')[4] === proc)
    .map((line) => line.split(' - ')[1] ?? '')
  return (
    isOfOurNamespace &&
    mounts.length > 0 &&
    mounts.every((mount) => mount.startsWith('proc ') && !mount.includes('hidepid='))
  )
}
