import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { command, expectRefusal, scratch } from './in-process.ts'

const files = scratch()
const COUNT = 'a whole number, 0 to 15'

describe('what cannot be checked is refused in one line', () => {
  test.each([
    ['--nodes 0', '--nodes: "0" is not a number of nodes: a whole number, 1 to 16'],
    ['--nodes two', '--nodes: "two" is not a number of nodes: a whole number, 1 to 16'],
    ['--nodes 17', '--nodes: "17" is not a number of nodes: a whole number, 1 to 16'],
    ['--requests 0', '--requests: "0" is not a number of requests: a whole number, 1 or more'],
    ['--requests many', '--requests: "many" is not a number of requests, 1 or more, or any'],
    ['--requests 1.5', '--requests: "1.5" is not a number of requests, 1 or more, or any'],
    ['--channels lifo', '--channels: "lifo" is not one of fifo, unordered'],
    ['--timing soon', '--timing: "soon" is not one of bounded, any'],
    ['--crashes -1', `--crashes: "-1" is not a number for --crashes: a whole number, 0 to 3`],
    ['--crashes 16', `--crashes: "16" is not a number for --crashes: a whole number, 0 to 3`],
    ['--drops x', `--drops: "x" is not a number for --drops: ${COUNT}`],
    ['--duplicates 1.5', `--duplicates: "1.5" is not a number for --duplicates: ${COUNT}`],
    ['--withdrawals 99', `--withdrawals: "99" is not a number for --withdrawals: ${COUNT}`],
    ['--suspicions no', `--suspicions: "no" is not a number for --suspicions: ${COUNT}`],
    ['--restarts 16', `--restarts: "16" is not a number for --restarts: ${COUNT}`],
    ['--restarts 1', '--restarts: no node can crash and run again: see --crashes and --dead'],
    ['--memory some', '--memory: "some" is not one of kept, lost, either'],
    [
      '--only luck',
      '--only: "luck" is not one of exclusion, no-deadlock, can-enter, no-starvation, fences-rise, rules',
    ],
    ['--unlinks x', `--unlinks: "x" is not a number for --unlinks: ${COUNT}`],
    ['--unlinks 1', '--unlinks 1: lamport has no rule for channels that go away'],
    ['--links 1', '--links 1: lamport has no rule for new channels'],
    ['--joins -1', `--joins: "-1" is not a number for --joins: ${COUNT}`],
    ['--joins 1', '--joins 1: lamport has no rule for nodes that join'],
    ['--downgrades', '--downgrades: lamport has no rule for downgrades'],
    ['--updates', '--updates: lamport has no rule for updates'],
    ['--priorities 2', '--priorities 2: lamport knows no priorities, so no request can be urgent'],
    ['--priorities 0', '--priorities: "0" is not a number of priorities: a whole number, 1 to 8'],
    ['--leaves 1', '--leaves 1: lamport has no rule for nodes that leave'],
    ['--nodes 1 --joins 1', '--joins: "1" is not a number for --joins: a whole number, 0 to 0'],
    ['--k 2', '--k: lamport lets one in at a time, so there is no k'],
    ['--clock 0', '--clock: "0" is not a bound for clocks: a whole number, 1 or more'],
    ['--clock x', '--clock: "x" is not a bound for clocks: a whole number, 1 or more'],
    ['--gaps 0', '--gaps: "0" is not a distance of clock values: a whole number, 1 or more'],
    ['--room 0', '--room: "0" is not a number of messages: a whole number, 1 or more'],
    ['--reduce --room 1', 'reduction: a bound on channels ends runs, and the order of steps decides which'],
    ['--gaps 2 --clock 6', '--gaps and --clock exclude each other'],
    ['--gaps 2 --restarts 1', '--gaps and --restarts exclude each other'],
    ['--reduce --crashes 1', 'reduction: crashes are not steps of one node'],
    ['--reduce --gaps 2', 'reduction: with bounded gaps the order of steps matters'],
    ['--reduce --clock 6', 'reduction: a bound on clocks ends runs, and the order of steps decides which'],
    [
      '--reduce --only no-starvation',
      'reduction: no-starvation needs every run; it keeps exclusion, no-deadlock, rules',
    ],
    ['--reduce --workers 2', '--reduce and --workers 2 exclude each other'],
    ['--settle', 'settle: lamport does not say which messages are settled'],
    ['--max-states 0', '--max-states: "0" is not a number for --max-states: a whole number, 1 or more'],
    ['--max-states 1e3', '--max-states: "1e3" is not a number for --max-states: a whole number, 1 or more'],
    ['--workers 0', '--workers: "0" is not a number of threads: a whole number, 1 to 2'],
    ['--workers 3', '--workers: "3" is not a number of threads: a whole number, 1 to 2'],
    ['--topology line', '--topology: line cannot carry lamport: it needs a channel between every two nodes'],
    [
      '--topology blob',
      '--topology: "blob" is not one of complete, ring, line, star, tree[:ARITY], grid, random[:EDGES], FILE.json',
    ],
    ['--quorum grid', '--quorum grid: lamport asks no quorums, so there is nothing to choose'],
    ['--set x=1', '--set x=1: "x" is not an option of lamport, which has savereplies'],
    ['--set savereplies=7', '--set savereplies=7: "7" is not a value of savereplies: true or false'],
    ['--frob', "unknown option '--frob'; see turnwise check --help"],
    ['raymond', "too many arguments for 'check'. Expected 1 argument but got 2; see turnwise check --help"],
    ['--requests', "option '--requests <count>' argument missing; see turnwise check --help"],
  ])('check lamport %s', (options, complaint) => expectRefusal(`check lamport ${options}`, complaint))

  test('settled messages where nothing is proved about them', async () => {
    await expectRefusal(
      'check suzuki-kasami --settle --crashes 1',
      'settle: with crashes nothing is proved about settled messages',
    )
    await expectRefusal(
      'check suzuki-kasami --settle --workers 2',
      '--settle and --workers 2 exclude each other',
    )
  })

  test('what an algorithm has no rules for', async () => {
    await expectRefusal('check raymond --clock 6', '--clock: raymond keeps no clock')
    await expectRefusal('check raymond --gaps 2', '--gaps: raymond keeps no clock')
    await expectRefusal(
      'check helary-plouzeau-raynal --requests any --gaps 2',
      'gaps: a step raises a clock value by more than one',
    )
    await expectRefusal(
      'check helary-plouzeau-raynal --joins 1',
      '--joins 1: helary-plouzeau-raynal has no rule for nodes that join',
    )
    await expectRefusal(
      'check ricart-agrawala-membership-heard-in-time --joins 1',
      '--joins 1: ricart-agrawala-membership-heard-in-time has no rule for nodes that join',
    )
  })

  test('a file with more nodes than can be explored', async () => {
    const edges = Array.from({ length: 16 }, (_, node) => [node, node + 1])
    const line = files.write('a line of 17.json', JSON.stringify({ nodes: 17, edges }))
    await expectRefusal(
      'check raymond --topology <file>',
      '<file> has 17 nodes: at most 16 are allowed',
      line,
    )
  })

  test('no algorithm, and an unknown one', async () => {
    await expectRefusal('check', "missing required argument 'algorithm'; see turnwise check --help")
    await expectRefusal('check nemo', 'ALGORITHM: "nemo" is not an algorithm: turnwise algorithms lists all')
  })

  test('quorums that do not exist', () =>
    expectRefusal(
      'check maekawa --nodes 5 --quorum plane',
      '--quorum: "plane" is not one of majority, grid, projective, tree, k-majority, k-singleton, disjoint, FILE.json',
    ))

  test('a trace that could not be written is told before the search, and a refused check leaves no file', async () => {
    const missing = files.path('no directory/run.jsonl')
    await expectRefusal(
      'check lamport --trace <file>',
      '--trace: cannot write "<file>": no such file or directory',
      missing,
    )
    const never = files.path('never.jsonl')
    expect((await command('check lamport --nodes 0 --trace <file>', never)).code).toBe(2)
    expect(existsSync(never)).toBe(false)
  })
})
