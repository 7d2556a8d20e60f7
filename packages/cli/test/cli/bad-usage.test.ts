import { describe, expect, test } from 'vitest'
import { command, expectRefusal, turnwise } from './in-process.ts'

describe('usage that cannot be understood is refused in one line', () => {
  test.each([
    [
      'simulat lamport',
      '"simulat" is not a command: up, lock, lead, status, locks, node, metrics, keys, audit, tour, algorithms, explain, simulate, elect, compare, check, exercise, grade, prove, replay, quorum, structure',
    ],
    [
      'frob --nodes 3',
      '"frob" is not a command: up, lock, lead, status, locks, node, metrics, keys, audit, tour, algorithms, explain, simulate, elect, compare, check, exercise, grade, prove, replay, quorum, structure',
    ],
    ['--frob', "unknown option '--frob'; see turnwise --help"],
    [
      'simulate lamport --node 3',
      "unknown option '--node' (did you mean --nodes?); see turnwise simulate --help",
    ],
    ['simulate lamport --frob 3', "unknown option '--frob'; see turnwise simulate --help"],
    ['tour --frob', "unknown option '--frob'; see turnwise tour --help"],
    ['algorithms --frob', "unknown option '--frob'; see turnwise algorithms --help"],
    ['explain lamport --frob', "unknown option '--frob'; see turnwise explain --help"],
    [
      'compare --trace run.jsonl',
      "unknown option '--trace' (did you mean --take?); see turnwise compare --help",
    ],
    ['replay run.jsonl --plot x', "unknown option '--plot'; see turnwise replay --help"],
    ['simulate', "missing required argument 'algorithm'; see turnwise simulate --help"],
    ['explain', "missing required argument 'algorithm'; see turnwise explain --help"],
    ['replay', "missing required argument 'trace'; see turnwise replay --help"],
    ['simulate lamport --nodes', "option '--nodes <count>' argument missing; see turnwise simulate --help"],
    [
      'simulate lamport raymond',
      "too many arguments for 'simulate'. Expected 1 argument but got 2; see turnwise simulate --help",
    ],
    [
      'explain lamport raymond',
      "too many arguments for 'explain'. Expected 1 argument but got 2; see turnwise explain --help",
    ],
    [
      'algorithms lamport',
      "too many arguments for 'algorithms'. Expected 0 arguments but got 1; see turnwise algorithms --help",
    ],
    ['tour 5', "too many arguments for 'tour'. Expected 0 arguments but got 1; see turnwise tour --help"],
    [
      'replay run.jsonl --mermaid --shiviz',
      "option '--shiviz' cannot be used with option '--mermaid'; see turnwise replay --help",
    ],
    [
      'replay run.jsonl --mermaid --limit 3',
      "option '--mermaid' cannot be used with option '--limit <rows>'; see turnwise replay --help",
    ],
    [
      'replay run.jsonl --shiviz --from 3',
      "option '--shiviz' cannot be used with option '--from <time>'; see turnwise replay --help",
    ],
  ])('%s', expectRefusal)

  test('a command of no name at all', () =>
    expectRefusal(
      '',
      '"" is not a command: up, lock, lead, status, locks, node, metrics, keys, audit, tour, algorithms, explain, simulate, elect, compare, check, exercise, grade, prove, replay, quorum, structure',
    ))

  test('what is quoted from the input cannot break the line', async () => {
    const { code, err } = await turnwise(['simulate', 'lamport', '--nodes', '3\n4\u001B[31m'])
    expect(code).toBe(2)
    expect(err).toEqual([
      'turnwise: --nodes: "3\\n4\\u001b[31m" is not a number of nodes: a whole number, 1 to 10000000',
    ])
  })

  test('nothing at all: the help, but on standard error and as a failure', async () => {
    const { code, out, err } = await turnwise([])
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(err[0]).toBe('Usage: turnwise [options] [command]')
  })
})

describe('an algorithm that is not in the catalogue', () => {
  test.each(['simulate nemo', 'explain nemo', 'compare lamport nemo'])('%s', (line) =>
    expectRefusal(line, 'ALGORITHM: "nemo" is not an algorithm: turnwise algorithms lists all'),
  )

  test.each([
    ['simulate raymnd', 'did you mean raymond?'],
    ['explain lamprot', 'did you mean lamport?'],
    ['compare suzuki-kasmi', 'did you mean suzuki-kasami?'],
    ['check bulli', 'did you mean bully?'],
  ])('%s: %s', (line, meant) =>
    expectRefusal(
      line,
      `ALGORITHM: "${line.split(' ')[1]}" is not an algorithm: ${meant} turnwise algorithms lists all`,
    ),
  )

  test('a broken variant, where only sound algorithms are compared, is told where it can be seen', async () => {
    await expectRefusal(
      'compare lamport maekawa-original',
      'ALGORITHM: "maekawa-original" is a broken variant of maekawa: turnwise explain, check and simulate take it',
    )
    await expectRefusal(
      'compare bully-never-off',
      'ALGORITHM: "bully-never-off" is a broken variant of bully: turnwise explain, check and elect take it',
    )
    await expectRefusal(
      'elect maekawa-original',
      'ALGORITHM: "maekawa-original" is a broken variant of maekawa, which elects nobody: use turnwise simulate',
    )
  })

  test('half a name is answered with the whole', async () => {
    const { err } = await command('simulate ricart')
    expect(err).toHaveLength(1)
    expect(err[0]).toMatch(
      /^turnwise: ALGORITHM: "ricart" is not an algorithm: did you mean ricart-agrawala, /,
    )
    expect(err[0]).not.toContain('lamport')
  })
})
