/** The first start of three daemons, of which one does not come: who is missing is said, and by everybody who is asked. */

import { freeAddresses } from '@turnwise/fleet/ports'
import { DEADLINE_MS } from '@turnwise/fleet/program'
import type { NodeStatus } from '@turnwise/mesh/daemon/control-messages'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { Workplace } from './processes.ts'

const place = new Workplace()
afterAll(() => place.clear())

const WHY = 'the first view needs every voter (a, b, c), and c is missing'

test('two of three', async () => {
  const peers = await freeAddresses(['a', 'b', 'c'])
  // The third has it from its environment alone.
  const secret = 'of all who are in this mesh'
  vi.stubEnv('TURNWISE_SECRET', secret)
  onTestFinished(() => void vi.unstubAllEnvs())
  const start = (id: string) => {
    const own = id === 'c' ? {} : { secret }
    const common = { peers, stateDir: id, lease: 3000, firstStart: true }
    return place.start('node', '--config', place.write(`${id}.json`, { id, ...common, ...own }))
  }
  const status = (id: string, ...options: string[]) =>
    place.run('status', '--config', place.path(`${id}.json`), ...options)
  const [a, b] = [start('a'), start('b')]
  const trouble = /"trouble":\["the first view needs every voter \(a, b, c\), and c is missing"\]/
  // Each look at a status is a process.
  await Promise.all([a.says(trouble), b.says(trouble)])
  for (const id of ['a', 'b']) {
    let seen: NodeStatus | null = null
    const deadline = performance.now() + DEADLINE_MS
    while (seen?.trouble[0] !== WHY && performance.now() < deadline) {
      const { code, out } = await status(id, '--json')
      // In its first moments nobody listens yet.
      if (code === 0) seen = JSON.parse(out) as NodeStatus
    }
    expect(seen).toMatchObject({ id, joined: false, epoch: null, missing: ['c'], trouble: [WHY] })
  }
  const { out } = await status('a')
  expect(out).toContain(`view not joined yet; lease not valid\n${WHY}\n`)
  expect(out).toMatch(/^a \(this\) +– +voter +there$/m)
  expect(out).toMatch(/^b +– +voter +there$/m)
  expect(out).toMatch(/^c +– +voter +missing$/m)
  expect(await status('a', '--ready')).toMatchObject({
    code: 75,
    out: '',
    err: `turnwise: not ready: ${WHY}\n`,
  })
  start('c')
  await a.says(/"event":"joined"/)
  await a.says(/"event":"trouble over"/)
  await expect.poll(() => status('a', '--ready')).toEqual({ code: 0, out: '', err: '' })
}, 120_000)
