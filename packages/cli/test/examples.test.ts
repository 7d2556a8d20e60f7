/** The examples, run as a reader runs them: what each claims is in what it prints. */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { atLeast } from '../../../test/present.ts'

const folder = fileURLToPath(new URL('../../../examples', import.meta.url))

/** Rejects, with all that was printed, if it does not end with 0. */
async function linesOf(example: string): Promise<string[]> {
  // So long that only who is killed or stopped loses its lock, however busy the machine is.
  const env = { ...process.env, EXAMPLE_LEASE: '5000' }
  const { stdout } = await promisify(execFile)(process.execPath, [`${folder}/${example}.mjs`], { env })
  return stdout.trimEnd().split('\n')
}

/** What the pattern's groups found, in each line that it fits. */
function found(lines: readonly string[], pattern: RegExp): string[][] {
  return lines.flatMap((line) => {
    const match = pattern.exec(line)
    return match === null ? [] : [match.slice(1)]
  })
}

function isRising(fences: readonly string[]): boolean {
  return fences.every((fence, i) => i === 0 || BigInt(fence) > BigInt(get(fences, i - 1)))
}

const EXAMPLES: Readonly<Record<string, (lines: readonly string[]) => void>> = {
  'cost-of-a-turn': (lines) => expect(lines[0]).toMatch(/^raymond: [\d.]+ messages per entry/),

  'check-an-algorithm': (lines) => {
    expect(lines.slice(0, 2)).toEqual([
      '936 states, all properties hold',
      'exclusion fails: nodes 0, 1 are inside together',
    ])
    expect(lines.join('\n')).toContain('VIOLATION exclusion')
  },

  'explore-a-protocol': (lines) => {
    expect(lines[0]).toBe('looks, then says: 8 states')
    expect(lines.slice(1, 6)).toHaveLength(5)
    expect(lines[5]).toBe('both are inside')
    expect(lines.at(-1)).toBe('says, then looks: 8 states')
  },

  tenants: (lines) =>
    expect(lines).toEqual([
      expect.stringMatching(/^102 reports, the small tenant was served by number [3-8]$/),
    ]),
  'job-in-a-lock': (lines) =>
    expect(lines).toEqual([
      expect.stringMatching(/^"invoices": job 4711 is inside, for \d+ ms$/),
      '"invoices": job 4712 waits',
    ]),

  stock: (lines) =>
    expect(lines).toEqual(['4 halls were busy together; the third order came after the first: true']),

  'long-wait': (lines) =>
    expect(lines).toEqual([
      '"disk": the backup is inside, 1 wait before me',
      'the scan is inside',
      'inside at last',
    ]),

  'rolling-update': (lines) =>
    expect(lines).toEqual([
      'order 2 goes elsewhere: InvalidStateError, node alone is leaving',
      'order 1 is paid',
      'left',
    ]),

  transfer: (lines) => expect(lines).toEqual(['alice has 115, bob has 85: nobody waits for ever']),

  update: (lines) =>
    expect(lines).toEqual([
      'a visitor sees 3 apples',
      'anna buys 2',
      'ben finds too few',
      'carla buys 1',
      '0 are left',
    ]),

  publish: (lines) =>
    expect(lines).toEqual([
      'anna reads the first edition',
      'ben reads the first edition',
      'proofread: the first edition',
      'at last: the second edition',
    ]),

  deadlock: (lines) => {
    expect(lines.filter((line) => line.endsWith(': done')).toSorted()).toEqual([
      'alice to bob: done',
      'bob to alice: done',
    ])
    const circles = found(lines, /: deadlock: (.*)$/).map(([circle = '']) => circle.split('; ').toSorted())
    expect(circles[0]).toEqual([
      'alone "alice to bob" holds "alice" and waits for "bob"',
      'alone "bob to alice" holds "bob" and waits for "alice"',
    ])
  },

  'mesh-of-one': (lines) => expect(lines).toEqual(['321 cents: nobody overwrote anybody']),

  directory: (lines) => {
    const at = lines.findIndex((line) => line.includes('is killed'))
    const before = found(lines.slice(0, at), /^process (\d+) holds the lock, fence (\d+)$/)
    const after = found(lines.slice(at), /^process (\d+) holds the lock, fence (\d+)$/)
    const dead = before.at(-1)?.[0]
    expect(lines[at]).toBe(`process ${dead} is killed while it holds the lock`)
    expect(new Set(before.map(([pid]) => pid)).size).toBe(3)
    expect(after).toHaveLength(10)
    expect(after.map(([pid]) => pid)).not.toContain(dead)
    expect(isRising([...before, ...after].map((each) => get(each, 1)))).toBe(true)
    expect(found(lines, /^the next was inside (\d+) ms later$/)).toHaveLength(1)
  },

  daemon: (lines) => {
    const turns = found(lines, /^process (\d+) counts (\d+), fence (\d+)$/)
    expect(new Set(turns.map(([pid]) => pid)).size).toBe(10)
    // Each prints while it is inside, but ten pipes come in any order.
    const inOrder = turns.toSorted(([, one], [, other]) => Number(one) - Number(other))
    expect(isRising(inOrder.map((each) => get(each, 2)))).toBe(true)
    expect(lines.at(-1)).toBe('the counter is 10')
  },

  'three-processes': (lines) => {
    const turns = found(lines, /^([abc]) holds the lock, fence (\d+)$/)
    const [[dead]] = atLeast(1, found(lines, /^([abc]) is killed while it holds the lock$/))
    expect(turns).toHaveLength(20)
    expect(get(turns, 9)[0]).toBe(dead)
    expect(turns.slice(10).map(([id]) => id)).not.toContain(dead)
    expect(isRising(turns.map((each) => get(each, 1)))).toBe(true)
  },

  'once-per-cluster': (lines) => {
    const runs = found(lines, /^time (\d): ([abc]) makes the report$/)
    expect(runs.map(([time]) => time)).toEqual(['1', '2', '2', '3'])
    // Who makes it the second time is killed.
    expect(get(runs, 2)[1]).not.toBe(get(runs, 1)[1])
    const idle = found(lines, /^time (\d): [abc] finds it made$/).map(([time]) => time)
    expect(idle.toSorted()).toEqual(['1', '1', '2', '3'])
  },

  'fenced-counter': (lines) => {
    const [[stopped]] = atLeast(1, found(lines, /^([abc]) has read 0, and is stopped$/))
    expect(found(lines, /^([abc]) writes (\d+) .* refused$/)).toEqual([[stopped, '1']])
    expect(lines).toContain(`${stopped} hears: "counter" is lost: the lease ended before it was renewed`)
    const written = found(lines, /^([abc]) writes (\d+) with fence (\d+): written$/)
    expect(written.map(([, count]) => Number(count))).toEqual(written.map((_, i) => i + 1))
    expect(isRising(written.map((each) => get(each, 2)))).toBe(true)
    expect(written.at(-1)?.[0]).toBe(stopped)
  },

  leader: (lines) => {
    const leaders = found(lines, /^([abc]) leads, fence (\d+)$/)
    expect(isRising(leaders.map((each) => get(each, 1)))).toBe(true)
    const [first, second, third] = leaders.map(([id]) => id)
    expect(new Set([first, second, third]).size).toBe(3)
    expect(lines).toContain(`${second} is killed`)
    const seen = found(lines, /^([abc]) has resigned, and sees ([abc])$/)
    expect(seen.every(([by]) => by === first)).toBe(true)
    expect([...new Set(seen.map(([, leader]) => leader))]).toEqual([second, third])
  },

  'readers-and-writer': (lines) => {
    const inside = lines.map((line) => line.replace('inside: ', '').split(', ').toSorted().join())
    expect(inside).toContain('a,b,c')
    expect(inside.filter((names) => names.includes('writer')).every((names) => names === 'writer')).toBe(true)
    expect(inside.filter((names) => names === 'writer').length).toBeGreaterThanOrEqual(3)
  },
}

/** Each starts several processes: `directory` shows that this works. */
const MANY = new Set([
  'daemon',
  'three-processes',
  'once-per-cluster',
  'fenced-counter',
  'leader',
  'readers-and-writer',
])

for (const [example, check] of Object.entries(EXAMPLES)) {
  test(example, MANY.has(example) ? LONG : {}, async () => check(await linesOf(example)))
}

const files = readdirSync(folder).filter((file) => file.endsWith('.mjs'))

test.each(files)('%s has at most 30 lines', (file) => {
  expect(readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(30)
})

test('every example is here', () => {
  expect(files.map((file) => basename(file, '.mjs')).toSorted()).toEqual(Object.keys(EXAMPLES).toSorted())
})
