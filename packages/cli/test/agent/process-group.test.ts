/** The processes of a command: when nothing of them runs any more. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import { isRunning, ProcessGroup } from '../../src/agent/process-group.ts'
import { Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())

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

test('a group that is gone gets no signal: its number may be that of others by now', async () => {
  const group = new ProcessGroup(['true'], process.env)
  await group.gone(() => false)
  const kill = vi.spyOn(process, 'kill')
  group.signal('SIGTERM')
  expect(kill).not.toHaveBeenCalled()
  kill.mockRestore()
})

test.skipIf(process.platform !== 'linux')(
  'a command has no child that it did not start: one that waits for all of its children would wait for ever',
  async () => {
    const file = place.path('pid')
    const script = `echo $$ > ${file}.new; mv ${file}.new ${file}; exec sleep 1000`
    const group = new ProcessGroup(['/bin/sh', '-c', script], process.env)
    await expect.poll(() => existsSync(file)).toBe(true)
    expect(childrenOf(Number(readFileSync(file, 'utf8')))).toEqual([])
    group.signal('SIGKILL')
    await group.gone(() => false)
  },
)

/** The numbers of its children, as the system tells them. */
function childrenOf(parent: number): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      const text = /^\d+$/.test(id) ? readFileSync(`/proc/${id}/stat`, 'utf8') : ''
      return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) === parent
    } catch {
      return false
    }
  })
}
