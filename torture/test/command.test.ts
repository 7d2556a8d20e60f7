import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Program } from '@turnwise/fleet/program'
import { beforeAll, describe, expect, test } from 'vitest'
import { outcomeOf, scratch, turnwise } from '../../packages/cli/test/cli/in-process.ts'
import { isLong, isWhole, LONG } from '../../test/extent.ts'
import { serverObstacle } from '../../test/servers.ts'
import { torture } from '../src/command.ts'
import { tortureRule } from '../src/trial.ts'

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const FROM_SOURCES = ['--import', 'tsx', '--conditions=turnwise-source']

/** Where the program makes its directories. */
const temporary = scratch().path('tmp')
beforeAll(() => {
  mkdirSync(temporary)
})

interface Report {
  readonly seed: number
  readonly findings: readonly { readonly judge: string; readonly text: string }[]
}

/** In a process of its own, which is sent SIGINT when it tells what matches `until`. */
async function interrupted(
  line: string,
  until: RegExp,
): Promise<{ code: number; report: Report; err: string }> {
  const program = new Program([...FROM_SOURCES, MAIN, ...line.split(' '), '--json'], {
    env: { TMPDIR: temporary },
  })
  await program.says(until)
  program.kill('SIGINT')
  const code = await program.code
  return { code, report: JSON.parse(program.out) as Report, err: program.err }
}

const refused = async (line: string, complaint: string) =>
  expect(await outcomeOf((terminal) => torture(line.split(' '), terminal))).toEqual({
    code: 2,
    out: '',
    err: [`torture: ${complaint}`],
  })

if (isLong)
  describe('the torture can fail', () => {
    // Which is found first depends on who holds what when a view changes: rounds go on until one is.
    test.each<[rule: string, seed: number]>([
      ...(isWhole ? [['no-table', 2] as [string, number]] : []),
      // In its first round one is stopped inside, for long enough that others are let in.
      ['ignores-loss', 9640],
    ])('with %s its judges find it, and all that is needed to look at it is kept', async (rule, seed) => {
      const directory = mkdtempSync(join(temporary, 'kept-'))
      const { signal } = new AbortController()
      const aim = { nodes: 3, leaseMs: 1000, beginWith: null }
      const { judges, rounds } = await tortureRule(
        rule,
        aim,
        { seed, rounds: 20, ownNamespace: false },
        signal,
        directory,
      )
      expect(judges).toContain('exclusion')
      const traces = join(directory, `round-${rounds}`, 'orders')
      expect(existsSync(join(directory, 'log.jsonl'))).toBe(true)
      const shown = await turnwise(['replay', ...readdirSync(traces).map((file) => join(traces, file))])
      expect(shown.code).toBeLessThan(2)
      expect(shown.out).toContain('lock orders of a, b, c')
    })

    test.each([
      ['ignores-loss', 'directory', 'forgetful'],
      ...(serverObstacle('etcd') === null ? ([['sealed-is-over', 'etcd', 'deaf-holder']] as const) : []),
    ] as const)('with %s at %s too', async (rule, at, beginWith) => {
      const directory = mkdtempSync(join(temporary, 'kept-'))
      const aim = { nodes: 3, leaseMs: 1000, beginWith, at }
      const limits = { seed: 1, rounds: 20, ownNamespace: false }
      const { judges } = await tortureRule(rule, aim, limits, new AbortController().signal, directory)
      expect(judges).toContain('exclusion')
    })
  })

const AT = [' --at directory', ...(serverObstacle('etcd') === null ? [' --at etcd'] : [])]

test.each(['', ...AT])(
  'the user who ends it gets a report all the same, and nothing is left%s',
  LONG,
  async (at) => {
    const { code, report, err } = await interrupted(`--minutes 5 --seed 1 --nodes 3${at}`, /^round 1 /m)
    expect(err).not.toContain('bug')
    expect(code).toBe(130)
    expect(report).toMatchObject({ seed: 1, isCutShort: true, findings: [], directory: null })
    expect(readdirSync(temporary).filter((name) => name.startsWith('turnwise'))).toEqual([])
  },
)

describe('what cannot be meant is refused in one line', () => {
  test.each([
    ['--minutes 0', '--minutes: "0" is not a time in minutes: a number, 0.1 or more, at most 1440'],
    ['--minutes long', '--minutes: "long" is not a time in minutes: a number, 0.1 or more, at most 1440'],
    ['--nodes 2', '--nodes: "2" is not a number of nodes: a whole number, 3 to 9'],
    ['--seed -1', '--seed: "-1" is not a seed: a whole number, 0 or more'],
    ['--lease 100ms', '--lease: "100ms" is not a time from 300 ms to 10.0 s'],
    [
      '--algorithm raymond-k',
      '--algorithm: "raymond-k" cannot serve a mesh: it lets several callers in at a time',
    ],
    ['--security ssl', '--security: "ssl" is not one of none, secret, tls'],
    [
      '--begin-with tea',
      '--begin-with: "tea" is not one of forgetful, blank-proposer, old-copy, estranged, back-at-once, new-voters, half-begun',
    ],
    ['--at tea', '--at: "tea" is not one of directory, postgres, etcd'],
    [
      '--at etcd --begin-with estranged',
      '--begin-with: "estranged" is not one of forgetful, back-at-once, deaf-holder',
    ],
    [
      '--at etcd --security tls',
      '--security: those who meet at a place prove who they are by what is kept there',
    ],
    ['--broken no-table', "unknown option '--broken'; see torture --help"],
    ['--round 9 --minutes 0.1', '--round: "9" is not a round of the schedule: a whole number, 1 to 1'],
    ['--keep /dev/null/x', '--keep: cannot write into "/dev/null/x": not a directory'],
    ['--tempo 3', "unknown option '--tempo'; see torture --help"],
  ])('%s', refused)
})

test('the help tells what decides the schedule, and the exit codes', async () => {
  const { code, out } = await outcomeOf((terminal) => torture(['--help'], terminal))
  expect(code).toBe(0)
  expect(out).toContain(
    'The whole schedule follows from --seed, --at, --minutes, --nodes, --lease and --begin-with.',
  )
  expect(out).toContain('Exit code: 0 no judge found a violation')
})
