import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { copyState, empty, fill } from '../src/disks.ts'

const root = mkdtempSync(join(tmpdir(), 'turnwise-disks-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function directory(name: string, state: string): string {
  const path = join(root, name)
  mkdirSync(path)
  writeFileSync(join(path, 'state'), state)
  return path
}

test('a copy takes the place of what was there; what is not there is not copied', () => {
  const [a, b] = [directory('a', 'of a'), directory('b', 'of b')]
  writeFileSync(join(b, 'more'), '')
  expect(copyState(a, b)).toBe(true)
  expect(readFileSync(join(b, 'state'), 'utf8')).toBe('of a')
  expect(existsSync(join(b, 'more'))).toBe(false)
  expect(copyState(join(root, 'nowhere'), a)).toBe(false)
  expect(readFileSync(join(a, 'state'), 'utf8')).toBe('of a')
})

const reason = process.platform === 'linux' ? null : ' (skipped: there is no /dev/full here)'

test.skipIf(reason !== null)(
  `a full disk takes nothing until there is room again${reason ?? ''}`,
  async () => {
    const path = directory('c', 'of c')
    await fill(path)
    expect(() => writeFileSync(join(path, 'state.new'), 'x')).toThrow(/ENOSPC/)
    empty(path)
    writeFileSync(join(path, 'state.new'), 'x')
    expect(readFileSync(join(path, 'state'), 'utf8')).toBe('of c')
  },
)
