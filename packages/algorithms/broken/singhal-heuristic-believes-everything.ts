import { get } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { handOn, singhalHeuristic, tell } from '../src/token/singhal-heuristic.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof singhalHeuristic>('singhal-heuristic-believes-everything', {
    ...singhalHeuristic,
    receive: {
      ...singhalHeuristic.receive,
      token(node, here, { token }) {
        node.states[here.self] = 'E'
        node.token = { ...token, fence: token.fence + 1 }
        here.enter(node.token.fence)
      },
      request(node, here, { number }, from) {
        const activity = node.states[here.self]
        if (activity === 'R') tell(node, here, from)
        node.states[from] = 'R'
        node.numbers[from] = Math.max(get(node.numbers, from), number)
        if (activity === 'H') {
          if (node.token !== null) {
            const { states, numbers, fence } = node.token
            node.token = {
              states: states.with(from, 'R'),
              numbers: numbers.with(from, node.numbers[from]),
              fence,
            }
          }
          handOn(node, here)
        }
      },
    },
  }),
  of: 'singhal-heuristic',
  published: null,
  fails: 'rules',
  rule: 'A node takes every request for a new one, whatever its number.',
  failure:
    'A request that was served while still under way reaches the idle holder, which sends the token to a node ' +
    'that does not wait.',
  repair: 'Discard a request unless its number is above the last one known here and in the token.',
  instance: { nodes: 3, requests: 2, channels: 'unordered' },
}
