/** Runs whose requests are for several resources. */
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { FIRST, readQuery, withAlgorithm, writeQuery } from '../src/rooms/theatre/theatre-query.ts'
import { propertiesAt } from '../src/run/properties.ts'
import { nodeText } from '../src/scene/node-shape.ts'
import { watched } from './runs.ts'

const SCRIPT = 'script:0 request 0 resources 0,1; 0 request 1 resources 2,3; 0.5 request 2 resources 1,2'

test('those with different resources are inside together, and all is well; each says what it has or asks for', () => {
  const run = watched({ algorithm: 'bouabdallah-laforest', load: SCRIPT, inside: 'constant:9' })
  const positions = run.recording.happenings.map((_, i) => i + 1)
  const moment = get(
    positions.map((position) => run.at(position)).filter(({ inside }) => inside.length === 2),
    0,
  )
  expect(moment.nodes.map(nodeText)).toEqual([
    'node 0, inside with 0, 1, has 2 tokens',
    'node 1, inside with 2, 3, has 2 tokens',
    'node 2, waiting for 1, 2',
  ])
  const properties = propertiesAt(run.recording, moment, run.world.config.algorithm)
  expect(properties.every(({ holds }) => holds === true)).toBe(true)
  expect(properties[0]).toMatchObject({
    title: 'At most one inside with each resource',
    reason: 'Nodes 0, 1 are inside, with different resources.',
  })
})

test('those with a common resource are shown as violating, and the others are not', () => {
  const load = 'script:0 request 0 resources 0,1; 0 request 1 resources 2,3; 0.5 request 2 resources 1'
  const run = watched({ algorithm: 'bouabdallah-laforest-answers-inside', load, inside: 'constant:9' })
  const moment = run.at(get(run.recording.violations, 0).position)
  expect(moment.inside).toHaveLength(3)
  expect(moment.nodes.map(({ isViolating }) => isViolating)).toEqual([true, false, true])
  const [exclusion] = propertiesAt(run.recording, moment, run.world.config.algorithm)
  expect(exclusion).toMatchObject({
    holds: false,
    reason: 'Nodes 0, 2 are inside together with the same resource.',
  })
})

test('the address keeps how many there are, and another algorithm has none', () => {
  const spec = { ...withAlgorithm(FIRST, 'ordered-resources'), resources: 6, take: 3 }
  const query = writeQuery({ spec, hands: [], position: null, trace: undefined, isViolating: false })
  expect(query).toMatchObject({ resources: '6', take: '3' })
  expect(readQuery(query).spec).toMatchObject({ resources: 6, take: 3 })
  expect(withAlgorithm(spec, 'raymond').resources).toBeUndefined()
})
