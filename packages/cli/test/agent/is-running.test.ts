/** Who of a process group still lives, also where /proc does not show everybody. */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { program } from '../../../../test/program.ts'
import { isRunning } from '../../src/agent/is-running.ts'
import { Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())
afterEach(() => vi.restoreAllMocks())

/** Its first thread ends, and another goes on. The number of the call differs between processors. */
const HEADLESS = `import ctypes, threading, time
threading.Thread(target=lambda: [time.sleep(0.01) for _ in iter(int, 1)]).start()
print('ready', flush=True)
ctypes.CDLL(None).syscall(${process.arch === 'arm64' ? 93 : 60}, 0)`

const hasPython = process.platform === 'linux' && spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)(
  'a process runs as long as one of its threads does, though its first one has ended',
  async () => {
    const { pid = 0, stdout } = spawn('python3', ['-c', HEADLESS], { detached: true })
    await once(stdout, 'data')
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain(') Z ')
    expect(isRunning(pid)).toBe(true)
    process.kill(-pid, 'SIGKILL')
    await expect.poll(() => isRunning(pid)).toBe(false)
  },
)

describe('a group of which the system says that it has processes', () => {
  const GROUP = 70
  const others = { 1: 'S 1', 80: 'S 80' }
  let count = 0

  /** State and group of each process that it shows; null for one that may not be looked at. */
  function procWith(
    processes: Readonly<Record<number, string | null>>,
    { numbers = '99', mounts = ['proc proc rw'] } = {},
  ): string {
    count += 1
    const proc = place.path(`proc-${count}`)
    for (const [id, shown] of Object.entries(processes)) {
      mkdirSync(`${proc}/${id}/${shown === null ? 'stat' : ''}`, { recursive: true })
      const [state, group] = shown?.split(' ') ?? []
      const rest = Array.from({ length: 14 }, () => '0').join(' ')
      if (shown !== null)
        writeFileSync(`${proc}/${id}/stat`, `${id} (a) b) ${state} 1 ${group} ${rest} 1 0 ${id}7 0`)
    }
    mkdirSync(`${proc}/self`)
    writeFileSync(`${proc}/self/status`, `Name:\tnode\nNSpid:\t${numbers}\nThreads:\t7\n`)
    const lines = mounts.map((mount, i) => `${20 + i} 1 0:${i} / ${proc} rw,nosuid shared:5 - ${mount}\n`)
    writeFileSync(`${proc}/self/mountinfo`, `9 1 8:1 / / rw - ext4 /dev/x rw\n${lines.join('')}`)
    return proc
  }

  const dead = { ...others, 71: `Z ${GROUP}`, 72: `X ${GROUP}` }

  test.each([
    ['all are dead', procWith(dead), false],
    ['one lives', procWith({ ...dead, 73: `D ${GROUP}` }), true],
    ['none is shown', procWith(others), true],
    ['one process may not be looked at', procWith({ ...dead, 73: null }), true],
    ['those of other users are hidden', procWith(dead, { mounts: ['proc proc rw,hidepid=invisible'] }), true],
    ['the same in the words of older systems', procWith(dead, { mounts: ['proc proc rw,hidepid=2'] }), true],
    [
      'one of two mounts hides',
      procWith(dead, { mounts: ['proc proc rw,hidepid=noaccess', 'proc proc rw'] }),
      true,
    ],
    [
      'it is mounted twice and hides nothing',
      procWith(dead, { mounts: ['proc proc rw', 'proc p rw'] }),
      false,
    ],
    ['it is a disk', procWith(dead, { mounts: ['tmpfs tmpfs rw'] }), true],
    ['nothing is mounted there', procWith(dead, { mounts: [] }), true],
    ['it has the numbers of an outer namespace', procWith(dead, { numbers: '4711\t99' }), true],
    ['there is no /proc', place.path('none'), true],
  ])('%s', (_, proc, expected) => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
    expect(isRunning(GROUP, proc)).toBe(expected)
    // All that are there belong to other users.
    kill.mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    })
    expect(isRunning(GROUP, proc)).toBe(expected)
    expect(kill).toHaveBeenCalledWith(-GROUP, 0)
  })

  test('one that died while we looked may have started another', async () => {
    vi.spyOn(process, 'kill').mockReturnValue(true)
    const proc = procWith({ ...dead, 80: null })
    // The first look has its list before it reads this, and ends after the process has started.
    const slow = `cd ${proc}; rmdir 80/stat; mkfifo 80/stat; echo ready; exec 3>80/stat
      mkdir 74; cp 71/stat 74/stat; rm 80/stat; cp 1/stat 80/stat; cat 1/stat >&3`
    const { stdout } = spawn('/bin/sh', ['-c', slow])
    await once(stdout, 'data')
    expect(isRunning(GROUP, proc)).toBe(true)
  })
})

/** A proc file system that hides, mounted beside one that does not: before Linux 5.8 all had the same options. */
const TRIAL = `mount -t proc -o hidepid=2 proc /proc && mount -t proc proc /sys && setpriv --version &&
  ! grep ' /sys .*hidepid' /proc/self/mountinfo`
const NAMESPACES = ['--mount', '--pid', '--fork']

function whyNotBesideOthers(): string | null {
  if (process.platform !== 'linux') return 'only Linux has it'
  if (process.getuid?.() !== 0) return 'only root can be two users'
  const { status, error, stderr } = spawnSync('unshare', [...NAMESPACES, 'sh', '-c', TRIAL], {
    encoding: 'utf8',
  })
  return status === 0 ? null : (error?.message ?? `unshare: ${stderr.trim()}`)
}

const why = whyNotBesideOthers()

test.skipIf(why !== null)(
  `a hidden process of another user beside a dead one of ours runs${why === null ? '' : ` (skipped: ${why})`}`,
  async () => {
    const script = await program(new URL('./beside-others.ts', import.meta.url))
    const { stdout } = await promisify(execFile)('unshare', [
      ...NAMESPACES,
      process.execPath,
      script,
      place.directory,
    ])
    const bothDead = { all: false, invisible: true, noaccess: true, outer: true }
    expect(JSON.parse(stdout)).toEqual({ oneLives: { ...bothDead, all: true }, bothDead })
  },
)
