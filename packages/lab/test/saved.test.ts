import { readTrace } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { FIRST } from '../src/rooms/theatre/theatre-query.ts'
import { ADDRESS, saved, savedPair } from './leaving.ts'
import { watched } from './runs.ts'

const first = watched(FIRST)
const hands = [{ after: 6, at: 0, act: { does: 'crash', node: 2 } as const }]
const broken = watched({ nodes: 4, entries: 4, fault: ['drop:0.2'] }, hands)

describe('a picture', () => {
  test('as SVG has its styles and colours in it', async () => {
    const svg = saved(first, 'Diagram (SVG)')
    await expect(svg).toMatchFileSnapshot('__snapshots__/saved.svg')
    expect(svg).not.toMatch(/var\(|href|url\(/)
    expect(svg).toContain('.bar.inside { stroke: #0068a3; }')
    expect(saved(first, 'Diagram (SVG)', 'dark')).toContain('.ground { fill: #1c2024; }')
    // Every class has a rule.
    const classes = new Set(
      [...saved(broken, 'Diagram (SVG)').matchAll(/class="([^"]*)"/g)].flatMap(([, names = '']) =>
        names.split(' '),
      ),
    )
    const style = /<style>([^]*)<\/style>/.exec(svg)?.[1] ?? ''
    const plain = new Set(['arrow', 'lost', 'open', 'copy', 'time', 'step', 'fault'])
    expect([...classes].filter((name) => !plain.has(name) && !style.includes(`.${name}`))).toEqual([])
  })

  test('as TikZ is a document of LaTeX', async () => {
    await expect(saved(first, 'Diagram (TikZ)')).toMatchFileSnapshot('__snapshots__/saved.tex')
    const crosses = /draw=ink,line width=0\.9pt\]/g
    const losses = broken.recording.lost.length
    expect(losses).toBeGreaterThan(0)
    expect(saved(broken, 'Diagram (TikZ)').match(crosses)?.length).toBe(losses)
    await expect(saved(broken, 'Network (TikZ)')).toMatchFileSnapshot('__snapshots__/saved-network.tex')
  })

  const quorums = watched({ algorithm: 'maekawa', nodes: 9, load: 'heavy' })
  test.each([
    ['a diagram', () => saved(broken, 'Diagram (TikZ)')],
    ['a network with a crashed node', () => saved(broken, 'Network (TikZ)')],
    ['a network with quorums and queues', () => saved(quorums, 'Network (TikZ)')],
    ['diagrams', () => savedPair([first, broken], 'Diagrams (TikZ)')],
    ['networks', () => savedPair([first, quorums], 'Networks (TikZ)')],
  ])('as TikZ has only what TikZ reads, and every colour: %s', (_, text) => {
    const tex = text()
    const lines = tex.split('\n').filter((line) => /^ {2}/.test(line))
    expect(lines.length).toBeGreaterThan(10)
    const place = String.raw`\(-?[\d.]+,-?[\d.]+\)`
    const curve = String.raw`\.\. controls ${place} and ${place} \.\. ${place}`
    const known = [
      String.raw`\\path\[[a-z0-9=., ]+\] (?:${curve}|${place}| -- | |cycle|circle\[radius=[\d.]+pt\]|rectangle)+;`,
      String.raw`\\clip \(0,0\) rectangle ${place};`,
      String.raw`\\node\[(?:fill=[a-z]+,inner sep=0\.75pt,)?text=[a-z0-9]+,anchor=base(?: west| east)?,font=[\\a-z]+\{[\d.]+\}\{[\d.]+\}\\selectfont\] at ${place} \{(?:[^{}]|\\[{}]|\{\})+\};`,
      String.raw`\\begin\{scope\}\[(?:shift=\{${place}\})?(?:,?transparency group,opacity=[\d.]+)?\]`,
      String.raw`\\end\{scope\}`,
    ]
    const isKnown = new RegExp(`^ +(?:${known.join('|')})$`)
    expect(lines.filter((line) => !isKnown.test(line))).toEqual([])
    expect(tex.match(/\\begin\{scope\}/g)?.length).toBe(tex.match(/\\end\{scope\}/g)?.length)
    const defined = new Set([...tex.matchAll(/definecolor\{(\w+)\}/g)].map(([, name]) => name))
    const used = [...tex.matchAll(/(?:fill|draw|text)=(\w+)/g)].map(([, name]) => name)
    expect(used.filter((name) => !defined.has(name))).toEqual([])
    // What it shows, and where it is found.
    expect(tex).toContain(`% ${ADDRESS}`)
  })
})

test('two runs leave in one picture, each below its name, and in words each for itself', () => {
  const pair = [first, broken] as const
  for (const label of ['Diagrams (SVG)', 'Networks (SVG)', 'Both runs (SVG)']) {
    const svg = savedPair(pair, label)
    expect(svg).not.toMatch(/var\(|href|url\(|tab-index|data-node/)
    expect(svg).toContain('One &amp; all</text>')
    expect(svg).toContain('Another</text>')
  }
  const both = savedPair(pair, 'Both runs (SVG)')
  expect(both.match(/class="node /g)).toHaveLength(first.spec.nodes + broken.spec.nodes)
  expect(both.match(/class="diagram"/g)).toHaveLength(2)
  // One axis of time, below the second.
  expect(both.match(/class="time"/g)?.length).toBeLessThan(20)
  expect(readTrace(savedPair(pair, 'Trace of the second')).events).toEqual(broken.recording.events)
  expect(savedPair(pair, 'Mermaid of the first')).toBe(saved(first, 'Mermaid'))
  expect(savedPair(pair, 'ShiViz of the second')).toBe(saved(broken, 'ShiViz'))
})

test('the network, and both pictures, leave with values for colours instead of variables', () => {
  for (const run of [first, broken])
    for (const label of ['Network (SVG)', 'Both (SVG)']) {
      const svg = saved(run, label)
      expect(svg).not.toMatch(/var\(|href|url\(|tab-index|data-node/)
      expect(svg.match(/class="node /g)).toHaveLength(run.spec.nodes)
      expect(svg).toContain('.node .body { fill: #ffffff; stroke: #1c2024;')
      expect(saved(run, label, 'dark')).toContain('.node .body { fill: #1c2024; stroke: #e8eaec;')
    }
  expect(saved(first, 'Both (SVG)')).toContain('class="diagram"')
})

test('a trace is read again as it was', () => {
  for (const run of [first, broken]) {
    const trace = readTrace(saved(run, 'Trace'))
    expect(trace.events).toEqual(run.recording.events)
  }
})

test('logs for other tools have the whole run', () => {
  expect(saved(first, 'ShiViz')).toMatch(/^\(\?<host>/)
  const asked = saved(first, 'ShiViz').match(/^asks /gm) ?? []
  expect(asked).toHaveLength(3)
  expect(saved(first, 'Mermaid')).toMatch(/^sequenceDiagram/)
})
