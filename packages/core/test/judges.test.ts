import { describe, expect, test } from 'vitest'
import type { Mode } from '../src/algorithm.ts'
import { ExclusionJudge } from '../src/judges/exclusion-judge.ts'
import { FenceJudge } from '../src/judges/fence-judge.ts'
import { Findings, type Violation } from '../src/judges/findings.ts'
import { judgeHolds } from '../src/judges/hold-judge.ts'
import { ProgressJudge } from '../src/judges/progress-judge.ts'

describe('findings', () => {
  test('the first twenty are kept and told, all are counted', () => {
    const findings = new Findings('toy')
    const heard: Violation[] = []
    findings.heard = (violation) => heard.push(violation)
    for (let at = 0; at < 30; at += 1) findings.add(at, [at], `finding ${at}`)
    expect(findings.count).toBe(30)
    expect(findings.first).toHaveLength(20)
    expect(heard).toEqual(findings.first)
    expect(findings.first[19]).toEqual({ judge: 'toy', at: 19, nodes: [19], text: 'finding 19' })
  })
})

describe('exclusion', () => {
  /** `0+ 1s+ 0-`: node 0 enters, node 1 enters shared, node 0 leaves. */
  function judged(entries: number, acts: string): ExclusionJudge {
    const judge = new ExclusionJudge(entries)
    acts.split(' ').forEach((act, at) => {
      const [, node, shared, way] = /^(\d)(s?)([+-])$/.exec(act) ?? []
      const mode: Mode = shared === 's' ? 'shared' : 'exclusive'
      if (way === '+') judge.entered(at, Number(node), mode)
      else judge.left(Number(node))
    })
    return judge
  }

  const texts = (entries: number, acts: string) =>
    judged(entries, acts).findings.first.map(({ text }) => text)

  test('one after the other is fine', () => {
    const judge = judged(1, '0+ 0- 1+ 1- 0+ 0-')
    expect(judge.findings.count).toBe(0)
    expect(judge.mostInside).toBe(1)
  })

  // shows kessler-2024 Mutual Exclusion: basic requirements
  test('two together are found at the moment of the second entry, with both names in order', () => {
    const judge = judged(1, '2+ 2- 3+ 1+ 1- 3-')
    expect(judge.findings.first).toEqual([
      { judge: 'exclusion', at: 3, nodes: [1, 3], text: 'nodes 1, 3 are inside together; one is allowed' },
    ])
    expect(judge.mostInside).toBe(2)
  })

  test('every further entry is a finding of its own; an exit is none', () => {
    expect(texts(1, '0+ 1+ 2+ 1- 0- 1+')).toEqual([
      'nodes 0, 1 are inside together; one is allowed',
      'nodes 0, 1, 2 are inside together; one is allowed',
      'nodes 1, 2 are inside together; one is allowed',
    ])
  })

  test('k may be inside, k + 1 may not', () => {
    expect(judged(3, '0+ 1+ 2+ 1- 3+').findings.count).toBe(0)
    expect(texts(3, '0+ 1+ 2+ 3+')).toEqual(['nodes 0, 1, 2, 3 are inside together; 3 are allowed'])
  })

  test('any number of shared entries may be inside together', () => {
    const judge = judged(1, '0s+ 1s+ 2s+ 3s+ 0s- 4s+')
    expect(judge.findings.count).toBe(0)
    expect(judge.mostInside).toBe(4)
  })

  test('an exclusive entry may not join shared ones, nor a shared one an exclusive', () => {
    expect(texts(1, '0s+ 1s+ 2+')).toEqual(['nodes 0, 1, 2 are inside together; one is allowed'])
    expect(texts(1, '0+ 1s+')).toEqual(['nodes 0, 1 are inside together; one is allowed'])
    expect(texts(1, '0s+ 0s- 1+ 1- 2s+')).toEqual([])
  })

  test('those whose resources differ are inside together; those with a common one are not', () => {
    const judge = new ExclusionJudge(1)
    judge.entered(1, 0, 'exclusive', [0, 2])
    judge.entered(2, 1, 'exclusive', [1, 3])
    judge.entered(3, 2, 'exclusive', [4])
    expect(judge.findings.count).toBe(0)
    expect(judge.mostInside).toBe(3)
    judge.left(0)
    judge.entered(4, 3, 'exclusive', [0, 3])
    expect(judge.findings.first).toEqual([
      {
        judge: 'exclusion',
        at: 4,
        nodes: [1, 3],
        text: 'nodes 1, 3 are inside together with resource 3; one is allowed',
      },
    ])
  })

  test('a request that names no resource is for resource 0', () => {
    const judge = new ExclusionJudge(1)
    judge.entered(1, 0, 'exclusive')
    judge.entered(2, 1, 'exclusive', [1])
    judge.entered(3, 2, 'exclusive', [0])
    expect(judge.findings.first.map(({ nodes }) => nodes)).toEqual([[0, 2]])
  })

  test('a node that came back in another mode counts in that mode', () => {
    expect(texts(1, '0+ 0- 0s+ 1s+')).toEqual([])
  })
})

describe('fences', () => {
  function judged(entries: number, ...grants: [fence: number, mode?: Mode][]): string[] {
    const judge = new FenceJudge(entries)
    grants.forEach(([fence, mode = 'exclusive'], node) => judge.entered(node, node, mode, fence))
    return judge.findings.first.map(({ text }) => text)
  }

  test('must rise, by whatever step', () => {
    expect(judged(1, [1], [2], [50], [51])).toEqual([])
  })

  test('may be negative or 0 at first', () => {
    expect(judged(1, [-5], [0])).toEqual([])
  })

  test('must not repeat or fall', () => {
    expect(judged(1, [4], [4])).toEqual(['node 1 enters with fence 4 after node 0 had 4'])
    expect(judged(1, [4], [3])).toEqual(['node 1 enters with fence 3 after node 0 had 4'])
  })

  test('are held against the largest so far, not the last', () => {
    expect(judged(1, [9], [3], [8], [10])).toEqual([
      'node 1 enters with fence 3 after node 0 had 9',
      'node 2 enters with fence 8 after node 0 had 9',
    ])
  })

  test('shared entries may repeat or fall among themselves, not against those they exclude', () => {
    expect(judged(1, [4], [5, 'shared'], [5, 'shared'], [6])).toEqual([])
    expect(judged(1, [4], [7, 'shared'], [5, 'shared'], [8])).toEqual([])
    expect(judged(1, [4], [4, 'shared'])).toHaveLength(1)
    expect(judged(1, [4, 'shared'], [4])).toHaveLength(1)
    expect(judged(1, [4], [7, 'shared'], [5, 'shared'], [6])).toHaveLength(1)
  })

  test('with k entries they tell entries apart, in any order', () => {
    expect(judged(2, [5], [3], [4])).toEqual([])
    expect(judged(2, [5], [3], [5])).toEqual(['node 2 enters with fence 5, given out before'])
  })

  test('with k places they rise within each, whatever the others do', () => {
    const places = (...fences: number[]) => {
      const judge = new FenceJudge(2, { slots: true })
      fences.forEach((fence, node) => judge.entered(node, node, 'exclusive', fence))
      return judge.findings.first.map(({ text }) => text)
    }
    expect(places(10, 3, 12, 5, 14)).toEqual([])
    expect(places(10, 3, 8, 3)).toEqual([
      'node 2 enters with fence 8 after node 0 had 10',
      'node 3 enters with fence 3 after node 1 had 3',
    ])
  })

  test('of several resources they rise for each, whatever the others do', () => {
    const judge = new FenceJudge(1)
    judge.entered(1, 0, 'exclusive', 9, [0])
    judge.entered(2, 1, 'exclusive', 3, [1, 2])
    judge.entered(3, 2, 'exclusive', 4, [2])
    expect(judge.findings.count).toBe(0)
    judge.entered(4, 3, 'exclusive', 8, [1, 0])
    expect(judge.findings.first.map(({ text }) => text)).toEqual([
      'node 3 enters with fence 8 after node 0 had 9',
    ])
  })

  test('those who join a writer that goes on as a reader may have its fence, and nobody a lower one', () => {
    const judge = new FenceJudge(1)
    judge.entered(1, 0, 'exclusive', 7)
    judge.downgraded()
    judge.entered(2, 1, 'shared', 7)
    expect(judge.findings.count).toBe(0)
    judge.entered(3, 2, 'shared', 6)
    judge.entered(4, 2, 'exclusive', 7)
    expect(judge.findings.count).toBe(2)
  })

  test('name both nodes', () => {
    const judge = new FenceJudge(1)
    judge.entered(1, 4, 'exclusive', 7)
    judge.entered(2, 2, 'exclusive', 7)
    expect(judge.findings.first[0]).toMatchObject({ judge: 'fence', at: 2, nodes: [4, 2] })
  })
})

describe('a log of holds', () => {
  function judged(permits: number, ...told: [fence: number, from: number, until: number, mode?: Mode][]) {
    const holds = told.map(([fence, from, until, mode = 'exclusive']) => ({ fence, from, until, mode }))
    return judgeHolds(holds, permits).map(({ judge, holds }) => [judge, ...holds.map(({ fence }) => fence)])
  }

  test('is judged by its times, in whatever order it was told', () => {
    expect(judged(1, [2, 20, 30], [1, 10, 20], [3, 30, 40])).toEqual([])
    expect(judged(1, [2, 15, 30], [1, 10, 20])).toEqual([['exclusion', 1, 2]])
    expect(judged(1, [1, 20, 30], [2, 10, 20])).toEqual([['fence', 2, 1]])
    expect(judged(1, [1, 10, 20, 'shared'], [1, 15, 30, 'shared'])).toEqual([])
  })

  test('counts a hold that is known of for a moment only, then and no longer', () => {
    expect(judged(1, [1, 10, 30], [2, 20, 20])).toEqual([['exclusion', 1, 2]])
    expect(judged(1, [1, 10, 10], [2, 20, 30])).toEqual([])
  })

  test('of several resources lets those hold together that have none in common, and fences rise for each', () => {
    const judge = (...told: [fence: number, from: number, until: number, resources: number[]][]) => {
      const holds = told.map(([fence, from, until, resources]) => ({ fence, from, until, resources }))
      const found = judgeHolds(holds.map((each) => ({ ...each, mode: 'exclusive' as const })))
      return found.map(({ judge, holds }) => [judge, ...holds.map(({ fence }) => fence)])
    }
    expect(judge([5, 10, 40, [0, 2]], [3, 15, 40, [1]], [6, 40, 50, [1, 2]])).toEqual([])
    expect(judge([5, 10, 40, [0, 2]], [6, 15, 40, [1, 2]], [7, 40, 50, [3]])).toEqual([['exclusion', 5, 6]])
    expect(judge([5, 10, 20, [0, 1]], [4, 30, 40, [1]], [3, 30, 40, [2]])).toEqual([['fence', 5, 4]])
  })

  test('of permits lets so many hold, each with a fence of its own', () => {
    expect(judged(2, [5, 10, 40], [3, 15, 40], [4, 40, 50])).toEqual([])
    expect(judged(2, [5, 10, 40], [3, 15, 40], [4, 20, 50])).toEqual([['exclusion', 5, 3, 4]])
    expect(judged(2, [5, 10, 20], [5, 15, 20])).toEqual([['fence', 5, 5]])
  })
})

describe('progress', () => {
  // shows kessler-2024 Mutual Exclusion: basic requirements
  test('a request that is open at the end was never granted; times in units', () => {
    const judge = new ProgressJudge()
    judge.requested(1_500_000, 3)
    judge.requested(2_000_000, 1)
    judge.requested(2_500_000, 2)
    judge.settled(2)
    expect(judge.waiting).toBe(2)
    judge.ended(9_000_000, 1_000_000)
    expect(judge.findings.first).toEqual([
      { judge: 'progress', at: 9_000_000, nodes: [1], text: 'node 1 asked at time 2 and was never let in' },
      { judge: 'progress', at: 9_000_000, nodes: [3], text: 'node 3 asked at time 1.5 and was never let in' },
    ])
  })

  test('a node that was served and asks again waits since then', () => {
    const judge = new ProgressJudge()
    judge.requested(1, 0)
    judge.settled(0)
    judge.requested(5, 0)
    judge.ended(9, 1)
    expect(judge.findings.first.map(({ text }) => text)).toEqual([
      'node 0 asked at time 5 and was never let in',
    ])
  })

  test('nobody waits, nothing is found', () => {
    const judge = new ProgressJudge()
    judge.requested(1, 0)
    judge.settled(0)
    judge.ended(9, 1)
    expect([judge.waiting, judge.findings.count]).toEqual([0, 0])
  })
})
