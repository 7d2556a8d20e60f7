import { scriptFrom } from '@turnwise/simulator/load'
import { describe, expect, test } from 'vitest'
import { measured, SIZES } from './measured.ts'

const SIMPLE = 'helary-plouzeau-raynal-complete'
const SECOND = 'ricart-agrawala-token'
const GENERAL = 'helary-plouzeau-raynal'

/** Helary, Plouzeau and Raynal (1988), section 6: the simple form behaves like Ricart and Agrawala's second algorithm. */
describe('n messages for an entry, like the second algorithm of Ricart and Agrawala', () => {
  // shows helary-plouzeau-raynal-1988 6 Complete network
  test('one request: n-1 requests and the token, or nothing with the token here', () => {
    for (const nodes of SIZES) {
      const ask = (node: number) => ({ nodes, load: scriptFrom(`0 request ${node}`, nodes, 'script:one') })
      expect(measured(SIMPLE, ask(0)).messages.total).toBe(0)
      const { messages } = measured(SIMPLE, ask(nodes - 1))
      expect(messages.byType).toEqual({ request: nodes - 1, token: 1 })
      expect(measured(SECOND, ask(nodes - 1)).messages.byType).toEqual(messages.byType)
      expect(measured(GENERAL, { ...ask(nodes - 1), topology: 'complete' }).messages.byType).toEqual(
        messages.byType,
      )
    }
  })

  test.each(['light', 'heavy', 'closed:5'])('under load %s', (load) => {
    for (const nodes of [2, 3, 5, 9, 16]) {
      const run = { nodes, load, entries: 80 }
      expect(measured(SIMPLE, run).messages.total).toBe(measured(SECOND, run).messages.total)
    }
  })
})

// shows helary-plouzeau-raynal-1988 6 Complete network
test('the oldest request is served next, not the next around the circle', () => {
  const nodes = 4
  const load = scriptFrom('0 request 0\n0.1 request 3\n2 request 1', nodes, 'script:order')
  const order = (name: string) => measured(name, { nodes, load, inside: 'constant:9' }).responseTime?.max
  // Node 3 waits for one stay, then node 1; around the circle node 1 comes first, and 3 waits for two stays.
  expect(order(SIMPLE)).toBeCloseTo(18)
  expect(order(SECOND)).toBeCloseTo(19.9)
})
