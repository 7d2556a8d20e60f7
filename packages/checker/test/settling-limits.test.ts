/** Late messages that look settled and are not: the comparison with the full search names a step that they change. */
import { raymondK } from '@turnwise/algorithms/multi/raymond-k'
import { srimaniReddy } from '@turnwise/algorithms/multi/srimani-reddy'
import { helaryPlouzeauRaynal } from '@turnwise/algorithms/token/helary-plouzeau-raynal'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { expect, test } from 'vitest'
import { settlingFlaw } from '../src/settling-flaw.ts'
import { instanceOf, type SmallWorld } from './harness.ts'

const flawOf = (algorithm: AnyAlgorithm, world: SmallWorld) =>
  settlingFlaw(instanceOf(algorithm, world), 1_000_000).flaw

/** A request whose date the token's table has reached: its origin has given the token away since. */
const satisfied: typeof helaryPlouzeauRaynal = {
  ...helaryPlouzeauRaynal,
  settled(states, underWay) {
    const carried = underWay.flatMap(({ message }) => (message.type === 'token' ? [message] : []))
    const token = states.find((state) => state.token !== null)?.token ?? carried.at(0)
    return underWay.map(
      ({ message }) =>
        message.type === 'request' &&
        token?.gaveAway.some(({ node, time }) => node === message.id.node && time >= message.id.time) ===
          true,
    )
  },
}

test.each([
  ['line', 1],
  ['complete', 2],
])(
  'helary-plouzeau-raynal, %s: a satisfied request raises the clock, so the next request has another date',
  (topology, sends) => {
    expect(flawOf(satisfied, { nodes: 3, topology, requests: 2 })).toBe(
      `settled messages change this step: node 2: request, sends ${sends}`,
    )
  },
)

test('raymond-k: an old request waits for a reply of its own, which comes later if the node is inside', () => {
  const old: typeof raymondK = {
    ...raymondK,
    settled: (states, underWay) =>
      underWay.map(
        ({ message, from }) => message.type === 'request' && states[from]?.ours !== message.number,
      ),
  }
  expect(flawOf(old, { nodes: 3, k: 2, requests: 2 })).toBe(
    'settled messages change this step: node 0: leave, sends 0',
  )
})

test('srimani-reddy: a request that one token has served still takes the other token away', () => {
  const served: typeof srimaniReddy = {
    ...srimaniReddy,
    settled: (states, underWay) =>
      underWay.map(
        ({ message, from }) =>
          message.type === 'request' && (states[from]?.served[from]?.number ?? 0) >= message.number,
      ),
  }
  expect(flawOf(served, { nodes: 3, k: 2, requests: 2 })).toBe(
    'settled messages change this step: node 0: leave, sends 0',
  )
})
