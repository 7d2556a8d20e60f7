import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { ask, composedBy, coordinate, leave } from '../src/zones/composed.ts'
import { coordinatorAt, someoneWaits } from '../src/zones/seat.ts'

export const variant: BrokenVariant = {
  algorithm: renamed(
    'composed-early-release',
    composedBy((handling) => {
      const coordinator = coordinatorAt(handling.node)
      if (coordinator.stands === 'open' && someoneWaits(handling, 'outer')) {
        coordinator.stands = 'returning'
        leave(handling, 'outer')
        return ask(handling, 'inner')
      }
      if (coordinator.stands !== 'back') return coordinate(handling)
      coordinator.stands = 'shut'
      return true
    }),
  ),
  of: 'composed',
  published: null,
  fails: 'exclusion',
  rule: 'A coordinator leaves the outer section as soon as another zone waits, and then asks to be back inside its own.',
  failure: 'A node of its zone is still inside when a node of the other zone enters.',
  repair: 'It leaves the outer section when it is back inside the inner one: then nobody of its zone is.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
