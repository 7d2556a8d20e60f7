/** The processes of a command: when nothing of them runs any more. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { afterAll, expect, test, vi } from 'vitest'
import { ProcessGroup } from '../../src/agent/process-group.ts'
import { Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())

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
