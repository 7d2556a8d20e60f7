/** Runs in which some requests share. */
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { wordsOf } from '../src/run/recorded-words.ts'
import { marksOf } from '../src/scene/message-marks.ts'
import { nodeText } from '../src/scene/node-shape.ts'
import { spaceTime } from '../src/scene/spacetime.ts'
import { spaceTimeShapes } from '../src/scene/spacetime-shapes.ts'
import { svgText } from '../src/scene/svg-shape.ts'
import { specOf, watched } from './runs.ts'

test('the picture says which nodes share, and the diagram which waits and stays are shared', () => {
  const load = 'script:0 request 0 shared; 0 request 1 shared; 0.5 request 2'
  const { recording, at } = watched({ load, inside: 'constant:4' })
  const moment = get(
    recording.happenings.map((_, i) => at(i + 1)).filter(({ inside }) => inside.length === 2),
    0,
  )
  expect(moment.nodes.map(nodeText)).toEqual([
    'node 0, inside to share',
    'node 1, inside to share',
    'node 2, waiting',
  ])
  const picture = spaceTime(recording, { from: 0, to: 20_000_000 }, marksOf(recording.types))
  const bars = picture.bars.map(({ is, node }) => `${is} ${node}`).toSorted()
  expect(bars).toEqual([
    'inside 2',
    'sharing 0',
    'sharing 1',
    'waiting 2',
    'waiting-to-share 0',
    'waiting-to-share 1',
  ])
  const drawn = spaceTimeShapes(picture, { width: 600, height: 200, isUpright: false }).map((one) =>
    svgText(one),
  )
  expect(drawn.filter((text) => text.includes('class="bar sharing"'))).toHaveLength(2)
})

test.each([
  ['readers', { readers: 0.5, entries: 12 }],
  ['priorities', { algorithm: 'token-queue', priorities: '5=0.4', set: ['passes=2'], entries: 12 }],
  ['resources', { algorithm: 'bouabdallah-laforest', nodes: 4, resources: 5, take: 3, entries: 8 }],
])('the record of a run with %s has the words to play it again', (_, changes) => {
  const run = watched(changes)
  const { algorithm, nodes, set, resources } = run.spec
  const shown = specOf({ algorithm, nodes, set, resources, load: 'hands' })
  const words = wordsOf(run.recording, shown)
  const again = typeof words === 'string' ? null : watched(words.spec, words.hands)
  expect(again?.recording.happenings).toEqual(run.recording.happenings)
})
