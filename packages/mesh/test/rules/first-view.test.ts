/** R21 where nodes were started with different voters, so that two first views could be made. */
import { describe, expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import type { Rules } from '../../src/protocol/rules.ts'
import type { Config } from '../../src/protocol/state.ts'
import { Script } from '../script.ts'
import { provenBy } from './proof.ts'

const HALVES = [
  ['a', 'b', 'c'],
  ['d', 'e', 'f'],
]
const ids = HALVES.flat()

const halfOf = (id: string) => HALVES.find((half) => half.includes(id)) ?? []
const othersOf = (id: string) => ids.filter((each) => !halfOf(id).includes(each))
const within = (from: string, to: string) => halfOf(from).includes(to)

/** Two halves with voters of their own, and the operator's word that nothing ran before. The halves do not hear each other yet. */
function halves(rules: Rules, epochs: Readonly<Record<string, number>> = {}): Script {
  const own = ids.map((id): [string, Partial<Config>] => {
    const [first = ''] = halfOf(id)
    return [id, { voters: halfOf(id), firstStart: halfOf(id), firstEpoch: epochs[first] ?? 1 }]
  })
  const script = new Script(ids, rules, {}, Object.fromEntries(own))
  script.passes = within
  return script
}

/** As their handshakes say. */
function meet(script: Script, ...those: string[]): void {
  for (const id of those) script.do(id, { kind: 'rivals', rivals: othersOf(id) })
}

describe('R21 voters of whom none is the same', () => {
  provenBy('first-view-unmet', 'a first view waits for the peers that have not been heard', (rules) => {
    const script = halves(rules)
    script.pass(9)
    expect(script.node('a').begun).toBeNull()
    script.pass(9)
    expect(script.node('a').begun?.members).toHaveLength(3)
  })

  provenBy('contested-first-view', 'a half that has met the other one makes none', (rules) => {
    const script = halves(rules)
    script.pass(5)
    // One of each is enough.
    meet(script, 'b', 'd')
    script.pass(60)
    expect(Object.values(script.views)).toEqual(ids.map(() => null))
    script.passes = () => true
    meet(script, ...ids)
    script.pass(60)
    expect(Object.values(script.views)).toEqual(ids.map(() => null))
  })

  test('one half was first: the other joins it, and nobody is inside with others', () => {
    const script = halves(SOUND)
    for (const id of othersOf('a')) script.kill(id)
    script.pass(20)
    script.request('a', 'L')
    for (const id of othersOf('a')) script.restart(id)
    script.pass(5)
    script.passes = () => true
    meet(script, ...ids)
    for (let round = 0; round < 60; round += 1) {
      script.pass(1)
      expect(script.twoHolders).toBeNull()
    }
    expect(script.node('d').begun?.members).toHaveLength(6)
    expect(script.node('d').begun?.voters.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  test('when the wrong ones have been started again with the right voters, there is a view', () => {
    const script = halves(SOUND)
    script.passes = () => true
    meet(script, ...ids)
    script.pass(30)
    script.own = Object.fromEntries(ids.map((id) => [id, { voters: halfOf('a'), firstStart: halfOf('a') }]))
    for (const id of othersOf('a')) script.restart(id)
    for (const id of halfOf('a')) script.do(id, { kind: 'rivals', rivals: [] })
    script.pass(30)
    expect(script.node('f').begun?.members).toHaveLength(6)
  })
})

describe('R21 two first views, made by voters who did not hear each other', () => {
  test.each([
    ['the earlier view stops', { a: 5, d: 7 }, 'a', 'a, b, c vote for view 5, and d, e, f for view 7'],
    ['with one epoch both stop', { a: 5, d: 5 }, 'a', 'd has begun another view 5'],
  ])('%s when they meet, and says what differs', (_, epochs, id, line) => {
    const script = halves(SOUND, epochs)
    script.pass(20)
    for (const first of ['a', 'd']) script.request(first, 'L')
    // Not promised: nobody could know.
    expect(script.twoHolders).not.toBeNull()
    script.passes = () => true
    script.pass(4)
    expect(script.twoHolders).toBeNull()
    expect(script.of(id, 'contradiction').map(({ what }) => what)).toContainEqual(
      `${line}. Two first views were made: nodes were started with other voters`,
    )
    script.pass(60)
    expect(new Set(Object.values(script.views)).size).toBe(1)
    expect(script.node('a').begun?.members).toHaveLength(6)
  })
})
