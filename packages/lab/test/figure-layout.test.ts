import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import type { Figure, Panel, Series } from '../src/chart/figure.ts'
import { type FigureLayout, layoutFigure, type PanelLayout } from '../src/chart/figure-layout.ts'
import { labelPitch, pushedApart } from '../src/chart/line-labels.ts'
import { markOf } from '../src/chart/palette.ts'
import type { Box } from '../src/chart/style.ts'
import { fitText, textWidth, wrapText } from '../src/chart/text.ts'

const overlap = (one: Box, other: Box): boolean =>
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height

/** The names at the ends of a panel's lines, each with the height that its neighbours must leave it. */
function labelBoxes({ plot, labels }: PanelLayout): Box[] {
  return labels.map(({ place, width }) => ({
    x: plot.x + place.x,
    y: plot.y + place.y - labelPitch / 2,
    width,
    height: labelPitch,
  }))
}

/** Everything that must stay clear of everything else. */
function boxes({ width, heading, panels, legend }: FigureLayout): Box[] {
  return [
    ...heading.map(({ baseline, style }) => ({ x: 0, y: baseline - style.size, width, height: style.size })),
    ...panels.map(({ box }) => box),
    ...[...legend.entries, ...legend.notes].map(({ box }) => box),
  ]
}

function expectClean(layout: FigureLayout): void {
  const all = boxes(layout)
  for (const [index, box] of all.entries()) {
    expect(box.x + box.width).toBeLessThanOrEqual(layout.width)
    expect(box.y + box.height).toBeLessThanOrEqual(layout.height)
    expect(all.slice(index + 1).filter((other) => overlap(box, other))).toEqual([])
  }
  for (const panel of layout.panels) {
    for (const [index, label] of labelBoxes(panel).entries()) {
      expect(label.x).toBeGreaterThan(panel.plot.x + panel.plot.width)
      expect(label.x + label.width).toBeLessThanOrEqual(panel.box.x + panel.box.width + 0.01)
      expect(
        labelBoxes(panel)
          .slice(index + 1)
          .filter((other) => overlap(label, other)),
      ).toEqual([])
    }
  }
}

function manySeries(count: number, name = (index: number): string => `Algorithm ${index}`): Series[] {
  return Array.from({ length: count }, (_, index) => ({
    name: name(index),
    colourIndex: index,
    points: [5, 10, 20].map((x) => ({ x, y: x * (index + 1), low: x, high: x * (index + 2) })),
    theory: [5, 20].map((x) => ({ x, y: x * (index + 1) })),
  }))
}

function samePanels(count: number, series: Series[]): Panel[] {
  return Array.from({ length: count }, () => ({
    title: 'Delay',
    xLabel: 'nodes',
    yLabel: 'delay (T)',
    series,
  }))
}

const figure = (panelCount: number, series: Series[]): Figure => ({
  title: 'A comparison with a title of some length, so that it may have to break',
  subtitle: 'load 1, latency 1 T, twenty runs of two thousand entries each, seed 1, 95 % intervals',
  panels: samePanels(panelCount, series),
})

describe('nothing overlaps and nothing is cut off', () => {
  test.each([
    [1, 1],
    [1, 40],
    [2, 7],
    [3, 6],
    [3, 40],
    [4, 12],
    [7, 40],
  ])('%i panels, %i series', (panelCount, seriesCount) => {
    const layout = layoutFigure(figure(panelCount, manySeries(seriesCount)))
    expect(layout.panels).toHaveLength(panelCount)
    const named = seriesCount <= 10
    expect(layout.legend.entries).toHaveLength(named ? 0 : seriesCount)
    for (const { labels } of layout.panels) expect(labels).toHaveLength(named ? seriesCount : 0)
    expectClean(layout)
  })

  test('40 series with names of up to 40 letters', () => {
    const layout = layoutFigure(
      figure(
        3,
        manySeries(40, (index) => `${index}`.padEnd(index + 1, 'm')),
      ),
    )
    expectClean(layout)
    for (const { box, label } of layout.legend.entries) {
      expect(box.width).toBeGreaterThan(textWidth(label, { size: 13 }))
    }
  })

  test('a name wider than the figure is cut', () => {
    const layout = layoutFigure(
      figure(
        1,
        manySeries(2, (index) => `${index} ${'endless '.repeat(40)}`),
      ),
    )
    expectClean(layout)
    expect(layout.legend.entries[0]?.label).toMatch(/…$/)
  })

  test('a figure without panels is a heading', () => {
    expectClean(layoutFigure({ title: 'Nothing', panels: [] }))
  })

  test('long numbers under one axis are thinned out', () => {
    const series = manySeries(1).map((one) => ({
      ...one,
      points: [80_000, 81_000, 82_000, 82_500, 87_000].map((x) => ({ x, y: 1 })),
      theory: [],
    }))
    const panel = get(layoutFigure(figure(1, series)).panels, 0)
    expect(panel.slanted).toBe(false)
    // From the right: each label that leaves room for the one after it.
    expect(panel.x.ticks.map(({ label }) => label)).toEqual(['', '81,000', '', '82,500', '87,000'])
  })

  test('40 long names under one axis are thinned out', () => {
    const xTicks = Array.from({ length: 40 }, (_, index) => `load number ${index}`)
    const panel = get(samePanels(1, manySeries(2)), 0)
    const layout = layoutFigure({ title: 'Loads', panels: [{ ...panel, xTicks }] })
    expect(layout.panels[0]?.slanted).toBe(true)
    expect(layout.panels[0]?.x.ticks.filter(({ label }) => label !== '').length).toBeLessThan(20)
    expectClean(layout)
  })
})

describe('the names at the ends of the lines', () => {
  const shorter: Series = { name: 'Short', colourIndex: 9, points: [5, 10].map((x) => ({ x, y: 3 })) }
  const labelsOf = (series: Series[], others = {}): string[] =>
    get(layoutFigure({ ...figure(1, series), ...others }).panels, 0).labels.map(({ name }) => name)

  test('stand from top to bottom as the lines end', () => {
    expect(labelsOf(manySeries(3))).toEqual(['Algorithm 2', 'Algorithm 1', 'Algorithm 0'])
  })

  test('leave lines that end before the others to the legend, and names as long as a sentence', () => {
    const long = {
      ...get(manySeries(1), 0),
      name: 'a name that is longer than the chart has room for',
      colourIndex: 8,
    }
    const series = [...manySeries(2), shorter, long]
    expect(labelsOf(series)).toEqual(['Algorithm 1', 'Algorithm 0'])
    const { entries } = layoutFigure(figure(1, series)).legend
    expect(entries.map(({ name }) => name)).toEqual(['Short', long.name])
  })

  test('are left to the legend where a single size was measured: there is no line', () => {
    const dots = manySeries(2).map((series) => ({ ...series, points: [{ x: 5, y: 1 }], theory: [] }))
    expect(labelsOf(dots)).toEqual([])
    expect(layoutFigure(figure(1, dots)).legend.entries).toHaveLength(2)
  })

  test('a series that one panel cannot name is told in the legend', () => {
    const [first, second] = atLeast(2, manySeries(2))
    const cut = { ...second, points: second.points.slice(0, 2) }
    const panels = [...samePanels(1, [first, second]), ...samePanels(1, [first, cut])]
    const { legend, panels: drawn } = layoutFigure({ title: 'Two', panels })
    expect(drawn.map(({ labels }) => labels.length)).toEqual([2, 1])
    expect(legend.entries.map(({ name }) => name)).toEqual(['Algorithm 1'])
  })
})

describe('things that would touch are pushed apart', () => {
  const frame = { pitch: 10, from: 0, to: 100 }

  test('as little as possible, and not at all where there is room', () => {
    expect(pushedApart([], frame)).toEqual([])
    expect(pushedApart([0, 10, 50, 100], frame)).toEqual([0, 10, 50, 100])
    expect(pushedApart([50, 50], frame)).toEqual([45, 55])
    expect(pushedApart([20, 48, 50, 52, 80], frame)).toEqual([20, 40, 50, 60, 80])
    // The block of the first two comes to touch the third, which then belongs to it.
    expect(pushedApart([50, 50, 56], frame)).toEqual([42, 52, 62])
  })

  test('within the ends', () => {
    expect(pushedApart([0, 0, 0], frame)).toEqual([0, 10, 20])
    expect(pushedApart([95, 100, 100], frame)).toEqual([80, 90, 100])
    expect(pushedApart([0, 0, 100, 100], frame)).toEqual([0, 10, 90, 100])
  })

  test('keep their order and their distance, whatever is wished', () => {
    const draw = randomStream(1, 'labels')
    for (let round = 0; round < 200; round += 1) {
      const wished = Array.from({ length: 11 }, () => 100 * draw.fraction()).toSorted((a, b) => a - b)
      const places = pushedApart(wished, frame)
      const steps = places.slice(1).map((place, index) => place - get(places, index))
      expect(Math.min(...steps)).toBeGreaterThan(10 - 1e-9)
      expect(places[0]).toBeGreaterThanOrEqual(0)
      expect(places[10]).toBeLessThanOrEqual(100 + 1e-9)
    }
  })

  test('what does not fit goes over the end', () => {
    expect(pushedApart([0, 0, 0], { pitch: 10, from: 0, to: 15 })).toEqual([0, 10, 20])
  })
})

describe('a figure for a given width', () => {
  test.each([320, 390, 500, 640, 820, 960, 1024, 1200, 1440, 1920])('fits into %i pixels', (width) => {
    for (const [panelCount, columns] of [
      [1, 1],
      [4, 2],
      [8, 2],
      [12, 3],
    ] as const) {
      const layout = layoutFigure({ ...figure(panelCount, manySeries(4)), columns, width })
      expect(layout.width).toBeLessThanOrEqual(width)
      expectClean(layout)
    }
  })

  test('gives up the names first, then the columns', () => {
    const shape = (width: number) => {
      const { panels } = layoutFigure({ ...figure(4, manySeries(4)), width })
      return {
        columns: new Set(panels.map(({ box }) => box.x)).size,
        named: get(panels, 0).labels.length > 0,
      }
    }
    expect(shape(1200)).toEqual({ columns: 2, named: true })
    expect(shape(700)).toEqual({ columns: 2, named: false })
    expect(shape(600)).toEqual({ columns: 1, named: true })
    expect(shape(360)).toEqual({ columns: 1, named: false })
  })

  test('has its legend above a column of charts', () => {
    const { panels, legend, height } = layoutFigure({ ...figure(4, manySeries(4)), width: 360 })
    expect(legend.box.y + legend.box.height).toBeLessThan(get(panels, 0).box.y)
    expect(get(panels, 3).box.y + get(panels, 3).box.height).toBeLessThan(height)
  })
})

describe('the legend', () => {
  test('uses the width before the height, and reads from top to bottom', () => {
    const { entries, box } = layoutFigure(figure(3, manySeries(40))).legend
    const columns = new Set(entries.map((entry) => entry.box.x)).size
    expect(columns).toBeGreaterThan(4)
    expect(box.height).toBeLessThan(40 * 20)
    expect(entries[1]?.box.x).toBe(get(entries, 0).box.x)
    expect(entries[1]?.box.y).toBeGreaterThan(get(entries, 0).box.y)
  })

  test('stands below the panels', () => {
    const { panels: drawn, legend } = layoutFigure(figure(3, manySeries(12)))
    for (const { box } of drawn) expect(box.y + box.height).toBeLessThan(legend.box.y)
  })
})

function shiftsOf(series: Series[], xTicks: 'numeric' | string[] = 'numeric'): number[][] {
  const panel = get(samePanels(1, series), 0)
  const layout = layoutFigure({ title: 'Ties', panels: [{ ...panel, xTicks }] })
  return get(layout.panels, 0).shifts.map(({ markers }) => markers)
}

describe('markers that would hide each other', () => {
  const tied = manySeries(4).map((series) => ({ ...series, points: [5, 10, 50].map((x) => ({ x, y: 1 })) }))

  test('stand side by side around their true place, within the plot', () => {
    const shifts = shiftsOf(tied)
    for (const point of [0, 1, 2]) {
      const column = shifts.map((markers) => get(markers, point))
      expect(new Set(column).size).toBe(4)
      expect(column.reduce((sum, shift) => sum + shift, 0)).toBeCloseTo(0)
      expect(Math.max(...column)).toBeLessThanOrEqual(12)
    }
  })

  test('stay near it, however many they are', () => {
    const many = manySeries(30).map((series) => ({ ...series, points: [5, 50].map((x) => ({ x, y: 1 })) }))
    for (const shift of shiftsOf(many).flat()) expect(Math.abs(shift)).toBeLessThanOrEqual(16)
  })

  test('leave the lines where they are, and the reader is told', () => {
    const layout = layoutFigure(figure(1, tied))
    expect(layout.panels[0]?.shifts.map(({ lines }) => lines)).toEqual([0, 0, 0, 0])
    expect(layout.legend.notes.map(({ kind }) => kind)).toContain('moved')
  })

  test('others do not move', () => {
    expect(
      shiftsOf(manySeries(3))
        .flat()
        .every((shift) => shift === 0),
    ).toBe(true)
  })

  test('whole series stand apart on an axis of names', () => {
    const [first, second] = atLeast(
      2,
      manySeries(2).map((series) => ({
        ...series,
        points: [{ x: 0, y: 1 }],
        theory: [],
      })),
    )
    const shifts = shiftsOf([first, second], ['low', 'high'])
    expect(shifts).toEqual([[-6], [6]])
  })
})

describe('colours and shapes', () => {
  const marks = Array.from({ length: 170 }, (_, index) => markOf(index))

  test('differ as a pair for 170 series, and each for the first seven', () => {
    expect(new Set(marks.map(({ colour, path }) => colour + path)).size).toBe(170)
    expect(new Set(marks.slice(0, 7).map(({ colour }) => colour)).size).toBe(7)
    expect(new Set(marks.slice(0, 7).map(({ path }) => path)).size).toBe(7)
  })

  test('begin with Okabe and Ito', () => {
    expect(marks.slice(0, 3).map(({ colour }) => colour)).toEqual(['#0072B2', '#D55E00', '#009E73'])
  })
})

describe('misuse', () => {
  const series = get(manySeries(1), 0)

  test('a series with two colours is refused, because the legend could show only one', () => {
    const panels = [...samePanels(1, [series]), ...samePanels(1, [{ ...series, colourIndex: 5 }])]
    expect(() => layoutFigure({ title: 'Colours', panels })).toThrow(
      "Expected one colourIndex for series 'Algorithm 0', got 0 and 5",
    )
  })

  test.each([-1, 0.5, Number.NaN])('a colourIndex of %d is no position', (colourIndex) => {
    expect(() => layoutFigure(figure(1, [{ ...series, colourIndex }]))).toThrow(RangeError)
  })
})

describe('text', () => {
  const style = { size: 10 }

  test('is cut to a width, between characters', () => {
    expect(fitText('short', style, 100)).toBe('short')
    const cut = fitText('a rather long text', style, 60)
    expect(cut).toMatch(/^a rat.*…$/)
    expect(textWidth(cut, style)).toBeLessThanOrEqual(60)
    expect(fitText('👩‍🚀👩‍🚀👩‍🚀', style, 45)).toBe('👩‍🚀…')
  })

  test('breaks at spaces', () => {
    expect(wrapText('one two three', style, 50)).toEqual(['one two', 'three'])
    expect(wrapText('', style, 50)).toEqual([])
  })
})
