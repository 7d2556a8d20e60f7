import { expect, test } from 'vitest'
import { hostComplaint } from '../../src/cli/host.ts'

const NODE = { node: '20.19.0' }

test('what needs a Unix system says so on Windows, in one line', () => {
  const windows = { platform: 'win32', versions: NODE }
  for (const command of ['node', 'lock', 'lead', 'status', 'locks', 'metrics', 'up', 'torture'])
    expect(hostComplaint(command, windows)).toMatch(new RegExp(`^${command} needs a Unix system.*$`))
  for (const command of ['simulate', 'check', 'compare', 'keys', 'replay', 'quorum'])
    expect(hostComplaint(command, windows)).toBeNull()
})

test('judges of processes need a clock that processes share', () => {
  expect(hostComplaint('up', { platform: 'linux', versions: { ...NODE, bun: '1.4.4' } })).toContain(
    'needs Node',
  )
  expect(hostComplaint('torture', { platform: 'linux', versions: { ...NODE, deno: '2.9.5' } })).toContain(
    'needs Node',
  )
  expect(hostComplaint('lock', { platform: 'linux', versions: { ...NODE, bun: '1.4.4' } })).toBeNull()
  expect(hostComplaint('up', { platform: 'darwin', versions: NODE })).toBeNull()
})
