import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

/** What Gifford (1979) needs and costs, as Velazquez (1993, section 5) tells it. */

describe('3 messages for each other member without competition', () => {
  test('by default node 0 has two votes, which makes quorums of n/2 nodes where n is even', () => {
    for (const nodes of SIZES) {
      const { messages, predicted } = measured('gifford-voting', { nodes, load: 'light', entries: 200 })
      // With node 0 a quorum has floor(n/2) nodes; those who ask it and are needed themselves ask one fewer.
      const needed = Math.floor((nodes + 1) / 2) + 1
      expect(predicted.perEntry.min).toBe(3 * (needed - 2))
      expect(messages.perEntry).toBeGreaterThanOrEqual(3 * (needed - 2))
      expect(messages.perEntry).toBeLessThanOrEqual(3 * Math.max(1, needed - 2))
    }
  })

  // shows velazquez-1993 5 Quorums and coteries (Gifford; Garcia-Molina and Barbara)
  test('with one vote each it is a majority', () => {
    for (const nodes of SIZES) {
      const wishes = { nodes, load: 'light', entries: 20, set: ['votes=1'] }
      expect(measured('gifford-voting', wishes).messages.perEntry).toBe(3 * Math.floor(nodes / 2))
    }
  })

  test('with a single voter it is a coordinator', () => {
    const nodes = 5
    const wishes = { nodes, load: 'light', entries: 100, set: ['votes=1,0,0,0,0'] }
    const { messages, predicted } = measured('gifford-voting', wishes)
    expect(predicted.perEntry).toMatchObject({ min: 0, max: 3 })
    expect(predicted.perEntry.mean).toBeCloseTo((3 * 4) / 5)
    expect(messages.perEntry).toBeLessThan(3)
  })
})

test('at most 6 messages for each other member in competition', () => {
  for (const nodes of SIZES) {
    const wishes = { nodes, load: 'heavy', entries: 4 * nodes, latency: 'exponential:1', seed: nodes }
    const { messages, predicted } = measured('gifford-voting', wishes)
    expect(messages.perEntry).toBeLessThanOrEqual(predicted.perEntry.max)
    expect(messages.perEntry).toBeGreaterThanOrEqual(predicted.perEntry.min)
  }
})

test('nodes may fail as long as the others have more than half of the votes', () => {
  const run = (fault: string[]) =>
    measured('gifford-voting', { nodes: 4, load: 'closed:5', entries: 40, set: ['votes=3,1,1,1'], fault })
  // Six votes: node 0 and any other have four.
  expect(run(['crash:1@4', 'crash:2@9'])).toMatchObject({ unserved: 0 })
  expect(() => run(['crash:0@4'])).toThrow(/progress/)
})

test('more votes than nodes, or none at all, are refused', () => {
  const run = (votes: string) => () => measured('gifford-voting', { nodes: 2, set: [`votes=${votes}`] })
  expect(run('1,1,1')).toThrow('votes for 3 nodes were given, but there are only 2')
  expect(run('0,0')).toThrow('no node has a vote')
  expect(run('1,x')).toThrow('"x" is not a value of votes: a whole number, 0 to 1000000')
})
