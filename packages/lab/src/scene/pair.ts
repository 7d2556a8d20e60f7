import { reasonsOf } from '@turnwise/core/trace/sentence'
import { lines, networkShapes, type Picture, type Shot, saidAt, shotDiagram } from './shot.ts'
import type { SpaceTime } from './spacetime.ts'
import { round, type Shape, shape } from './svg-shape.ts'

const WIDTH = 860
const EDGE = 16
/** Room for the title of a picture, and for words below it. */
const TITLE = 30
const WORDS = 22
const LETTERS = 118

/** A picture with the name of its run above it. */
export interface Titled extends Picture {
  readonly title: string
}

/** Pictures one below the other. */
export function stacked(pictures: readonly Titled[]): Picture {
  const width = Math.max(...pictures.map((picture) => picture.width))
  let top = 0
  const shapes = pictures.flatMap(({ title, shapes: drawn, height }, i) => {
    const y = round(top)
    top += TITLE + height
    return [
      textAt(`title ${i}`, 'title', EDGE, y + 20, title),
      shape('g', `picture ${i}`, { transform: `translate(0 ${y + TITLE})` }, drawn),
    ]
  })
  return { shapes, width, height: round(top) }
}

/** How large the network of one of two runs is. */
export const PAIR_STAGE = { width: 260, height: 210 } as const
/** And the diagram beside it. */
const PAIR_DIAGRAM = { width: WIDTH - PAIR_STAGE.width, height: PAIR_STAGE.height } as const

/** One of two runs at a moment. */
export interface Half {
  readonly title: string
  /** What it has cost so far. */
  readonly note: string
  /** Its layout is `PAIR_STAGE` large. */
  readonly shot: Shot
  /** The diagrams of both runs show the same time. */
  readonly picture: SpaceTime
}

/** Two runs at one moment: each with its words, its network and its diagram. */
export function pairPicture(halves: readonly [Half, Half]): Picture {
  return stacked(
    halves.map((half, which) => ({
      title: half.title,
      shapes: halfShapes(half, which === 0),
      width: WIDTH,
      height: WORDS + PAIR_STAGE.height,
    })),
  )
}

function halfShapes({ note, shot, picture }: Half, isBare: boolean): Shape[] {
  const { moment, now } = shot.stage
  const why = moment.happening === null ? '' : reasonsOf(moment.happening).join(' ')
  const [said = ''] = lines(`${saidAt(moment)}. ${why}`, LETTERS, 1)
  return [
    shape('text', 'note', { className: 'note', x: WIDTH - EDGE, y: -10, textAnchor: 'end' }, [note]),
    textAt('said', 'why', EDGE, 8, said),
    shape('g', 'network', { transform: `translate(0 ${WORDS})` }, networkShapes(shot.stage)),
    shotDiagram(picture, now, { ...PAIR_DIAGRAM, left: PAIR_STAGE.width, top: WORDS, isBare }),
  ]
}

function textAt(key: string, className: string, x: number, y: number, words: string): Shape {
  return shape('text', key, { className, x, y: round(y) }, [words])
}
