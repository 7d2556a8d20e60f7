import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ask, composedBy, coordinate, leave } from '../src/zones/composed.ts'
import { coordinatorAt, someoneWaits } from '../src/zones/seat.ts'

export const variant: BrokenVariant = {
  algorithm: renamed(
    'composed-never-leaves',
    composedBy((handling) => {
      const coordinator = coordinatorAt(handling.node)
      if (coordinator.stands !== 'back' || !someoneWaits(handling, 'inner')) return coordinate(handling)
      coordinator.stands = 'returning'
      leave(handling, 'inner')
      return ask(handling, 'inner')
    }),
  ),
  of: 'composed',
  published: null,
  fails: 'no-starvation',
  rule: 'A coordinator that is back steps behind the nodes that wait in its zone, however many turns the zone has had.',
  failure: 'Two nodes of a zone ask again and again. The other zone never gets its turn.',
  repair: 'After `localTurns` turns it lets the other zone in.',
  instance: { nodes: 3, requests: 'any', channels: 'unordered' },
}
