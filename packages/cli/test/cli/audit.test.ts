import { readFileSync, writeFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { joinNode } from '@turnwise/mesh/join'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AtLeast, atLeast } from '../../../../test/present.ts'
import { hasBegun } from '../../src/audit/audit-files.ts'
import { scratch, turnwise } from './in-process.ts'

const files = scratch()
const audit = files.path('a.audit')

beforeAll(async () => {
  const node = await joinNode({ id: 'a', audit: { file: audit } })
  for (const name of ['orders', 'stock', 'orders']) await node.locks.request(name, async () => {})
  await node.leave()
})

/** A copy of the audit in which something is otherwise. */
function altered(name: string, change: (lines: AtLeast<1, string>) => string[]): string {
  const path = files.path(name)
  const lines = atLeast(1, readFileSync(audit, 'utf8').trimEnd().split('\n'))
  writeFileSync(path, change(lines).join('\n'))
  return path
}

describe('turnwise audit', () => {
  test('a node that did what the rules say', async () => {
    const { code, out } = await turnwise(['audit', audit])
    expect(code).toBe(0)
    expect(out).toMatch(
      /node a, \d+ events\n3 holds of 2 names; 0 messages compared at both ends\n\d+ events: every node did what the rules say, and the judges found nothing$/,
    )
  })

  test('an event that was changed is found', async () => {
    const path = altered('changed.audit', (lines) =>
      lines.map((line) =>
        line.replace('"kind":"release","name":"=stock"', '"kind":"release","name":"=orders"'),
      ),
    )
    const { code, out } = await turnwise(['audit', path])
    expect(code).toBe(1)
    expect(out).toMatch(/violated: node a, .*changed\.audit, line \d+: the effects of the node differ/)
  })

  test('two files of one machine in which two hold one lock', async () => {
    const other = altered('b.audit', ([head, ...lines]) => [
      head.replace(/"life":"[^"]*"/, '"life":"another"'),
      ...lines,
    ])
    const { code, out } = await turnwise(['audit', audit, other])
    expect(code).toBe(1)
    expect(out).toMatch(/violated: orders: a alone with fence \d+ from .* they hold it together/)
  })

  test('a file whose last line was not written to its end', async () => {
    const path = altered('torn.audit', (lines) => [...lines.slice(0, 5), get(lines, 5).slice(0, 10)])
    const { code, out } = await turnwise(['audit', path])
    expect(code).toBe(0)
    expect(out).toContain('node a, 4 events; it breaks off in line 6')
  })

  test('a process that is killed at once has not begun its file, and is no matter for `turnwise up`', () => {
    expect(hasBegun(audit)).toBe(true)
    expect(hasBegun(altered('empty.audit', () => []))).toBe(false)
    expect(hasBegun(altered('first.audit', ([head]) => [head.slice(0, 100)]))).toBe(false)
  })

  test('what is no audit is said in one line', async () => {
    const path = altered('no.audit', () => ['{"format":"other"}'])
    expect(await turnwise(['audit', path])).toMatchObject({
      code: 2,
      err: [`turnwise: ${path}: expected an audit that a node wrote (join with audit: { file })`],
    })
    const newer = altered('newer.audit', ([head]) => [head.replace('"version":1', '"version":9')])
    expect((await turnwise(['audit', newer])).err[0]).toMatch(/has version 9; this turnwise reads 1$/)
    const damaged = altered('damaged.audit', ([head]) => [head.replace('"config"', '"gone"')])
    expect((await turnwise(['audit', damaged])).err[0]).toContain('the state of the node cannot be read')
    expect((await turnwise(['audit', files.path('none')])).err[0]).toMatch(
      /cannot read ".*none": no such file/,
    )
  })

  test('a file that is given twice is not judged twice', async () => {
    const copy = altered('copy.audit', (lines) => lines)
    const { code, err } = await turnwise(['audit', audit, copy])
    expect([code, err]).toEqual([2, [`turnwise: ${audit} and ${copy} are the same audit: give it once`]])
  })

  test('--json', async () => {
    const { out } = await turnwise(['audit', '--json', audit])
    expect(JSON.parse(out)).toMatchObject({
      files: [{ id: 'a', part: 0, torn: null, difference: null }],
      holds: 3,
      findings: [],
    })
  })
})

describe('turnwise audit --history', () => {
  test('for Knossos, every operation begins and ends', async () => {
    const path = files.path('history.edn')
    await turnwise(['audit', audit, '--name', 'orders', '--history', path])
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => /:type (:\w+), :f (:\w+)/.exec(line)?.slice(1).join(' '))).toEqual([
      ':invoke :acquire',
      ':ok :acquire',
      ':invoke :release',
      ':ok :release',
      ':invoke :acquire',
      ':ok :acquire',
      ':invoke :release',
      ':ok :release',
    ])
    expect(lines[0]).toMatch(
      /^\{:process 0, :type :invoke, :f :acquire, :value \[:exclusive \d+\], :time 0, :index 0\}$/,
    )
  })

  test('for Porcupine, as operations', async () => {
    const path = files.path('history.json')
    await turnwise(['audit', audit, '--name', 'stock', '--history', path])
    const [acquire, release] = atLeast(
      2,
      JSON.parse(readFileSync(path, 'utf8')) as { Call: number; Return: number }[],
    )
    expect(acquire).toMatchObject({ ClientId: 0, Input: { Op: 'acquire', Mode: 'exclusive' } })
    expect(release.Call).toBeGreaterThanOrEqual(acquire.Return)
  })

  test('needs one name, and a file of a kind that it knows', async () => {
    const { code, err } = await turnwise(['audit', audit, '--history', files.path('both.edn')])
    expect([code, err]).toEqual([2, ['turnwise: --name: expected one of orders, stock for --history']])
    expect((await turnwise(['audit', audit, '--history', 'x.txt'])).err).toEqual([
      'turnwise: --history x.txt: expected a file that ends in .edn or .json',
    ])
    const grouped = files.path('group.audit')
    const node = await joinNode({ id: 'g', audit: { file: grouped } })
    await node.group('halls', ['east', 'west']).request(['east'], () => {})
    await node.leave()
    expect((await turnwise(['audit', grouped, '--history', files.path('group.edn')])).err).toEqual([
      'turnwise: --history: "halls" is a group, and the history is of one lock',
    ])
    const nobody = await turnwise(['audit', audit, '--name', 'x', '--history', files.path('x.edn')])
    expect(nobody.err).toEqual(['turnwise: nobody held "x"'])
  })
})
