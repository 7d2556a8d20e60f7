import { describe, expect, test } from 'vitest'
import { dissentAmong, ElectionJudge } from '../src/judges/election-judge.ts'

const texts = (judge: ElectionJudge) =>
  judge.findings.flatMap(({ first }) => first.map((violation) => `${violation.judge}: ${violation.text}`))

/** Everyone of `named` names that node. */
function judged(named: readonly number[]): ElectionJudge {
  const judge = new ElectionJudge()
  named.forEach((coordinator, node) => judge.elected(1, node, coordinator))
  return judge
}

describe('the judge of elections', () => {
  // shows kessler-2024 Election: requirements
  test('content where all name the highest', () => {
    const judge = judged([2, 2, 2])
    judge.ended(9, 3, 1)
    expect(texts(judge)).toEqual([])
    expect(judge.unanimous(3)).toBe(2)
  })

  // shows kessler-2024 Election: requirements
  test('two that take themselves for the coordinator are found at once, unless one has crashed', () => {
    expect(texts(judged([0, 1]))).toEqual([
      'one-coordinator: nodes 0, 1 each take themselves for the coordinator',
    ])
    const judge = judged([2, 2, 2])
    judge.crashed(2)
    judge.elected(5, 1, 1)
    judge.elected(6, 0, 1)
    judge.ended(9, 3, 1)
    expect(texts(judge)).toEqual([])
  })

  test('who was dead may overrule who was elected without it', () => {
    const judge = new ElectionJudge()
    judge.crashed(2)
    judge.elected(1, 1, 1)
    judge.restarted(2)
    judge.elected(2, 2, 2)
    expect(texts(judge)).toEqual([])
  })

  // shows kessler-2024 Election: requirements
  test('dissent, a coordinator that is not the highest, and an election without end are found at the end', () => {
    const dissenting = judged([2, 2])
    dissenting.ended(9, 3, 1)
    expect(texts(dissenting)).toEqual(['agreement: node 0 names 2, node 2 names nobody'])
    const low = judged([1, 1, 1])
    low.ended(9, 3, 1)
    expect(texts(low)).toEqual(['highest: all living nodes name 1, and the highest of them is 2'])
    const open = new ElectionJudge()
    open.called(3, 1)
    open.ended(9, 3, 1)
    expect(texts(open)).toEqual(['progress: node 1 called an election at 3 and never heard its result'])
  })

  test('as long as nobody names anyone there was no election', () => {
    expect(dissentAmong([0, 1], () => null)).toBeNull()
  })
})
