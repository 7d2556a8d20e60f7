import { renderMermaid } from '@turnwise/core/trace/mermaid'
import { renderShiviz } from '@turnwise/core/trace/shiviz'
import { type Trace, writeTraceLine } from '@turnwise/core/trace/trace'
import type { Recording } from '../../run/recording.ts'
import {
  networkShapes,
  onGround,
  type Picture,
  plainStyle,
  SHOT,
  type Shot,
  shotDiagram,
  shotShapes,
  shotStyle,
} from '../../scene/shot.ts'
import { endOf, firstSpan, spaceTime, windowAt } from '../../scene/spacetime.ts'
import type { Frame } from '../../scene/spacetime-frame.ts'
import { spaceTimeShapes } from '../../scene/spacetime-shapes.ts'
import { shape, svgFile } from '../../scene/svg-shape.ts'
import { tikzText } from '../../scene/tikz.ts'
import type { Stage } from '../../scene/topology-shapes.ts'

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

/** What of a run leaves the page; `address` reopens it. */
export interface Leaving {
  readonly recording: Recording
  readonly seen: Seen
  /** The moment as a whole picture, with a network of the size of `STAGE`. */
  readonly shot: Shot
  readonly scheme: 'light' | 'dark'
  /** The style sheets with the colours of both schemes, and of the network. */
  readonly sheets: { readonly tokens: string; readonly network: string }
  readonly address: string
}

/** A picture as a file: `ending` says in which form. */
export function pictureForm(label: string, ending: string, text: () => string): Form {
  return { label, ending, type: ending.endsWith('svg') ? 'image/svg+xml' : 'text/x-tex', text }
}

/** The forms of a run as a text. `ending` and `label` tell it from another run. */
export function wordForms(
  recording: () => Recording,
  label: (form: string) => string = (form) => form,
  ending: (form: string) => string = (form) => form,
): Form[] {
  const words = (name: string, end: string, type: string, written: (trace: Trace) => string): Form => ({
    label: label(name),
    ending: ending(end),
    type,
    text() {
      const { header, events } = recording()
      return written({ header, events: [...events] })
    },
  })
  return [
    words('Trace', 'jsonl', 'application/jsonl', ({ header, events }) =>
      [header, ...events].map(writeTraceLine).join(''),
    ),
    words('ShiViz', 'shiviz.log', 'text/plain', renderShiviz),
    words('Mermaid', 'mmd', 'text/plain', renderMermaid),
  ]
}

/** All forms. What leaves is asked for when one is chosen: what is seen may have changed since. */
export function formsOf(leaving: () => Leaving): Form[] {
  return [
    pictureForm('Diagram (SVG)', 'svg', () => svgOf(leaving(), onGround(diagramOf(leaving())))),
    pictureForm('Diagram (TikZ)', 'tex', () => tikzOf(leaving(), diagramOf(leaving()))),
    pictureForm('Network (SVG)', 'network.svg', () => svgOf(leaving(), onGround(networkOf(leaving())))),
    pictureForm('Network (TikZ)', 'network.tex', () => tikzOf(leaving(), networkOf(leaving()))),
    pictureForm('Both (SVG)', 'both.svg', () => svgOf(leaving(), bothOf(leaving()))),
    pictureForm('Both (TikZ)', 'both.tex', () => tikzOf(leaving(), bothOf(leaving()))),
    ...wordForms(() => leaving().recording),
  ]
}

/** Where no diagram is on the screen: all of the run, as wide as a page. */
function shownOf({ seen: { diagram }, recording }: Leaving): Shown {
  if (diagram !== null) return diagram
  const frame = { width: 860, height: 40 * recording.header.nodes + 30, isUpright: false }
  return { from: 0, to: 1.03 * endOf(recording), frame }
}

/** The diagram as far as it is seen. */
export function diagramOf(leaving: Leaving): Picture {
  const { from, to, frame } = shownOf(leaving)
  const picture = spaceTime(leaving.recording, { from, to }, leaving.shot.stage.marks)
  const shapes = [shape('g', 'diagram', { className: 'diagram' }, spaceTimeShapes(picture, frame))]
  return { shapes, width: frame.width, height: frame.height }
}

/** The network as it is seen. */
export function networkOf({ seen, shot }: Leaving): Picture {
  const stage = seen.network ?? shot.stage
  const { width, height } = stage.layout
  return { shapes: networkShapes(stage), width, height }
}

/** Title, network, words and diagram, as a film has them. */
function bothOf({ recording, shot }: Leaving): Picture {
  const { marks, now } = shot.stage
  const picture = spaceTime(recording, windowAt(now, firstSpan(recording), endOf(recording)), marks)
  return { shapes: [...shotShapes(shot), shotDiagram(picture, now)], ...SHOT }
}

export function notesOf({ recording, shot, address }: Leaving): string[] {
  const letters = [...shot.stage.marks].map(([type, { letter }]) => `${letter} ${type}`)
  return [`${recording.header.algorithm}: ${letters.join(', ')}`, address]
}

function svgOf(leaving: Leaving, picture: Picture): string {
  return sizedSvg(picture, plainStyle(leaving.sheets, leaving.scheme), notesOf(leaving))
}

function tikzOf(leaving: Leaving, picture: Picture): string {
  return paperText(picture, leaving.sheets, notesOf(leaving))
}

/** A picture that is as large as it was drawn, with notes on what it shows. */
export function sizedSvg(
  { shapes, width, height }: Picture,
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
export function paperText(picture: Picture, sheets: Leaving['sheets'], notes: readonly string[]): string {
  return tikzText(picture, shotStyle(sheets, 'light'), notes)
}
