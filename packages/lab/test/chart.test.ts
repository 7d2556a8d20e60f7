import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { drawCharts } from '../src/chart/draw-charts.ts'
import type { Figure, Panel, Series } from '../src/chart/figure.ts'

const count = (svg: string, pattern: RegExp): number => [...svg.matchAll(pattern)].length
const className = (name: string): RegExp => new RegExp(`class="${name}"`, 'g')

/** The texts of one kind, in document order. */
function texts(svg: string, name: string): string[] {
  return [...svg.matchAll(new RegExp(`<text class="${name}"[^>]*>([^<]*)</text>`, 'g'))].map(
    ([, text = '']) => text,
  )
}

/** The tick labels of one axis of a figure with one panel. */
function tickLabels(svg: string, axis: 'x-axis' | 'y-axis'): string[] {
  const part = new RegExp(`<g class="${axis}"[\\s\\S]*?</g>`).exec(svg)
  return texts(part?.[0] ?? '', 'tick')
}

function series(name: string, colourIndex: number, values: number[], xs = [5, 10, 20, 50]): Series {
  return { name, colourIndex, points: values.map((y, index) => ({ x: get(xs, index), y })) }
}

function panel(...all: Series[]): Panel {
  return { title: 'Messages', xLabel: 'number of nodes', yLabel: 'messages per entry', series: all }
}

const figure = (...panels: Panel[]): Figure => ({ title: 'Comparison', panels })

const raymond = series('Raymond', 0, [3, 4, 4, 4])
const lamport = series('Lamport', 1, [12, 27, 57, 147])

describe('the document', () => {
  const svg = drawCharts({ ...figure(panel(raymond, lamport)), subtitle: 'seed 1' })

  test('stands alone: namespace, size, white ground, title and description', () => {
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 (\d+) (\d+)" width="\1" height="\2"/,
    )
    expect(svg).toMatch(/<rect width="\d+" height="\d+" fill="#ffffff"\/>/)
    expect(svg).toContain('<title>Comparison</title>')
    expect(svg).toContain(
      '<desc>seed 1. Messages: messages per entry against number of nodes. Series: Raymond, Lamport.</desc>',
    )
    expect(texts(svg, 'title')).toEqual(['Comparison'])
    expect(texts(svg, 'subtitle')).toEqual(['seed 1'])
  })

  test('closes every element it opens', () => {
    const open: string[] = []
    for (const [, closing, name = '', empty] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (closing === '/') expect(open.pop()).toBe(name)
      else if (empty === '') open.push(name)
    }
    expect(open).toEqual([])
  })

  test('is the same for the same figure, with at most two decimals', () => {
    const thirds = panel(series('Thirds', 0, [1 / 3, 2 / 3, 4 / 3, 8 / 3]))
    expect(drawCharts(figure(thirds))).toBe(drawCharts(figure(thirds)))
    expect(drawCharts(figure(thirds))).not.toMatch(/\.\d{3}/)
    expect(drawCharts(figure(thirds))).not.toMatch(/NaN|Infinity|undefined|null|-0[^.\d]/)
  })

  test('escapes every text and drops what XML cannot hold', () => {
    const name = `<b>"R&A" 'x'\u0000\u001B`
    const nasty = drawCharts({
      title: '<script>',
      subtitle: 'a & b',
      panels: [
        { title: '<t>', xLabel: '<x>', yLabel: '<y>', xTicks: ['<c>'], series: [series(name, 0, [1], [0])] },
      ],
    })
    expect(nasty).not.toMatch(/<(script|b|t|x|y|c)>/)
    expect(nasty).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/)
    expect(nasty.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(nasty).toContain('&lt;b&gt;&quot;R&amp;A&quot; &#39;x&#39;')
    for (const text of ['&lt;script&gt;', 'a &amp; b', '&lt;t&gt;', '&lt;x&gt;', '&lt;y&gt;', '&lt;c&gt;']) {
      expect(nasty).toContain(text)
    }
  })
})

describe('a panel', () => {
  test('draws a line and a marker per point for each series, with its name at the end', () => {
    const svg = drawCharts(figure(panel(raymond, lamport), panel(raymond)))
    expect(count(svg, className('panel'))).toBe(2)
    expect(count(svg, className('series'))).toBe(3)
    expect(count(svg, className('line-label'))).toBe(3)
    expect(count(svg, className('legend-entry'))).toBe(0)
    expect(count(svg, className('measured'))).toBe(3)
    expect(count(svg, className('marker'))).toBe(3 * 4 + 3)
  })

  test('has one legend for all panels where names do not fit beside the lines', () => {
    const svg = drawCharts({ ...figure(panel(raymond, lamport), panel(raymond)), width: 360 })
    expect(count(svg, className('line-label'))).toBe(0)
    expect(count(svg, className('legend-entry'))).toBe(2)
    expect(count(svg, className('measured'))).toBe(3 + 2)
    expect(count(svg, className('marker'))).toBe(3 * 4 + 2)
  })

  test('has titled axes, ticks at the sizes that were measured and a faint grid', () => {
    const svg = drawCharts(figure(panel(lamport)))
    expect(tickLabels(svg, 'x-axis')).toEqual(lamport.points.map(({ x }) => String(x)))
    expect(tickLabels(svg, 'y-axis')).toEqual(['0', '20', '40', '60', '80', '100', '120', '140', '160'])
    expect(texts(svg, 'axis-title')).toEqual(['messages per entry', 'number of nodes'])
    expect(count(svg, className('grid'))).toBe(2)
  })

  test('shows whole numbers only where x are whole numbers', () => {
    expect(tickLabels(drawCharts(figure(panel(series('A', 0, [1, 2], [2, 3])))), 'x-axis')).toEqual([
      '2',
      '3',
    ])
    const halves = drawCharts(figure(panel(series('A', 0, [1, 2], [0.5, 1]))))
    expect(tickLabels(halves, 'x-axis')).toEqual(['0.5', '1'])
  })

  test('has round ticks where many sizes were measured, and a logarithmic axis where few are far apart', () => {
    const many = Array.from({ length: 20 }, (_, index) => 5 + 2 * index)
    expect(tickLabels(drawCharts(figure(panel(series('A', 0, many, many)))), 'x-axis')).toEqual([
      '0',
      '10',
      '20',
      '30',
      '40',
      '50',
    ])
    const apart = drawCharts(figure(panel(series('A', 0, [1, 2, 3, 4], [3, 10, 100, 1000]))))
    expect(tickLabels(apart, 'x-axis')).toEqual(['3', '10', '100', '1,000'])
    expect(texts(apart, 'axis-title')).toContain('number of nodes (log)')
  })

  test('rings the markers of runs that failed, and explains it', () => {
    const [first, ...others] = atLeast(1, lamport.points)
    const svg = drawCharts(figure(panel({ ...lamport, points: [{ ...first, failed: true }, ...others] })))
    expect(count(svg, className('failure'))).toBe(1 + 1)
    expect(svg).toContain('>a judge found a violation</text>')
    expect(drawCharts(figure(panel(lamport)))).not.toContain('violation')
  })

  test('writes large numbers short', () => {
    const svg = drawCharts(figure(panel(series('A', 0, [500_000, 2_500_000]))))
    expect(tickLabels(svg, 'y-axis')).toEqual(['0', '500k', '1M', '1.5M', '2M', '2.5M'])
  })

  test('leaves out a series without points, but lists it', () => {
    const empty = { ...series('Silent', 2, []), theory: [{ x: 5, y: 1 }] }
    const svg = drawCharts(figure(panel(lamport, empty)))
    expect(count(svg, className('series'))).toBe(1)
    expect(count(svg, className('theory'))).toBe(0)
    expect(svg).toContain('>Silent (no data)</text>')
  })

  test('says that it is empty when nothing was measured', () => {
    const svg = drawCharts(figure(panel(), panel(lamport)))
    expect(count(svg, className('panel'))).toBe(2)
    expect(texts(svg, 'absence')).toEqual(['no data'])
    const told = drawCharts(figure({ ...panel(), absence: 'nobody waited' }))
    expect(texts(told, 'absence')).toEqual(['nobody waited'])
  })

  test('draws a single point without a line, on an axis of one tick', () => {
    const one = { ...series('One', 0, [4], [10]), theory: [{ x: 10, y: 5 }] }
    const svg = drawCharts(figure(panel(one)))
    expect(tickLabels(svg, 'x-axis')).toEqual(['10'])
    expect(count(svg, className('marker'))).toBe(1 + 1)
    expect(count(svg, className('measured'))).toBe(1)
    expect(svg).toMatch(/class="theory" d="M138,[\d.]+H162"/)
    expect(svg).not.toMatch(/NaN|Infinity/)
  })

  test('breaks the line where a value is missing', () => {
    const svg = drawCharts(figure(panel(series('Gap', 0, [1, 2, Number.NaN, 3, 4], [1, 2, 3, 4, 5]))))
    const line = get(/class="measured" d="([^"]*)"/.exec(svg) ?? [], 1)
    expect(line.match(/M/g)).toHaveLength(2)
    expect(count(svg, className('marker'))).toBe(4 + 1)
  })

  test('draws the line from left to right, however the points are given', () => {
    const shuffled = { ...lamport, points: lamport.points.toReversed() }
    expect(drawCharts(figure(panel(shuffled)))).toBe(drawCharts(figure(panel(lamport))))
  })
})

describe('theory and intervals', () => {
  const theory = lamport.points.map(({ x }) => ({ x, y: 3 * (x - 1) }))
  const withInterval = lamport.points.map(({ x, y }) => ({ x, y, low: y - 2, high: y + 2 }))

  test('are drawn in the colour of the series and explained in the legend', () => {
    const svg = drawCharts(figure(panel({ ...lamport, points: withInterval, theory })))
    expect(count(svg, /class="theory"[^>]*stroke-dasharray="4 3" stroke="#D55E00"/g)).toBe(1)
    expect(count(svg, /class="interval"[^>]*stroke="#D55E00"/g)).toBe(4)
    expect(count(svg, className('legend-note'))).toBe(2)
  })

  test('are not explained where there are none', () => {
    expect(count(drawCharts(figure(panel(lamport))), className('legend-note'))).toBe(0)
  })

  test('an interval that goes on below the axis has no lower cap', () => {
    const points = [3, -1].map((low, x) => ({ x, y: 4, low, high: 5 }))
    const svg = drawCharts(figure(panel({ ...raymond, points })))
    const whiskers = [...svg.matchAll(/class="interval" d="([^"]*)"/g)].slice(0, 2)
    expect(whiskers.map(([, path]) => path?.match(/H/g)?.length)).toEqual([2, 1])
  })
})

const isLog = (...values: number[]): boolean =>
  drawCharts(figure(panel(series('A', 0, values)))).includes('messages per entry (log)')

describe('the y axis', () => {
  test('is logarithmic when positive values span more than two decades', () => {
    expect(isLog(1, 100)).toBe(false)
    expect(isLog(1, 101)).toBe(true)
    expect(isLog(0, 0.001, 1)).toBe(true)
    expect(isLog(0, 50)).toBe(false)
    expect(isLog(-1, 1, 1000)).toBe(false)
  })

  test('then labels 1, 2 and 5, of many decades only the 1', () => {
    const few = drawCharts(figure(panel(series('A', 0, [3, 20, 400]))))
    expect(tickLabels(few, 'y-axis')).toEqual(['2', '5', '10', '20', '50', '100', '200', '500'])
    const many = drawCharts(figure(panel(series('A', 0, [3, 20, 400, 90_000]))))
    expect(tickLabels(many, 'y-axis')).toEqual(['10', '100', '1k', '10k', '100k'])
  })

  test('gives zeros a place of their own on a logarithmic axis', () => {
    const svg = drawCharts(figure(panel(series('A', 0, [0, 1, 200]))))
    expect(tickLabels(svg, 'y-axis')).toEqual(['0', '1', '2', '5', '10', '20', '50', '100', '200'])
    expect(svg).not.toMatch(/NaN|Infinity/)
  })

  test('is a plain axis from zero when all values are zero', () => {
    const svg = drawCharts(figure(panel(series('A', 0, [0, 0]))))
    expect(tickLabels(svg, 'y-axis')).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0'])
  })
})

const loads = (names: string[], ...all: Series[]): Panel => ({ ...panel(...all), xTicks: names })

describe('an axis of names', () => {
  test('shows every name, also one without points', () => {
    const svg = drawCharts(figure(loads(['low', 'medium', 'high'], series('A', 0, [1, 2], [0, 2]))))
    expect(tickLabels(svg, 'x-axis')).toEqual(['low', 'medium', 'high'])
  })

  test('slants and cuts names that do not fit side by side', () => {
    const names = ['hardly any contention', 'some contention', 'as much contention as there can be']
    const svg = drawCharts(figure(loads(names, series('A', 0, [1], [0]))))
    expect(count(svg, /rotate\(-45\)/g)).toBe(3)
    expect(tickLabels(svg, 'x-axis')[2]).toMatch(/^as much.*…$/)
  })

  test('refuses a point that belongs to no name', () => {
    expect(() => drawCharts(figure(loads(['low', 'high'], series('A', 0, [1], [2]))))).toThrow(
      'Expected x to be a position in the 2 names of xTicks, got 2',
    )
  })
})

test('a small figure, to the letter', async () => {
  const measured: Series = {
    name: 'Ricart-Agrawala',
    colourIndex: 0,
    points: [
      { x: 3, y: 4, low: 3.9, high: 4.1 },
      { x: 9, y: 16.2, low: 15.8, high: 16.6 },
    ],
    theory: [
      { x: 3, y: 4 },
      { x: 9, y: 16 },
    ],
  }
  const small = {
    ...figure(panel(measured, series('Raymond', 1, [2.7, 3.9], [3, 9]))),
    subtitle: 'load 1, seed 1',
  }
  await expect(drawCharts(small)).toMatchFileSnapshot('__snapshots__/chart-small.svg')
})
