/** Commands under locks of processes that meet in a directory: no daemon, no configuration. */
import { readFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'
import { afterAll, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'
import { Workplace } from './processes.ts'

const place = new Workplace()
const directory = place.path('locks')

afterAll(() => place.clear())

function lock(script: string, ...options: readonly string[]): Program {
  return new Program([INSTALLED, 'lock', 'nightly', '--at', directory, ...options, '--', 'sh', '-c', script])
}

test('one command at a time, with fences that rise', { timeout: 180_000 }, async () => {
  const log = place.path('log')
  const script = `echo in $TURNWISE_FENCE >> ${log}; sleep 0.05; echo out $TURNWISE_FENCE >> ${log}`
  // Longer than by default, for a busy machine. The next test waits for a lease, so it has another mesh.
  const all = Array.from({ length: 4 }, () => lock(script, '--mesh', 'patient', '--lease', '6s'))
  expect(await Promise.all(all.map(({ code }) => code))).toEqual([0, 0, 0, 0])
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  const fences = lines.filter((line) => line.startsWith('in')).map((line) => BigInt(line.slice(3)))
  expect(lines).toEqual(fences.flatMap((fence) => [`in ${fence}`, `out ${fence}`]))
  for (const [i, fence] of fences.slice(1).entries()) expect(fence).toBeGreaterThan(get(fences, i))
})

test('a program that is killed ends its command before the next one runs', { timeout: 180_000 }, async () => {
  // A lease for a busy machine: the next one, too, keeps its lock to the end.
  const patient = ['--mesh', 'killed', '--lease', '6s']
  const holder = lock('echo $$; exec sleep 1000', ...patient)
  const [, pid] = await holder.says(/^(\d+)$/m)
  const next = lock(`if kill -0 ${pid} 2> /dev/null; then echo still there; else echo gone; fi`, ...patient)
  holder.kill('SIGKILL')
  await next.says(/gone/)
  expect(await next.code).toBe(0)
})

test('what is taken is told', { ...LONG, timeout: 180_000 }, async () => {
  const holder = lock('echo in; read line')
  await holder.says(/in/)
  const other = lock('true', '--no-wait')
  expect(await other.code).toBe(75)
  expect(other.err).toContain('"nightly" is taken')
  holder.tell('go\n')
  expect(await holder.code).toBe(0)
})

test('a command under its own lock is told that it may wait for itself', { timeout: 180_000 }, async () => {
  const inner = `"${process.execPath}" "${INSTALLED}" lock nightly --at "${directory}" --mesh own --timeout 1s -- true`
  const outer = lock(inner, '--mesh', 'own')
  expect(await outer.code).toBe(75)
  expect(outer.err).toContain(
    'turnwise: this runs under "nightly" (TURNWISE_LOCK). If it is the same lock, it may wait for itself\n',
  )
})
