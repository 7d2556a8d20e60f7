import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { handOn, singhalHeuristic, tell } from '../src/token/singhal-heuristic.ts'

export const variant: BrokenVariant = {
  algorithm: renamed<typeof singhalHeuristic>('singhal-heuristic-drops-outdated', {
    ...singhalHeuristic,
    receive: {
      ...singhalHeuristic.receive,
      request(node, here, { number }, from) {
        if (number <= node.numbers[from]) return
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
    'An outdated request is discarded, and one that only the token knows to be outdated is noted until the node ' +
    'leaves; only a node that is itself requesting sends its own request back.',
  failure:
    'A request that was served travels on to a node that has the token since: this node forgets the sender, as the ' +
    'sender forgot it on leaving. The next request of the sender goes past the node with the idle token.',
  repair: 'Answer an outdated request with the own latest one, unless the sender was sent it already.',
  instance: { nodes: 3, requests: 2, channels: 'unordered' },
}
