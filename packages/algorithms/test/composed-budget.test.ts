import { type Algorithm, impossible } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { checkModel, instanceOf, type Model } from '../../../scripts/models.ts'
import { extent } from '../../../test/extent.ts'
import {
  composed,
  composedBy,
  coordinate,
  type Options,
  type State,
  type Wrapped,
} from '../src/zones/composed.ts'
import { type Coordinator, coordinatorAt, someoneWaits } from '../src/zones/seat.ts'
import { measured } from './measured.ts'

/** A coordinator that remembers that another zone waited when its own was let in. */
interface Pressed extends Coordinator {
  pressed?: boolean
}

/** Says `impossible` where a zone takes more turns than this while another waits. */
function turnsAtMost(most: number): Algorithm<State, Wrapped, Options> {
  const counting = composedBy((handling) => {
    const coordinator: Pressed = coordinatorAt(handling.node)
    const { stands, since } = coordinator
    if (stands === 'let in') coordinator.pressed = someoneWaits(handling, 'outer')
    const goesOn = coordinate(handling)
    if (coordinator.stands !== 'shut' && coordinator.stands !== 'asking') return goesOn
    const taken = handling.node.turns - (since ?? handling.node.turns)
    if (coordinator.pressed === true && taken > most) impossible(`a zone took ${taken} turns`)
    coordinator.pressed = false
    return goesOn
  })
  const { state } = composed.shapes
  const shape = state.coordinator
  if (typeof shape === 'string') throw new TypeError('the shape of a coordinator has no fields')
  const fields = { ...shape.fields, pressed: 'data' } as const
  return {
    ...counting,
    shapes: {
      ...composed.shapes,
      state: { ...state, coordinator: { fields } },
    },
  }
}

function failing(most: number, model: Model): string | null {
  return checkModel(instanceOf(turnsAtMost(most), model)).failure?.name ?? null
}

describe('a zone of m nodes takes localTurns - 1 + m turns at most while another waits, and that many', () => {
  const lines = extent(['central-coordinator'], ['central-coordinator', 'token-queue'])
  test.each(lines)('%s', (inner) => {
    for (const localTurns of extent([2], [2, 3])) {
      const set = [`inner=${inner}`, `localTurns=${localTurns}`]
      const world: Model = { nodes: 3, requests: localTurns, set }
      expect(failing(localTurns + 1, world)).toBeNull()
      expect(failing(localTurns, world)).toBe('rules')
    }
  })
})

test('a larger budget changes zones less often, and lets others wait longer', () => {
  const cost = (localTurns: number) => {
    const set = ['zones=3', 'inner=token-queue', 'outer=token-queue', `localTurns=${localTurns}`]
    const { messages, fairness } = measured('composed', { nodes: 9, load: 'heavy', entries: 400, set })
    const between = Object.entries(messages.byType).filter(([type]) => type.startsWith('outer-'))
    return { between: between.reduce((sum, [, count]) => sum + count, 0), bypassed: fairness.maxBypass }
  }
  const [small, large] = [cost(1), cost(12)]
  expect(large.between).toBeLessThan(small.between / 2)
  expect(large.bypassed).toBeGreaterThan(small.bypassed)
})
