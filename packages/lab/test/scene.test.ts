import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { nextEntry } from '../src/run/moment.ts'
import { MOST_NODES_SHOWN } from '../src/run/spec.ts'
import { marksOf } from '../src/scene/message-marks.ts'
import { layoutOf } from '../src/scene/network-layout.ts'
import { endOf, spaceTime, windowAt } from '../src/scene/spacetime.ts'
import { spaceTimeShapes } from '../src/scene/spacetime-shapes.ts'
import { shape, svgFile, svgText } from '../src/scene/svg-shape.ts'
import { letterNear, linkNear, type Stage, shareOf, topologyShapes } from '../src/scene/topology-shapes.ts'
import { type Watched, watched } from './runs.ts'

function stageOf(run: Watched, position: number, between = 0): Stage {
  const { recording, world } = run
  const { algorithm, setup } = world.config
  const moment = run.at(position)
  const next = recording.happenings[position]?.at ?? moment.at
  return {
    protocol: algorithm,
    setup,
    layout: layoutOf(algorithm.facts, setup, 640, 400),
    marks: marksOf(recording.types),
    moment,
    now: moment.at + between * (next - moment.at),
    selected: null,
  }
}

function topologySvg(run: Watched, position: number, between = 0): string {
  return svgFile(topologyShapes(stageOf(run, position, between)), 640, 400)
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
    ['composed', { nodes: 7, entries: 7, set: ['zones=3'] }, 0],
    ['token-queue', { nodes: 4, entries: 6, set: ['zones=3', 'passes=9'] }, 0],
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

  test('a circle of nodes reaches all four edges, however many they are', () => {
    for (const nodes of [3, 4, 5, 6, 7, 13]) {
      const { world } = watched({ nodes, entries: 1 })
      const { points, radius } = layoutOf(world.config.algorithm.facts, world.config.setup, 800, 480)
      const margin = radius + 26
      const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)]
      const edges = [Math.min(...xs), 800 - Math.max(...xs), Math.min(...ys), 480 - Math.max(...ys)]
      for (const edge of edges) expect(edge).toBeCloseTo(margin)
    }
  })

  test('hundreds of nodes still draw, without names', () => {
    const run = watched({ nodes: MOST_NODES_SHOWN, algorithm: 'suzuki-kasami', entries: 3, load: 'light' })
    const svg = topologySvg(run, 5)
    expect(svg.match(/data-node/g)).toHaveLength(MOST_NODES_SHOWN)
    expect(svg).not.toContain('class="name"')
    expect(svg.length).toBeLessThan(1_000_000)
  })

  test('a crowd has no small texts, and few shapes', async () => {
    const run = watched({ nodes: 20, entries: 40, latency: 'uniform:0.5,3' })
    const svg = topologySvg(run, 700, 0.5)
    await expect(svg).toMatchFileSnapshot('__snapshots__/crowd.svg')
    expect(svg.match(/class="tally"/g)?.length).toBeGreaterThan(5)
    expect(svg.match(/data-link="/g)).toBeNull()
  })

  test('what is drawn as one shape can be pointed at one by one', () => {
    const run = watched({ algorithm: 'lamport', nodes: 20, entries: 40, latency: 'uniform:0.5,3' })
    const stage = [...run.recording.happenings.keys()]
      .map((position) => stageOf(run, position, 0.5))
      .find(({ moment }) => moment.underWay.length > 80)
    if (stage === undefined) throw new Error('no moment with many letters')
    const dots = topologyShapes(stage).find(({ key }) => key === 'letters')?.children ?? []
    expect(dots.length).toBeLessThanOrEqual(3)
    const places = dots.flatMap((dot) =>
      typeof dot === 'string'
        ? []
        : String(dot.attributes['d'])
            .split(' h 0')
            .map((text) => text.trim()),
    )
    const drawn = places.filter(Boolean).map((text) => text.split(' ').slice(1).map(Number))
    expect(drawn).toHaveLength(stage.moment.underWay.length)
    const met = new Set(drawn.map(([x = Number.NaN, y = Number.NaN]) => letterNear(stage, { x, y })))
    expect(met.has(null)).toBe(false)
    // Some lie on each other.
    expect(met.size).toBeGreaterThan(0.9 * drawn.length)
    expect(letterNear(stage, { x: -100, y: -100 })).toBeNull()
    const { points } = stage.layout
    const middle = {
      x: (get(points, 3).x + get(points, 11).x) / 2,
      y: (get(points, 3).y + get(points, 11).y) / 2,
    }
    expect(linkNear('0-1 3-11 2-19', stage.layout, middle)).toEqual([3, 11])
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

  test('the window stands still for a quarter of itself, and the cursor is always within it', () => {
    const [span, end] = [40, 1000]
    const windows = Array.from({ length: end }, (_, now) => ({ now, ...windowAt(now, span, end) }))
    for (const { now, from, to } of windows) {
      expect(from <= now && now <= to && to - from === span).toBe(true)
      // What comes next is in sight, until the end.
      if (to < end) expect(to - now).toBeGreaterThanOrEqual(span / 4)
    }
    expect(new Set(windows.map(({ from }) => from)).size).toBeLessThanOrEqual(end / (span / 4))
  })

  test('too much to draw is told, not drawn', () => {
    const { recording } = watched({ nodes: 6, entries: 30 })
    const picture = spaceTime(recording, { from: 0, to: 1e12 }, marksOf(recording.types), 100)
    expect(picture.arrows).toEqual([])
    expect(picture.leftOut).toBe(300)
    expect(picture.bars.length).toBeGreaterThan(0)
  })
})

test('who is inside together is seen together, and for as long as that lasts', () => {
  const run = watched({ algorithm: 'ricart-agrawala-without-tie-break', entries: 2, nodes: 2 })
  const { recording } = run
  const finding = get(recording.violations, 0)
  expect(run.at(finding.position).nodes.map(({ isViolating }) => isViolating)).toEqual([true, true])
  expect(run.at(finding.position - 2).nodes.some(({ isViolating }) => isViolating)).toBe(false)
  const { bars } = spaceTime(recording, { from: 0, to: 1e12 }, marksOf(recording.types))
  const together = bars.filter(({ is }) => is === 'together')
  const leaves = recording.stays.map(({ untilAt }) => untilAt ?? 0)
  const from = run.at(finding.position).at
  expect(together).toEqual([0, 1].map((node) => ({ is: 'together', node, from, to: Math.min(...leaves) })))
  // Where the run ends with both inside, the entry of the second is seen too.
  const open = { ...recording, stays: recording.stays.map((stay) => ({ ...stay, untilAt: null })) }
  expect(endOf(open)).toBeGreaterThan(endOf(recording))
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
