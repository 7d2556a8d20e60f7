/**
 * Run by is-running.test.ts as root, as the first process of a namespace: a process of root and one of nobody are a group. Tells as JSON
 * whether nobody sees it run: in several proc file systems, when its own process is dead and nobody has buried it, and when both are.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from '@turnwise/core/bounds'
import { isRunning } from '../../src/agent/is-running.ts'

const NOBODY = 65_534
const directory = get(process.argv, 2)

function mounted(name: string, options: string): string {
  const proc = join(directory, name)
  mkdirSync(proc)
  const { status, stderr } = spawnSync('mount', ['-t', 'proc', '-o', options, 'proc', proc])
  if (status !== 0) throw new Error(String(stderr))
  return proc
}

chmodSync(directory, 0o755)
const procs = {
  all: mounted('all', 'rw'),
  invisible: mounted('invisible', 'hidepid=2'),
  noaccess: mounted('noaccess', 'hidepid=1'),
  // As in a namespace of processes in which nobody has mounted it again.
  outer: '/proc',
}

const AS_NOBODY = `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups`
const TWO = `${AS_NOBODY} sh -c 'echo $$; exec sleep 1000' & exec sleep 1000`
const { pid: group = 0, stdout } = spawn('sh', ['-c', TWO], { detached: true })
const [told] = (await once(stdout, 'data')) as [Buffer]
const ours = Number(told)

async function dies(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL')
  const isDead = () => {
    try {
      return readFileSync(`${procs.all}/${pid}/stat`, 'utf8').includes(') Z ')
    } catch {
      return true
    }
  }
  while (!isDead()) await sleep(5)
}

function asNobodySees(): Record<string, boolean> {
  process.setegid?.(NOBODY)
  process.seteuid?.(NOBODY)
  const seen = Object.entries(procs).map(([name, proc]) => [name, isRunning(group, proc)] as const)
  process.seteuid?.(0)
  process.setegid?.(0)
  return Object.fromEntries(seen)
}

process.setgroups?.([])
await dies(ours)
const oneLives = asNobodySees()
await dies(group)
const bothDead = asNobodySees()
process.stdout.write(JSON.stringify({ oneLives, bothDead }))
process.exit()
