import { describe, expect, test } from 'vitest'
import { projective } from '../src/quorum/projective.ts'
import { defaultQuorums } from '../src/quorum/quorum-from-text.ts'
import { central, everyone, FIGURE_3A, FIGURE_3B, favoured, fromQuorums } from '../src/structure/classic.ts'
import { statusSets, structureFrom, structureOf } from '../src/structure/structure.ts'
import { metrics, syncDelay } from '../src/structure/structure-cost.ts'
import { tellFlaw, validate } from '../src/structure/validate.ts'

const SIZES = Array.from({ length: 20 }, (_, i) => i + 2)

describe('the theorem of section 4', () => {
  // shows sanders-1987 4 Necessary and Sufficient Conditions, the theorem
  test('accepts the algorithms it is meant to unify', () => {
    for (const n of SIZES) {
      expect(validate(central(n, n - 1))).toEqual({ form: 'footnote', valid: true, flaws: [] })
      expect(validate(everyone(n))).toEqual({ form: 'theorem', valid: true, flaws: [] })
      expect(validate(favoured(n))).toEqual({ form: 'theorem', valid: true, flaws: [] })
      expect(validate(fromQuorums(defaultQuorums(n)))).toEqual({ form: 'theorem', valid: true, flaws: [] })
    }
  })

  // shows sanders-1987 4 Proof, necessity (Figures 3a and 3b)
  test('names the pair and the condition that fails in Figures 3a and 3b', () => {
    expect(validate(FIGURE_3A).flaws.map(tellFlaw)).toEqual([
      'condition b fails for nodes 0 and 1: their inform sets share no node, and 0 is not in the request set of 1',
    ])
    expect(validate(FIGURE_3B).flaws.map(tellFlaw)).toEqual([
      'condition b fails for nodes 0 and 1: their inform sets share no node, and 1 is not in the request set of 0, 0 is not in the request set of 1',
    ])
  })

  // shows sanders-1987 4 Necessary and Sufficient Conditions, the theorem
  test('names who is told but not asked', () => {
    const untold = structureOf([[0, 1], [1]], [[0], [0, 1]])
    expect(validate(untold).flaws.map(tellFlaw)).toEqual([
      'condition a fails for nodes 0 and 1: 1 is in the inform set of 0, but not in its request set',
    ])
  })

  // shows sanders-1987 4 Necessary and Sufficient Conditions, the theorem
  test('wants both to tell themselves where the footnote applies and the inform sets do not meet', () => {
    const silent = structureOf(
      [[0], []],
      [
        [0, 1],
        [0, 1],
      ],
    )
    const verdict = validate(silent)
    expect(verdict.form).toBe('footnote')
    expect(verdict.flaws.map(tellFlaw)).toEqual([
      'condition b fails for nodes 0 and 1: their inform sets share no node, and 1 is not in its own inform set',
    ])
  })

  test('holds of one node alone', () => {
    expect(validate(structureOf([[0]])).valid).toBe(true)
  })
})

// shows sanders-1987 2 Information Structures
test('the status sets are the inform sets turned round', () => {
  expect(statusSets(favoured(4))).toEqual([[0, 2, 3], [1, 2, 3], [2], [3]])
  expect(statusSets(central(3, 1))).toEqual([[], [0, 1, 2], []])
})

describe('the metrics of section 6', () => {
  // shows sanders-1987 6.2 Synchronization Delay
  // shows claim delay-2-where-sets-meet
  test('the centralized structure costs 3 messages, and the coordinator none', () => {
    for (const n of SIZES) {
      const { perNode, delay } = metrics(central(n))
      expect(perNode[0]?.messages).toEqual({ least: 0, most: 0 })
      expect(perNode[1]?.messages.least).toBe(3)
      expect(delay).toBeCloseTo((2 * (n - 1)) / n, 12)
    }
  })

  // shows sanders-1987 6.1 Number of Messages per Critical Section Entry
  // shows sanders-1987 6.2 Synchronization Delay
  // shows claim dm-over-all
  test('the completely distributed one costs 2(N-1), with DM = N-1 and D = 1', () => {
    for (const n of SIZES) {
      const { perNode, delay } = metrics(everyone(n))
      for (const { messages, deadlockMessages } of perNode) {
        expect(messages.least).toBe(2 * (n - 1))
        expect(deadlockMessages).toBe(n - 1)
      }
      expect(delay).toBe(1)
    }
  })

  // shows sanders-1987 6.1 Number of Messages per Critical Section Entry
  // shows claim arbiters-at-most-5
  test('quorums of K cost 3(K-1) to 7(K-1)', () => {
    const { perNode, messages } = metrics(fromQuorums(projective(13)))
    for (const node of perNode) expect(node.messages).toEqual({ least: 9, most: 21 })
    expect(messages).toEqual({ least: 9, most: 21 })
  })

  // shows sanders-1987 3.2 Figure 2
  // shows claim figure-2-delays
  test('the two favoured nodes of Figure 2 pay 2 messages, the others 6', () => {
    const structure = favoured(4)
    expect(metrics(structure).perNode.map(({ messages }) => messages.least)).toEqual([2, 2, 6, 6])
    // The text says D_02 = 1: but 1 must hear the RELEASE of 2 before it GRANTs 0.
    expect(syncDelay(structure, 0, 2)).toBe(2)
    expect(syncDelay(structure, 2, 0)).toBe(1)
    expect(syncDelay(structure, 0, 1)).toBe(1)
  })

  test('one node alone pays nothing', () => {
    expect(metrics(structureOf([[0]]))).toEqual({
      perNode: [{ messages: { least: 0, most: 0 }, deadlockMessages: 0, delays: [0], delay: 0 }],
      messages: { least: 0, most: 0 },
      delay: 0,
    })
  })
})

describe('a structure from a file', () => {
  const good = { nodes: 2, inform: [[1, 0], [1]], request: [[0, 1], [1]] }

  test('is read with its sets in order', () => {
    expect(structureFrom(good)).toEqual({ nodes: 2, inform: [[0, 1], [1]], request: [[0, 1], [1]] })
  })

  const bad: [unknown, string][] = [
    [[1], '[1] is not an object with the fields nodes, inform, request'],
    [{ nodes: 2, inform: [[0], [1]] }, 'request: is missing'],
    [{ ...good, status: [] }, 'status: is not a field of a structure, which has nodes, inform, request'],
    [{ ...good, nodes: 0 }, 'nodes: 0 is not a whole number, 1 or more'],
    [{ ...good, nodes: '2' }, 'nodes: "2" is not a whole number, 1 or more'],
    [{ ...good, inform: 3 }, 'inform: 3 is not a list of sets'],
    [{ ...good, inform: [[0]] }, 'inform: has 1 sets, but there are 2 nodes'],
    [{ ...good, request: [[0, 1], 1] }, 'request[1]: 1 is not a list of nodes'],
    [{ ...good, request: [[0, 2], [1]] }, 'request[0][1]: 2 is not a node from 0 to 1'],
    [{ ...good, request: [[0, 0.5], [1]] }, 'request[0][1]: 0.5 is not a node from 0 to 1'],
    [{ ...good, inform: [[0, 0], [1]] }, 'inform[0][1]: names node 0 twice'],
  ]
  test.each(bad)('%j is refused', (content, complaint) => {
    expect(() => structureFrom(content)).toThrow(complaint)
  })
})
