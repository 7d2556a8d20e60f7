import { renderMermaid } from '@turnwise/core/trace/mermaid'
import { renderShiviz } from '@turnwise/core/trace/shiviz'
import { type Trace, writeTraceLine } from '@turnwise/core/trace/trace'
import type { Recording } from '../../run/recording.ts'
import { type Mark, marksOf } from '../../scene/legend.ts'
import { schemeColours } from '../../scene/scheme-colours.ts'
import { shape, svgFile } from '../../scene/shape.ts'
import { endOf, spaceTime } from '../../scene/spacetime.ts'
import type { Frame } from '../../scene/spacetime-frame.ts'
import { diagramStyle, spaceTimeShapes } from '../../scene/spacetime-shapes.ts'
import { tikzText } from '../../scene/tikz.ts'

/** The part of the diagram that a visitor sees, and its size. */
export interface Shown {
  readonly from: number
  readonly to: number
  readonly frame: Frame
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
  /** Null where the diagram is not on the screen. */
  readonly shown: Shown | null
  readonly scheme: 'light' | 'dark'
  /** The style sheet with the colours of both schemes. */
  readonly tokens: string
  readonly address: string
}

export function formsOf(leaving: Leaving): Form[] {
  const { header, events } = leaving.recording
  const trace: Trace = { header, events: [...events] }
  return [
    { label: 'SVG', ending: 'svg', type: 'image/svg+xml', text: () => diagramSvg(leaving) },
    { label: 'TikZ', ending: 'tex', type: 'text/x-tex', text: () => diagramTikz(leaving) },
    {
      label: 'Trace',
      ending: 'jsonl',
      type: 'application/jsonl',
      text: () => [header, ...events].map(writeTraceLine).join(''),
    },
    { label: 'ShiViz', ending: 'shiviz.log', type: 'text/plain', text: () => renderShiviz(trace) },
    { label: 'Mermaid', ending: 'mmd', type: 'text/plain', text: () => renderMermaid(trace) },
  ]
}

/** Where no diagram is on the screen: all of the run, as wide as a page. */
function shownOf({ shown, recording }: Leaving): Shown {
  if (shown !== null) return shown
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
  const { width, height } = frame
  const { surface, ...colours } = schemeColours(leaving.tokens, leaving.scheme)
  const title = shape('title', 'title', {}, [notes.join('\n')])
  const ground = shape('rect', 'ground', { width, height, fill: surface })
  return svgFile([title, ground, ...shapes], width, height, diagramStyle(colours)).replace(
    '<svg ',
    `<svg width="${width}" height="${height}" `,
  )
}

/** On paper, so light. */
function diagramTikz(leaving: Leaving): string {
  const { shapes, notes } = drawn(leaving)
  return tikzText(shapes, schemeColours(leaving.tokens, 'light'), notes)
}
