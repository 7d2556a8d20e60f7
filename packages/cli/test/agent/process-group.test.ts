/** The processes of a command: when nothing of them runs any more. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { isRunning, ProcessGroup } from '../../src/agent/process-group.ts'

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
