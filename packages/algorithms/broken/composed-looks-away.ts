import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { composedBy, coordinate } from '../src/zones/composed.ts'
import { coordinatorAt } from '../src/zones/seat.ts'

export const variant: BrokenVariant = {
  algorithm: renamed(
    'composed-looks-away',
    composedBy((handling) => {
      const isBack = coordinatorAt(handling.node).stands === 'back'
      return coordinate(handling) && !isBack
    }),
  ),
  of: 'composed',
  published: null,
  fails: 'no-deadlock',
  rule: 'A coordinator that is back inside looks for waiting nodes when the next message comes.',
  failure:
    'A node of its zone got in line behind it before it was back. No other message comes, and nobody asks for that node.',
  repair: 'It looks at once, since a request may have come while it waited itself.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
