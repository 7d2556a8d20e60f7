import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { postgresFolder } from '../src/engines.ts'

test('PostgreSQL is the latest server that is installed; its client alone has a folder of the same name', () => {
  const root = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const install = (version: string, program: string) => {
    mkdirSync(path.join(root, version, 'bin'), { recursive: true })
    writeFileSync(path.join(root, version, 'bin', program), '')
  }
  expect(() => postgresFolder(path.join(root, 'none'))).toThrow('apt-get install postgresql')
  install('17', 'psql')
  expect(() => postgresFolder(root)).toThrow('apt-get install postgresql')
  install('9.6', 'postgres')
  install('15', 'postgres')
  expect(postgresFolder(root)).toBe(path.join(root, '15', 'bin'))
})
