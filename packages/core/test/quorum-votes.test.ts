import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../src/invalid-input.ts'
import { majority } from '../src/quorum/majority.ts'
import { assignVotes, votesOf, votingQuorum } from '../src/quorum/votes.ts'

const someVotes = fc
  .array(fc.nat(4), { minLength: 1, maxLength: 7 })
  .filter((votes) => votes.some((own) => own > 0))

describe('votes', () => {
  test('who is not named has one', () => {
    expect(assignVotes(4, [2, 0])).toEqual({ of: [2, 0, 1, 1], needed: 3 })
  })

  test('more than half, strictly', () => {
    for (let total = 1; total <= 50; total += 1) {
      const { needed } = assignVotes(total, [])
      expect(2 * needed).toBeGreaterThan(total)
      expect(2 * (needed - 1)).toBeLessThanOrEqual(total)
    }
  })

  test('too many and none at all are refused', () => {
    expect(() => assignVotes(2, [1, 1, 1])).toThrow(InvalidInput)
    expect(() => assignVotes(2, [0, 0])).toThrow('no node has a vote: at least one must')
  })
})

describe('the quorum of a node', () => {
  test('with one vote each is a majority of those that follow', () => {
    for (let nodes = 1; nodes <= 20; nodes += 1) {
      for (let node = 0; node < nodes; node += 1) {
        expect(votingQuorum(assignVotes(nodes, []), node)).toEqual(majority(nodes).of(node))
      }
    }
  })

  test('votes 2, 1, 1: node 0 and any other', () => {
    const votes = assignVotes(3, [2, 1, 1])
    expect([0, 1, 2].map((node) => votingQuorum(votes, node))).toEqual([
      [0, 1],
      [0, 1],
      [0, 2],
    ])
    expect(votingQuorum(votes, 1, [0])).toBeNull()
  })

  test('leaves itself out where others have enough without it', () => {
    expect(votingQuorum(assignVotes(2, [2, 1]), 1)).toEqual([0])
  })

  test('has enough votes, nobody who is down, nobody to spare; and there is one if the living have enough', () => {
    fc.assert(
      fc.property(
        someVotes,
        fc.nat(),
        fc.array(fc.nat(6)),
        fc.array(fc.nat(6)),
        (given, pick, lost, before) => {
          const votes = assignVotes(given.length, given)
          const self = pick % given.length
          const down = [...new Set(lost)].filter((node) => node < given.length && node !== self)
          const asked = [...new Set(before)].filter((node) => node < given.length)
          const living = [...given.keys()].filter((node) => !down.includes(node))
          const quorum = votingQuorum(votes, self, down, asked)
          expect(quorum === null).toBe(votesOf(votes, living) < votes.needed)
          if (quorum === null) return
          expect(quorum).toEqual([...new Set(quorum)].toSorted((a, b) => a - b))
          expect(quorum.every((node) => living.includes(node))).toBe(true)
          expect(votesOf(votes, quorum)).toBeGreaterThanOrEqual(votes.needed)
          for (const node of quorum) {
            expect(votesOf(votes, quorum) - get(votes.of, node)).toBeLessThan(votes.needed)
          }
        },
      ),
      { seed: 1, numRuns: 500 },
    )
  })

  test('takes those it has asked already', () => {
    expect(votingQuorum(assignVotes(5, []), 0, [1], [0, 1, 4])).toEqual([0, 2, 4])
  })
})
