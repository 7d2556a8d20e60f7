import { describe, expect, test } from 'vitest'
import { nextEntry } from '../src/run/moment.ts'
import { MOST_NODES_SHOWN } from '../src/run/spec.ts'
import { layoutOf } from '../src/scene/layout.ts'
import { marksOf } from '../src/scene/legend.ts'
import { shape, svgFile, svgText } from '../src/scene/shape.ts'
import { spaceTime } from '../src/scene/spacetime.ts'
import { spaceTimeShapes } from '../src/scene/spacetime-shapes.ts'
import { shareOf, topologyShapes } from '../src/scene/topology.ts'
import { type Watched, watched } from './runs.ts'

function topologySvg(run: Watched, position: number, between = 0): string {
  const { recording, world } = run
  const { algorithm, setup } = world.config
  const moment = run.at(position)
  const next = recording.happenings[position]?.at ?? moment.at
  const shapes = topologyShapes({
    protocol: algorithm,
    setup,
    layout: layoutOf(algorithm.facts, setup, 640, 400),
    marks: marksOf(recording.types),
    moment,
    now: moment.at + between * (next - moment.at),
    selected: null,
  })
  return svgFile(shapes, 640, 400)
}

describe('the topology', () => {
  test.each([
    ['ricart-agrawala', { nodes: 3, load: 'script:0 request 2; 0.5 request 1' }, 0.5],
    ['token-ring', { nodes: 5, entries: 4 }, 0],
    ['raymond', { nodes: 7, entries: 7, topology: 'tree' }, 0.5],
    ['naimi-trehel', { nodes: 5, entries: 5 }, 0],
    ['maekawa', { nodes: 7, entries: 7 }, 0.5],
    ['central-coordinator', { nodes: 6, entries: 6 }, 0],
    ['helary-plouzeau-raynal', { nodes: 6, entries: 6, topology: 'random:7' }, 0],
    ['raymond-k', { nodes: 5, entries: 10 }, 0],
  ] as const)('%s at its second entry', async (algorithm, changes, between) => {
    const run = watched({ algorithm, ...changes })
    const position = nextEntry(run.recording, nextEntry(run.recording, 0))
    await expect(topologySvg(run, position, between)).toMatchFileSnapshot(`__snapshots__/${algorithm}.svg`)
  })

  test('crashed, paused, cut and lost look like it', async () => {
    const run = watched({ nodes: 4, load: 'script:0 request 0; 0 request 1; 0 request 2' }, [
      { after: 4, at: 0, act: { does: 'crash', node: 3 } },
      { after: 4, at: 0, act: { does: 'pause', node: 2 } },
      { after: 4, at: 0, act: { does: 'cut', from: 0, to: 1 } },
      { after: 4, at: 0, act: { does: 'duplicate', id: 4, to: 0 } },
    ])
    expect(run.played.refused).toEqual([])
    const position = run.recording.happenings.findIndex(({ cause }) => cause.is === 'cut') + 1
    await expect(topologySvg(run, position, 0.4)).toMatchFileSnapshot('__snapshots__/faults.svg')
  })

  test('no two nodes stand on each other, in any shape and size', () => {
    for (const [algorithm, topology] of [
      ['ricart-agrawala', undefined],
      ['raymond', 'tree:3'],
      ['raymond', 'line'],
      ['helary-plouzeau-raynal', 'grid'],
      ['helary-plouzeau-raynal', 'random'],
      ['helary-plouzeau-raynal', 'star'],
    ] as const) {
      for (const nodes of [1, 2, 3, 10, 60]) {
        const { world } = watched({ algorithm, nodes, topology, entries: 1 })
        const { points, radius } = layoutOf(world.config.algorithm.facts, world.config.setup, 800, 480)
        points.forEach((a, i) => {
          expect(a.x).toBeGreaterThanOrEqual(radius)
          expect(a.x).toBeLessThanOrEqual(800 - radius)
          expect(a.y).toBeGreaterThanOrEqual(radius)
          expect(a.y).toBeLessThanOrEqual(480 - radius)
          for (const b of points.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(4)
        })
      }
    }
  })

  test('hundreds of nodes still draw, without names', () => {
    const run = watched({ nodes: MOST_NODES_SHOWN, algorithm: 'suzuki-kasami', entries: 3, load: 'light' })
    const svg = topologySvg(run, 5)
    expect(svg.match(/data-node/g)).toHaveLength(MOST_NODES_SHOWN)
    expect(svg).not.toContain('class="name"')
    expect(svg.length).toBeLessThan(1_000_000)
  })

  test('a letter is where its delay says', () => {
    const letter = { sentAt: 100, endsAt: 200 } as Parameters<typeof shareOf>[0]
    expect([50, 100, 150, 250].map((now) => shareOf(letter, now))).toEqual([0, 0, 0.5, 1])
    expect(shareOf({ ...letter, endsAt: null }, 150)).toBe(0.5)
  })
})

describe('the space-time diagram', () => {
  const hands = [{ after: 6, at: 0, act: { does: 'crash', node: 2 } as const }]

  test.each([
    ['wide', false],
    ['upright', true],
  ] as const)('%s', async (name, isUpright) => {
    const { recording } = watched({ nodes: 4, entries: 4 }, hands)
    const picture = spaceTime(recording, { from: 0, to: 6_000_000 }, marksOf(recording.types))
    const svg = svgFile(spaceTimeShapes(picture, { width: 640, height: 240, isUpright }), 640, 240)
    await expect(svg).toMatchFileSnapshot(`__snapshots__/space-time-${name}.svg`)
  })

  test('a window shows what a look at everything shows there', () => {
    const { recording } = watched({ algorithm: 'maekawa', nodes: 7, entries: 60, latency: 'uniform:0.5,3' })
    const marks = marksOf(recording.types)
    const all = spaceTime(recording, { from: 0, to: Number.MAX_SAFE_INTEGER }, marks)
    for (const from of [0, 10_500_000, 33_000_000]) {
      const to = from + 5_000_000
      const { arrows, points, bars } = spaceTime(recording, { from, to }, marks)
      const touches = (a: { sentAt: number; endsAt: number }) => a.sentAt <= to && a.endsAt >= from
      expect(new Set(arrows.filter(touches))).toEqual(new Set(all.arrows.filter(touches)))
      expect(points).toEqual(all.points.filter(({ at }) => at >= from && at <= to))
      expect(bars).toEqual(all.bars.filter((bar) => bar.from <= to && bar.to >= from))
    }
  })

  test('too much to draw is told, not drawn', () => {
    const { recording } = watched({ nodes: 6, entries: 30 })
    const picture = spaceTime(recording, { from: 0, to: 1e12 }, marksOf(recording.types), 100)
    expect(picture.arrows).toEqual([])
    expect(picture.leftOut).toBe(300)
    expect(picture.bars.length).toBeGreaterThan(0)
  })
})

test('types of messages have different letters', () => {
  const types = ['request', 'reply', 'release', 'relinquish', 'request-token', 'grant']
  const marks = marksOf(types)
  const letters = types.map((type) => marks.get(type)?.letter)
  expect(new Set(letters).size).toBe(types.length)
  expect(letters[0]).toBe('R')
})

test('texts are escaped', () => {
  expect(svgText(shape('text', 'a', { className: '"<' }, ['<&>']))).toBe(
    '<text class="&quot;&lt;">&lt;&amp;&gt;</text>',
  )
})
