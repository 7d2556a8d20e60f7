import { readFileSync } from 'node:fs'
import { type Ended, Program } from '@turnwise/fleet/program'
import { describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'
import { scratch } from './in-process.ts'

const files = scratch()

/** Runs the program; what is `closed` nobody reads, from before it writes. */
function program(args: readonly string[], closed: readonly ('stdout' | 'stderr')[] = []): Promise<Ended> {
  // Where an environment asks for colours, a pipe gets none all the same.
  const running = new Program([INSTALLED, ...args], { env: { CI: '1', FORCE_COLOR: '1' } })
  for (const stream of closed) running.child[stream]?.destroy()
  return running.ended
}

const words = (line: string) => line.split(' ')
const VIOLATION = 'simulate lamport --nodes 3 --load heavy --channels unordered --latency exponential:1'

describe('the program itself', () => {
  test('exit code 0 where all judges are content', async () => {
    const line = 'simulate raymond --nodes 5 --entries 50'
    const { code, out, err } = await program(words(line))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^raymond {2}5 nodes/)
    expect(out).toContain('\nheld: exclusion, progress, fences\n')
  })

  test('exit code 1 where one is not; the warning goes to standard error', async () => {
    const { code, out, err } = await program(words(VIOLATION))
    expect(code).toBe(1)
    expect(out).toContain('\nviolated:\n')
    expect(err).toBe('warning: outside the assumptions of lamport: channels do not keep order\n')
    expect(out).not.toContain('\u001B')
  })

  test.each([
    ['simulate lamport --nodes 0', '--nodes: "0" is not a number of nodes: a whole number, 1 to 10000000'],
    ['simulate lamport --frob', "unknown option '--frob'; see turnwise simulate --help"],
    ['replay none.jsonl', 'TRACE: cannot read "none.jsonl": no such file or directory'],
  ])('exit code 2 and one line, no stack trace: %s', async (line, complaint) => {
    expect(await program(words(line))).toEqual({ code: 2, out: '', err: `turnwise: ${complaint}\n` })
  })

  test('--version', async () => {
    const { code, out } = await program(['--version'])
    expect(code).toBe(0)
    expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test.each(['algorithms', 'explain maekawa', 'compare raymond --nodes 3 --entries 10', VIOLATION])(
    'no colour in a pipe: %s',
    LONG,
    async (line) => {
      const { out, err } = await program(words(line))
      expect(out.length).toBeGreaterThan(100)
      expect(out + err).not.toContain('\u001B')
    },
  )

  test(
    'a run recorded by one process is shown by another, and recorded again byte for byte',
    LONG,
    async () => {
      const [first, second] = [files.path('a.jsonl'), files.path('b.jsonl')]
      const run = words('simulate raymond --nodes 4 --load closed:2 --entries 20 --seed 11 --trace')
      expect((await program([...run, first])).code).toBe(0)
      expect((await program([...run, second])).code).toBe(0)
      expect(readFileSync(second, 'utf8')).toBe(readFileSync(first, 'utf8'))
      const { code, out } = await program(['replay', first])
      expect(code).toBe(0)
      expect(out).toMatch(/^raymond, 4 nodes, seed 11\n/)
    },
  )
})

describe('a reader that goes away (`| head`)', () => {
  test.each([
    ['compare raymond --nodes 3 --entries 20 --json', 0],
    [VIOLATION, 1],
  ])('%s', LONG, async (line, expected) => {
    const { code, err } = await program(words(line), ['stdout'])
    expect(err).not.toMatch(/Error|EPIPE|at .*:\d+/)
    expect(code).toBe(expected)
    // As with `2>&1 | head`.
    expect((await program(words(line), ['stdout', 'stderr'])).code).toBe(expected)
  })
})
