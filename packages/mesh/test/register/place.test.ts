import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readPlace } from '../../src/register/place.ts'

const ALLOWED =
  'is not a place to meet: ./directory, /directory, file:///directory, postgres://user@host/database or etcd://host:port,host:port/prefix'

describe('a directory', () => {
  test.each([
    ['./locks', './locks'],
    ['../locks', '../locks'],
    ['.', '.'],
    ['/run/locks', '/run/locks'],
    ['file:///run/my%20locks', '/run/my locks'],
  ])('%s', (text, name) => {
    expect(readPlace(text)).toMatchObject({ engine: 'directory', name })
  })

  test('is opened, by its path and by its URL', async () => {
    const root = mkdtempSync(join(tmpdir(), 'tw-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    const one = await readPlace(root).open('mesh')
    const other = await readPlace(pathToFileURL(root).href).open('mesh')
    await one.cas('view', null, '1')
    expect(await other.read('view')).toMatchObject({ value: '1' })
    await Promise.all([one.close(), other.close()])
  })
})

describe('what is no place gets one line', () => {
  test.each(['locks', '', 'localhost:7101', 'http://host/x', 'file:locks', 'mysql://host/x', '~/locks'])(
    '%j',
    (text) => {
      expect(() => readPlace(text)).toThrow(`"${text}" ${ALLOWED}`)
    },
  )

  test('Redis and NATS are told why', () => {
    expect(() => readPlace('redis://host')).toThrow(
      `"redis://host" ${ALLOWED}: a failover of Redis can lose what it acknowledged`,
    )
    expect(() => readPlace('nats://host')).toThrow('a failover of NATS can lose what it acknowledged')
  })

  test.each([
    'mysql://me:hunter2@host/x',
    'redis://:hunter2@host',
    'http://a@b:hunter2@host',
    'x://h?password=hunter2',
  ])('no password: %s', (text) => {
    expect(() => readPlace(text)).toThrow(ALLOWED)
    expect(() => readPlace(text)).not.toThrow('hunter2')
  })
})
