import tokens from '../../design/tokens.css?raw'
import { DIAGRAM, SHOT, STAGE, shotShapes, shotStyle } from '../../scene/shot.ts'
import { endOf, firstSpan, spaceTime, windowAt } from '../../scene/spacetime.ts'
import { placeIn } from '../../scene/spacetime-frame.ts'
import { svgFile } from '../../scene/svg-shape.ts'
import { coloursOf, paint as paintDiagram } from './paint.ts'
import type { Cursor } from './playback.ts'
import { shotOf } from './shot-of-run.ts'
import network from './topology.css?raw'
import { runLayout } from './topology-view.tsx'
import type { Run } from './use-run.ts'
import { runMarks, type Truth, truthAt } from './use-truth.ts'

export interface Painter {
  readonly canvas: HTMLCanvasElement
  /** Paints a moment; `now` is its time in ticks. */
  readonly paint: (cursor: Cursor, now: number) => Promise<void>
}

/** Paints moments of a run: the network and the words as an image of SVG, the diagram as the theatre paints it. */
export function filmPainter(run: Run, scheme: 'light' | 'dark'): Painter {
  const { canvas, context } = canvasOf(SHOT)
  const style = shotStyle({ tokens, network }, scheme)
  const layout = runLayout(run, STAGE)
  const marks = runMarks(run)
  const diagram = diagramPainter(run, marks)
  let truth: Truth = truthAt(run, 0, marks)
  const upper = (now: number): string =>
    svgFile(shotShapes(shotOf(run, truth, layout, now)), SHOT.width, SHOT.height, style)
  return {
    canvas,
    async paint({ position }, now) {
      if (truth.moment.position !== position) truth = truthAt(run, position, marks)
      const image = await imageOf(upper(now), SHOT)
      context.drawImage(image, 0, 0, SHOT.width, SHOT.height)
      context.drawImage(diagram(now), 0, DIAGRAM.top)
    },
  }
}

export function canvasOf({ width, height }: { readonly width: number; readonly height: number }) {
  const canvas = document.createElement('canvas')
  canvas.width = width
  canvas.height = height
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('the browser gave no canvas to paint on')
  return { canvas, context }
}

export async function imageOf(
  svg: string,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<HTMLImageElement> {
  const image = new Image(width, height)
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`
  await image.decode()
  return image
}

/** The diagram while it is that time, with what comes faded. */
function diagramPainter({ recording }: Run, marks: Truth['marks']): (now: number) => HTMLCanvasElement {
  const { canvas, context } = canvasOf(DIAGRAM)
  const colours = coloursOf(document.body)
  const surface = getComputedStyle(document.body).getPropertyValue('--surface').trim()
  const frame = { width: DIAGRAM.width, height: DIAGRAM.height, isUpright: false }
  const span = firstSpan(recording)
  return (now) => {
    const picture = spaceTime(recording, windowAt(now, span, endOf(recording)), marks)
    context.font = `12px ${colours.face}`
    paintDiagram(context, picture, frame, colours, null)
    const { x } = placeIn(frame, picture)(now, 0)
    context.fillStyle = surface
    context.globalAlpha = 0.55
    context.fillRect(x, 0, frame.width - x, frame.height)
    context.globalAlpha = 1
    context.fillStyle = colours.accent
    context.fillRect(x, 0, 1, frame.height)
    return canvas
  }
}
