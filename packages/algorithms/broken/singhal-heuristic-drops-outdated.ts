import { get } from '@turnwise/core/bounds'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { handOn, singhalHeuristic, tell } from '../src/token/singhal-heuristic.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof singhalHeuristic>('singhal-heuristic-drops-outdated', {
    ...singhalHeuristic,
    receive: {
      ...singhalHeuristic.receive,
      request(node, here, { number }, from) {
        if (number <= get(node.numbers, from)) return
        node.numbers[from] = number
        node.states[from] = 'R'
        if (node.states[here.self] === 'R') tell(node, here, from)
        if (node.states[here.self] === 'H') handOn(node, here)
      },
    },
  }),
  of: 'singhal-heuristic',
  published: 'velazquez-1993 §4',
  fails: 'no-deadlock',
  rule:
    'A node discards an outdated request. If only the token knows that it is outdated, the node notes it until it ' +
    'leaves. Only a requesting node sends its own request back.',
  failure:
    'A served request travels on to a node that has since got the token. This node forgets the sender, as the ' +
    'sender forgot it on leaving. The next request of the sender does not go to the node with the idle token.',
  repair: 'Answer an outdated request with the own latest request, unless the sender already got it.',
  instance: { nodes: 3, requests: 2, channels: 'unordered' },
}
