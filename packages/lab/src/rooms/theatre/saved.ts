import { renderMermaid } from '@turnwise/core/trace/mermaid'
import { renderShiviz } from '@turnwise/core/trace/shiviz'
import { type Trace, writeTraceLine } from '@turnwise/core/trace/trace'
import type { Recording } from '../../run/recording.ts'
import { type Mark, marksOf } from '../../scene/legend.ts'
import { schemeColours } from '../../scene/scheme-colours.ts'
import { type Shape, shape, svgFile } from '../../scene/shape.ts'
import { networkShapes, plainStyle, SHOT, type Shot, shotDiagram, shotShapes } from '../../scene/shot.ts'
import { endOf, firstSpan, spaceTime, windowAt } from '../../scene/spacetime.ts'
import type { Frame } from '../../scene/spacetime-frame.ts'
import { diagramStyle, spaceTimeShapes } from '../../scene/spacetime-shapes.ts'
import { tikzText } from '../../scene/tikz.ts'
import type { Stage } from '../../scene/topology.ts'

/** The part of the diagram that a visitor sees, and its size. */
export interface Shown {
  readonly from: number
  readonly to: number
  readonly frame: Frame
}

/** What a visitor sees; null for a picture that is not on the screen. */
export interface Seen {
  diagram: Shown | null
  network: Stage | null
}

/** A form in which a run leaves the page. */
export interface Form {
  readonly label: string
  readonly ending: string
  readonly type: string
  readonly text: () => string
}

/** `declared` are the types of messages of the algorithm, and `address` reopens the run. */
export interface Leaving {
  readonly recording: Recording
  readonly declared: readonly string[]
  readonly seen: Seen
  /** The moment as a whole picture, with a network of the size of `STAGE`. */
  readonly shot: Shot
  readonly scheme: 'light' | 'dark'
  /** The style sheets with the colours of both schemes, and of the network. */
  readonly sheets: { readonly tokens: string; readonly network: string }
  readonly address: string
}

/** All forms. What leaves is asked for when one is chosen: what is seen may have changed since. */
export function formsOf(leaving: () => Leaving): Form[] {
  const picture = (label: string, ending: string, drawn: (leaving: Leaving) => string): Form => ({
    label,
    ending,
    type: ending.endsWith('svg') ? 'image/svg+xml' : 'text/x-tex',
    text: () => drawn(leaving()),
  })
  const words = (label: string, ending: string, type: string, written: (trace: Trace) => string): Form => ({
    label,
    ending,
    type,
    text() {
      const { header, events } = leaving().recording
      return written({ header, events: [...events] })
    },
  })
  return [
    picture('Diagram (SVG)', 'svg', diagramSvg),
    picture('Diagram (TikZ)', 'tex', diagramTikz),
    picture('Network (SVG)', 'network.svg', networkSvg),
    picture('Both (SVG)', 'both.svg', bothSvg),
    words('Trace', 'jsonl', 'application/jsonl', ({ header, events }) =>
      [header, ...events].map(writeTraceLine).join(''),
    ),
    words('ShiViz', 'shiviz.log', 'text/plain', renderShiviz),
    words('Mermaid', 'mmd', 'text/plain', renderMermaid),
  ]
}

/** Where no diagram is on the screen: all of the run, as wide as a page. */
function shownOf({ seen: { diagram }, recording }: Leaving): Shown {
  if (diagram !== null) return diagram
  const frame = { width: 860, height: 40 * recording.header.nodes + 30, isUpright: false }
  return { from: 0, to: 1.03 * endOf(recording), frame }
}

function drawn(leaving: Leaving) {
  const { from, to, frame } = shownOf(leaving)
  const marks = marksOf(leaving.recording.types, leaving.declared)
  const picture = spaceTime(leaving.recording, { from, to }, marks)
  return { shapes: spaceTimeShapes(picture, frame), frame, notes: notesOf(leaving, marks) }
}

function notesOf({ recording, address }: Leaving, marks: ReadonlyMap<string, Mark>): string[] {
  const letters = [...marks].map(([type, { letter }]) => `${letter} ${type}`)
  return [`${recording.header.algorithm}: ${letters.join(', ')}`, address]
}

function diagramSvg(leaving: Leaving): string {
  const { shapes, frame, notes } = drawn(leaving)
  const { surface, ...colours } = schemeColours(leaving.sheets.tokens, leaving.scheme)
  const ground = shape('rect', 'ground', { width: frame.width, height: frame.height, fill: surface })
  return sizedSvg([ground, ...shapes], frame, diagramStyle(colours), notes)
}

function networkSvg(leaving: Leaving): string {
  const stage = leaving.seen.network ?? leaving.shot.stage
  const style = plainStyle(leaving.sheets, leaving.scheme)
  return sizedSvg(networkShapes(stage), stage.layout, style, notesOf(leaving, stage.marks))
}

/** Title, network, words and diagram, as a film has them. */
function bothSvg(leaving: Leaving): string {
  const { recording, shot } = leaving
  const { marks, now } = shot.stage
  const picture = spaceTime(recording, windowAt(now, firstSpan(recording), endOf(recording)), marks)
  const shapes = [...shotShapes(shot), shotDiagram(picture, now)]
  return sizedSvg(shapes, SHOT, plainStyle(leaving.sheets, leaving.scheme), notesOf(leaving, marks))
}

/** A picture that is as large as it was drawn, with notes on what it shows. */
function sizedSvg(
  shapes: readonly Shape[],
  { width, height }: { readonly width: number; readonly height: number },
  style: string,
  notes: readonly string[],
): string {
  const title = shape('title', 'title', {}, [notes.join('\n')])
  return svgFile([title, ...shapes], width, height, style).replace(
    '<svg ',
    `<svg width="${width}" height="${height}" `,
  )
}

/** On paper, so light. */
function diagramTikz(leaving: Leaving): string {
  const { shapes, notes } = drawn(leaving)
  return tikzText(shapes, schemeColours(leaving.sheets.tokens, 'light'), notes)
}
