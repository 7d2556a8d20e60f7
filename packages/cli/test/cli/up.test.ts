import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Program } from '@turnwise/fleet/program'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { extent, LONG } from '../../../../test/extent.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'
import type { Happening } from '../../src/cluster/picture.ts'
import { command, expectRefusal, scratch, turnwise } from './in-process.ts'

/** Where the program makes its directories. */
const temporary = scratch().path('tmp')
beforeAll(() => {
  mkdirSync(temporary)
})

/** A test that fails leaves its processes to this. */
const started: Program[] = []
afterEach(() => {
  for (const program of started.splice(0)) program.kill('SIGKILL')
})

/** Starts the built program: its processes are built too. */
function up(line: string, ...more: readonly string[]): Program {
  return upIn({}, line, ...more)
}

function upIn(env: Readonly<Record<string, string>>, line: string, ...more: readonly string[]): Program {
  return start([INSTALLED, 'up', ...line.split(' '), ...more], env)
}

function start(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  file = process.execPath,
): Program {
  const program = new Program(args, { env: { TMPDIR: temporary, ...env }, file })
  started.push(program)
  return program
}

/** The processes that descend from one, as `ps` tells; those of the guard included. */
function descendants(pid: number): number[] {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    rows.filter(([, of]) => of === parent).flatMap(([child = 0]) => [child, ...below(child)])
  return below(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // What has ended but was not yet fetched by its parent is no process any more.
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')
  } catch {
    return false
  }
}

async function expectNothingLeft(pids: readonly number[]): Promise<void> {
  const left = () => [...pids.filter(isAlive), ...readdirSync(temporary)]
  await expect.poll(left, { interval: 50 }).toEqual([])
}

interface Report {
  readonly turns: number
  readonly messages: number
  readonly view: { readonly members: readonly string[] }
  readonly perNode: readonly { readonly id: string; readonly state: string; readonly turns: number }[]
  readonly happenings: readonly Happening[]
  readonly violations: readonly unknown[]
  readonly servedJudged: boolean
}

describe('real processes', () => {
  test('one is killed: the others go on, all judges are content, nothing is left', async () => {
    const program = up('--nodes 3 --names 1 --lease 1s --for 10m --kill b@1s --json')
    await program.says(/view \d+: a b c/)
    const processes = descendants(program.child.pid ?? 0)
    expect(processes).toHaveLength(4)
    // With --json the changes go to standard error.
    await program.says(/b is killed with kill -9/)
    await program.says(/view \d+: .*without b/)
    program.kill('SIGINT')
    const { out } = await program.ended
    const { violations, turns, messages } = JSON.parse(out) as Report
    expect(violations).toEqual([])
    expect(turns).toBeGreaterThan(0)
    expect(messages).toBeGreaterThan(0)
    await expectNothingLeft(processes)
  })

  test('one is killed and started again, one paused, one cut off: all are served', LONG, async () => {
    const schedule = '--kill b@1s-4s --pause c@3s-5s --cut d@4s-6s'
    const { code, out } = await up(`--nodes 5 --lease 1s --for 14s ${schedule} --json`).ended
    const report = JSON.parse(out) as Report
    expect({ code, violations: report.violations }).toEqual({ code: 0, violations: [] })
    expect(report.servedJudged).toBe(true)
    // On a busy machine one may be out of its lease just when it ends.
    expect(report.view.members.length).toBeGreaterThanOrEqual(3)
    expect(report.perNode.every(({ turns }) => turns > 0)).toBe(true)
    const told = report.happenings.map(({ text }) => text).join('\n')
    const killed = ['b is killed with kill -9', 'b is started again']
    const others = ['c is paused', 'c continues', 'd is cut off', 'd can reach the others again']
    for (const said of [...killed, ...others]) expect(told).toContain(said)
  })

  test('a line per change; it says when it ends, and ends by itself', LONG, async () => {
    const program = up('--nodes 3 --names 1 --lease 1s --for 10s --kill a@500ms --algorithm suzuki-kasami')
    const { code, out, err } = await program.ended
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(
      /^3 processes take turns at orders; this ends by itself after 10 s\npage: http:\/\/127.0.0.1:\d+\/#\/live\n/,
    )
    expect(out).toMatch(/^ +\d+\.\d s {2}a is killed with kill -9/m)
    expect(out).toMatch(/^ +\d+\.\d s {2}view \d+: b c, without a$/m)
    expect(out).toMatch(/^suzuki-kasami {2}3 nodes {2}lease 1 s {2}seed 1$/m)
    expect(out).toContain('\nheld: exclusion, fences, everyone served\n')
    expect(out).not.toContain('\u001B')
  })

  test('with latency the report tells how long each zone waits', LONG, async () => {
    const { code, out } = await up('--nodes 3 --names 1 --for 3s --latency three-continents').ended
    expect(code).toBe(0)
    expect(out).toMatch(/^3 processes take turns at orders, latency three-continents; /)
    expect(out).toMatch(/^\d+ turns in \d+\.\d s, \d+\.\d hand-offs\/s, /m)
    expect(out).toMatch(/^zone +nodes +turns +p50 wait +p99 wait\n0 +a +\d+ .*\n1 +b +\d+ .*\n2 +c +\d+ /m)
  })

  test('without a majority nobody is let in, and that is said', LONG, async () => {
    const program = up('--nodes 3 --names 1 --lease 500ms --for 2s --kill a@100ms --kill b@100ms')
    const { code, out } = await program.ended
    expect(code).toBe(0)
    expect(out).toContain('not judged whether everyone was served: 1 of 3 nodes are no majority')
  })

  test('killed from outside, all of them: it ends then, not at the end of its time', LONG, async () => {
    const program = up('--nodes 2 --names 1 --for 10m')
    await program.says(/view \d+: a b/)
    const processes = descendants(program.child.pid ?? 0)
    expect(processes).toHaveLength(3)
    for (const pid of processes) process.kill(pid, 'SIGKILL')
    const { code, out } = await program.ended
    expect(code).toBe(1)
    for (const id of ['a', 'b']) expect(out).toContain(`s  ${id} ended by itself: killed by SIGKILL\n`)
    expect(out).toContain('whether everyone was served: no node is left, and none will be started again')
    await expectNothingLeft(processes)
  })

  test(
    'killed by its own schedule, all of them: it goes on if one is to be started again',
    LONG,
    async () => {
      const kills = '--kill a@0s --kill b@0s'
      const ends = await up(`--nodes 2 --names 1 --for 10m ${kills}`).ended
      expect(ends.code).toBe(0)
      expect(ends.out).toContain('no node is left, and none will be started again')
      const goesOn = await up(`--nodes 2 --names 1 --for 3s ${kills}-1s`).ended
      expect(goesOn.code).toBe(0)
      expect(goesOn.out).toContain('b is started again')
    },
  )

  test('one that ends before the first view: that needs every node, so it ends at once', LONG, async () => {
    const code =
      "if(process.argv[1]?.includes('member')&&process.argv[2]?.includes('stateDir'))process.exit(7)"
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(code)}`
    const { code: exit, out } = await upIn({ NODE_OPTIONS }, '--nodes 2 --names 1 --for 1s').ended
    expect(exit).toBe(1)
    expect(out).toMatch(/^ +0\.0 s {2}[ab] ended by itself: exit code 7$/m)
    expect(out).toMatch(/the first view needs every node, but [ab] ended before it/)
  })

  test('--record keeps what every node saw of every lock, and replay shows it as one run', LONG, async () => {
    const directory = join(temporary, 'run')
    const { code, err } = await up('--nodes 2 --names 2 --for 1s', '--record', directory).ended
    expect([code, err]).toEqual([0, ''])
    const files = readdirSync(directory).toSorted()
    expect(files).toEqual(['invoices.a.trace', 'invoices.b.trace', 'orders.a.trace', 'orders.b.trace'])
    const paths = ['a', 'b'].map((id) => join(directory, `orders.${id}.trace`))
    const replayed = await turnwise(['replay', ...paths])
    expect(replayed.code).toBe(0)
    expect(replayed.out).toContain('lock orders of a, b')
    expect(replayed.out).toMatch(/\d enters|enters \(fence/)
    expect(await turnwise(['up', '--record', directory])).toMatchObject({
      code: 2,
      err: [`turnwise: --record: "${directory}" is not empty: name a new or an empty directory`],
    })
    rmSync(directory, { recursive: true })
  })

  // As people see it: `script` gives the program a terminal, and passes on the keys.
  test.skipIf(!existsSync('/usr/bin/script'))(
    'on a terminal: keys work, and Ctrl-C gives it back',
    LONG,
    async () => {
      const typed = `stty rows 24 cols 80; '${process.execPath}' '${INSTALLED}' up --nodes 3; echo "ended with $?"; stty -a`
      const program = start(['-qec', typed, '/dev/null'], { TERM: 'xterm' }, '/usr/bin/script')
      const { stdin } = program.child
      await program.says(/view \d+: a b c/)
      await program.says(/page: http:\/\/127\.0\.0\.1:\d+\/#\/live/)
      // Time counts from when all have said that they are in the view; before that nobody can be killed.
      await program.says(/\b0:0[1-9]\b/)
      stdin?.write('2')
      await program.says(/▸ 2 b/)
      stdin?.write('k')
      await program.says(/b is killed with kill -9/)
      stdin?.write('\u0003')
      const { out } = await program.ended
      // The screen that was there before, with its cursor, and keys that are echoed again.
      expect(out).toContain('\u001B[?25h\u001B[?1049l')
      expect(out).toContain('ended with 0')
      expect(out).toMatch(/[^-]icanon/)
      expect(out).toMatch(/[^-]echo /)
    },
  )

  test('one alone takes turns with itself', LONG, async () => {
    const { code, out } = await up('--nodes 1 --for 1s').ended
    expect(code).toBe(0)
    expect(out).toContain('held: exclusion, fences, everyone served')
  })

  const SIGNALS = [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const
  test.each(SIGNALS.slice(0, extent(1, 2)))(
    '%s ends all of them, after a report',
    async (signal, expected) => {
      const program = up('--nodes 2 --names 1 --for 10m --pause b@0s')
      await program.says(/b is paused/)
      const processes = descendants(program.child.pid ?? 0)
      expect(processes).toHaveLength(3)
      program.kill(signal)
      const { code, out } = await program.ended
      expect(code).toBe(expected)
      expect(out).toContain('held: exclusion, fences\n')
      await expectNothingLeft(processes)
    },
  )

  test('kill -9 leaves nobody behind either, not even one that is stopped, and no file', async () => {
    const program = up('--nodes 2 --names 1 --for 10m --pause b@0s')
    await program.says(/b is paused/)
    expect(readdirSync(temporary)).toHaveLength(1)
    const processes = descendants(program.child.pid ?? 0)
    expect(processes).toHaveLength(3)
    program.kill('SIGKILL')
    expect(await program.code).toBe(137)
    await expectNothingLeft(processes)
  })
})

describe('what cannot be meant is refused in one line', () => {
  test.each([
    ['--nodes 0', '--nodes: "0" is not a number of nodes: a whole number, 1 to 16'],
    ['--nodes 17', '--nodes: "17" is not a number of nodes: a whole number, 1 to 16'],
    ['--names 9', '--names: "9" is not a number of locks: a whole number, 1 to 8'],
    [
      '--algorithm maekaw',
      '--algorithm: "maekaw" is not an algorithm: did you mean maekawa? turnwise algorithms lists all',
    ],
    [
      '--algorithm raymond-k',
      '--algorithm: "raymond-k" cannot serve a mesh: it lets several callers in at a time',
    ],
    ['--lease 2', '--lease: "2" is not a time from 100 ms to 1 min: a number with ms, s, m or h'],
    ['--lease 2m', '--lease: "2m" is not a time from 100 ms to 1 min'],
    ['--for soon', '--for: "soon" is not a time from 1.0 s to 24 h: a number with ms, s, m or h'],
    ['--for 10ms', '--for: "10ms" is not a time from 1.0 s to 24 h'],
    ['--seed x', '--seed: "x" is not a seed: a whole number, 0 or more'],
    ['--kill z@1s', '--kill z@1s: "z" is not a node: a, b, c, d, e'],
    ['--kill d@1s --nodes 3', '--kill d@1s: "d" is not a node: a, b, c'],
    ['--kill b', '--kill: "b" is not NODE@TIME or NODE@FROM-UNTIL, such as b@3s or b@3s-6s'],
    ['--pause b@3s-2s', '--pause: "b@3s-2s" is not a stretch of time that ends after it begins'],
    [
      '--kill b@50s --for 2s',
      '--kill: b at 50.0 s is after the end of the run at 2.0 s: give a longer --for',
    ],
    ['--pause b@1s-12s', '--pause: b at 12.0 s is after the end of the run at 10.0 s: give a longer --for'],
    ['--cut b@x', '--cut b@x: "x" is not a time from 0 ms to 24 h: a number with ms, s, m or h'],
    ['--record /dev/null', '--record: cannot make "/dev/null": /dev/null is not a directory'],
    ['--record /dev/null/run', '--record: cannot make "/dev/null/run": /dev/null is not a directory'],
    ['--tempo 3', "unknown option '--tempo'; see turnwise up --help"],
    ['5', "too many arguments for 'up'. Expected 0 arguments but got 1; see turnwise up --help"],
  ])('%s', (line, complaint) => expectRefusal(`up ${line}`, complaint))
})

test('no place for the state of the nodes', async () => {
  const missing = join(temporary, 'none')
  const { code, err } = await upIn({ TMPDIR: missing }, '--nodes 1 --for 1s --no-page').ended
  expect(code).toBe(2)
  expect(err).toMatch(/^turnwise: TMPDIR: nothing can be written in .*none: ENOENT: .*\n$/)
})

test('the help names the keys, the exit codes and commands to try', async () => {
  const { code, out } = await command('up --help')
  expect(code).toBe(0)
  for (const text of ['kill -9', 'heal its links', 'Exit code: 0', 'turnwise up --for 10s --kill b@3s-6s']) {
    expect(out).toContain(text)
  }
})
