import { readFileSync } from 'node:fs'
import { readTrace } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { FIRST } from '../src/rooms/theatre/query.ts'
import { formsOf } from '../src/rooms/theatre/saved.ts'
import { shotOf } from '../src/rooms/theatre/shot-of-run.ts'
import { runLayout } from '../src/rooms/theatre/topology-view.tsx'
import { runMarks, truthAt } from '../src/rooms/theatre/use-truth.ts'
import { STAGE } from '../src/scene/shot.ts'
import { type Watched, watched } from './runs.ts'

const sheet = (name: string) => readFileSync(new URL(`../src/${name}`, import.meta.url), 'utf8')
const sheets = { tokens: sheet('design/tokens.css'), network: sheet('rooms/theatre/topology.css') }

function saved(run: Watched, label: string, scheme: 'light' | 'dark' = 'light'): string {
  const { recording, world } = run
  const marks = runMarks(run)
  const position = Math.min(12, recording.happenings.length)
  const truth = truthAt(run, position, marks)
  const leaving = () => ({
    recording,
    declared: Object.keys(world.config.algorithm.shapes.messages),
    seen: { diagram: null, network: null },
    shot: shotOf(run, truth, runLayout(run, STAGE), truth.moment.at),
    scheme,
    sheets,
    address: 'https://x.example/#/theatre',
  })
  return (
    formsOf(leaving)
      .find((form) => form.label === label)
      ?.text() ?? ''
  )
}

const first = watched(FIRST)
const hands = [{ after: 6, at: 0, act: { does: 'crash', node: 2 } as const }]
const broken = watched({ nodes: 4, entries: 4, fault: ['drop:0.2'] }, hands)

describe('a picture', () => {
  test('as SVG has its styles and colours in it', async () => {
    const svg = saved(first, 'Diagram (SVG)')
    await expect(svg).toMatchFileSnapshot('__snapshots__/saved.svg')
    expect(svg).not.toMatch(/var\(|href|url\(/)
    expect(svg).toContain('.bar.inside { stroke: #0068a3; }')
    expect(saved(first, 'Diagram (SVG)', 'dark')).toContain('fill="#1c2024"')
    // Every class has a rule.
    const classes = new Set(
      [...saved(broken, 'Diagram (SVG)').matchAll(/class="([^"]*)"/g)].flatMap(([, names]) =>
        names.split(' '),
      ),
    )
    const style = /<style>([^]*)<\/style>/.exec(svg)?.[1] ?? ''
    const plain = new Set(['arrow', 'lost', 'open', 'copy', 'time', 'step', 'fault'])
    expect([...classes].filter((name) => !plain.has(name) && !style.includes(`.${name}`))).toEqual([])
  })

  test('as TikZ is a document of LaTeX', async () => {
    await expect(saved(first, 'Diagram (TikZ)')).toMatchFileSnapshot('__snapshots__/saved.tex')
    for (const run of [first, broken]) {
      const tex = saved(run, 'Diagram (TikZ)')
      const lines = tex.split('\n').filter((line) => /^ {2}\\/.test(line))
      expect(lines.length).toBeGreaterThan(20)
      const COORDINATES = String.raw`\(-?[\d.]+,-?[\d.]+\)`
      const draws = new RegExp(
        String.raw`^ {2}\\(?:draw|fill)\[[a-z0-9=., ]+\] (?:${COORDINATES}| -- |cycle| |circle\[radius=[\d.]+pt\])+;$|` +
          String.raw`^ {2}\\node\[[a-z0-9=, ]+\] at ${COORDINATES} \{[\w.]+\};$`,
      )
      expect(lines.filter((line) => !draws.test(line))).toEqual([])
      const defined = new Set([...tex.matchAll(/definecolor\{(\w+)\}/g)].map(([, name]) => name))
      const used = new Set(lines.map((line) => /\[(\w+)/.exec(line)?.[1] ?? ''))
      expect([...used].filter((name) => !defined.has(name))).toEqual([])
    }
    const [crosses, losses] = [/\\draw\[ink,line width=0\.9pt\]/g, broken.recording.lost.length]
    expect(losses).toBeGreaterThan(0)
    expect(saved(broken, 'Diagram (TikZ)').match(crosses)?.length).toBe(losses)
  })
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
