/** The theatre at one moment of a simulated run, for the README. The same run gives the same picture, byte for byte. */
import { readFileSync } from 'node:fs'
import { FIRST } from '../../packages/lab/src/rooms/theatre/theatre-query.ts'
import { momentAt } from '../../packages/lab/src/run/moment.ts'
import { play } from '../../packages/lab/src/run/play-whole.ts'
import { propertiesAt } from '../../packages/lab/src/run/properties.ts'
import { record } from '../../packages/lab/src/run/recording-builder.ts'
import { type RunSpec, worldOf } from '../../packages/lab/src/run/spec.ts'
import { marksOf } from '../../packages/lab/src/scene/message-marks.ts'
import { layoutOf } from '../../packages/lab/src/scene/network-layout.ts'
import { SHOT, STAGE, shotDiagram, shotShapes, shotStyle } from '../../packages/lab/src/scene/shot.ts'
import { spaceTime } from '../../packages/lab/src/scene/spacetime.ts'
import { type Shape, shape, svgFile } from '../../packages/lab/src/scene/svg-shape.ts'

const sheet = (name: string) =>
  readFileSync(new URL(`../../packages/lab/src/${name}`, import.meta.url), 'utf8')

/** The page's own style sheets. */
export const SHEETS = {
  tokens: sheet('design/tokens.css'),
  network: sheet('rooms/theatre/topology.css'),
} as const

/** Raymond's tree: five of seven nodes ask, so the picture has idle nodes, queues, and pointers that lead to the token. */
const SPEC: RunSpec = {
  ...FIRST,
  algorithm: 'raymond',
  nodes: 7,
  topology: 'tree',
  load: 'script:0 request 3; 1 request 6; 2 request 4; 6 request 0; 9 request 5',
  latency: 'uniform:0.5,3',
  seed: 3,
}

/** After so many happenings one node is inside, three wait, and a request is under way. */
const POSITION = 12

export function theatrePicture(): string {
  const { algorithm, setup } = worldOf(SPEC).config
  const recording = record(play(SPEC, []))
  const moment = momentAt(recording, POSITION, algorithm)
  const next = recording.happenings[POSITION]?.at ?? moment.at
  const now = (moment.at + next) / 2
  const marks = marksOf(recording.types, Object.keys(algorithm.shapes.messages))
  const shapes = shotShapes({
    title: `${algorithm.facts.title}, ${SPEC.nodes} nodes`,
    note: 'npm run lab',
    stage: {
      protocol: algorithm,
      setup,
      layout: layoutOf(algorithm.facts, setup, STAGE.width, STAGE.height),
      marks,
      moment,
      now,
      selected: null,
    },
    properties: propertiesAt(recording, moment, algorithm),
  })
  const picture = spaceTime(recording, { from: 0, to: 2 * now }, marks)
  return framed([...shapes, shotDiagram(picture, now)], SHOT, shotStyle(SHEETS, 'both'))
}

/** A picture for documents, as large as it is drawn. It has an edge: a document may have the colour of its ground. */
export function framed(
  shapes: readonly Shape[],
  { width, height }: { readonly width: number; readonly height: number },
  style: string,
): string {
  const edge = { x: 0.5, y: 0.5, width: width - 1, height: height - 1, rx: 6, fill: 'none' }
  return svgFile(
    [...shapes, shape('rect', 'edge', { className: 'edge', ...edge })],
    width,
    height,
    style,
  ).replace('<svg ', `<svg width="${width}" height="${height}" `)
}
