/**
 * Numbers that others have found.
 *
 * Ricart and Agrawala's algorithm with any number of requests has 24 states at two nodes and 2,622 at three; so
 * says an independent exploration of the same model: the highest number is raised on sending too, a node enters
 * in the handler of the last REPLY, leaves as one event and asks again as another. If the number is not raised on
 * sending, as in the printed code, there are 38 and 3,640. With entry as an event of its own, it is 32 and 2,943,
 * and 48 and 4,012 as printed.
 */
import { fence, ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { describe, expect, test } from 'vitest'
import { checked, failures, open } from './harness.ts'

/** As the paper prints it: Highest_Sequence_Number is raised by what is received, never by what is sent. */
const asPrinted: typeof ricartAgrawala = {
  ...ricartAgrawala,
  request(node, here, ask) {
    const { highest } = node
    ricartAgrawala.request(node, here, ask)
    node.highest = highest
  },
}

/** The last REPLY only allows to enter. */
function entersInAnotherStep(algorithm: typeof ricartAgrawala): typeof ricartAgrawala {
  const { facts, receive } = algorithm
  return {
    ...algorithm,
    facts: { ...facts, timers: { ...facts.timers, entry: 'pace' } },
    timeout(node, here, timer) {
      if (timer === 'entry') here.enter(fence(node.ours as number, here.self, here.setup.nodes))
      else algorithm.timeout?.(node, here, timer)
    },
    receive: {
      ...receive,
      reply(node, here, _reply, from) {
        node.awaiting[from] = false
        node.outstanding -= 1
        if (node.outstanding === 0) here.setTimer('entry', 1)
      },
    },
  }
}

describe('ricart-agrawala, any number of requests', () => {
  // shows ricart-agrawala-1981 3.1 Mutual Exclusion
  // shows ricart-agrawala-1981 3.2 Deadlock
  // shows ricart-agrawala-1981 3.3 Starvation
  test.each([
    [1, 2, 2, 1],
    [2, 24, 40, 7],
    [3, 2622, 9270, 16],
  ])('%i nodes: %i states', (nodes, states, transitions, depth) => {
    const result = checked(ricartAgrawala, { nodes, requests: null })
    expect(result).toMatchObject({ complete: true, states, transitions, depth })
    expect([...failures(result), ...open(result)]).toEqual([])
  })

  test.each([
    [2, 38],
    [3, 3640],
  ])('as printed, %i nodes: %i states', (nodes, states) => {
    expect(checked(asPrinted, { nodes, requests: null })).toMatchObject({ complete: true, states })
  })

  test.each([
    ['', ricartAgrawala, 2, 32],
    ['', ricartAgrawala, 3, 2943],
    ['as printed, ', asPrinted, 2, 48],
    ['as printed, ', asPrinted, 3, 4012],
  ])('%sentry as an event of its own', (_, algorithm, nodes, states) => {
    const result = checked(entersInAnotherStep(algorithm), { nodes, requests: null })
    expect(result).toMatchObject({ complete: true, states })
  })

  // shows ricart-agrawala-1981 2.4 Discussion
  // shows ricart-agrawala-1981 Appendix, with order
  // shows ricart-agrawala-1981 Appendix, without order
  // shows claim most-entries-of-others
  // shows claim permissions-in-order
  test.each([
    [2, 'unordered', 2],
    [2, 'fifo', 2],
    // n(n+1)/2 - 1: a request still under way does not hold the others back.
    [3, 'unordered', 5],
    // 2(n-1): behind it on the same channel nothing comes through.
    [3, 'fifo', 4],
  ] as const)(
    '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages',
    (nodes, channels, most) => {
      const { extremes } = checked(ricartAgrawala, { nodes, requests: null, channels })
      const messages = 2 * (nodes - 1)
      expect(extremes).toEqual({ messagesPerEntry: { min: messages, max: messages }, maxOvertaking: most })
    },
  )

  // shows claim most-entries-of-others
  test.each([2, 3])('as printed, %i nodes, unordered: overtaken without bound', (nodes) => {
    const { extremes } = checked(asPrinted, { nodes, requests: null })
    expect(extremes?.maxOvertaking).toBeNull()
  })

  test('a bounded number of requests bounds the overtaking too', () => {
    for (const requests of [1, 2]) {
      const { extremes } = checked(ricartAgrawala, { nodes: 2, requests })
      expect(extremes?.maxOvertaking).toBe(requests)
    }
  })
})
