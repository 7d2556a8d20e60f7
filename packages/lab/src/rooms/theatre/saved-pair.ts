import { tallyOf } from '../../run/tally.ts'
import { type Half, pairPicture, stacked } from '../../scene/pair.ts'
import { onGround, type Picture, plainStyle } from '../../scene/shot.ts'
import { endOf, firstSpan, spaceTime, windowAt } from '../../scene/spacetime.ts'
import {
  diagramOf,
  type Form,
  type Leaving,
  networkOf,
  notesOf,
  paperText,
  pictureForm,
  sizedSvg,
  wordForms,
} from './saved.ts'

/** One of two runs that leave together. */
export interface LeavingHalf extends Leaving {
  /** What tells it from the other. */
  readonly title: string
}

export type LeavingPair = readonly [LeavingHalf, LeavingHalf]

/** All forms of two runs. Pictures have both, one below the other; in words each run leaves for itself. */
export function pairForms(leaving: () => LeavingPair): Form[] {
  const svg = (pair: LeavingPair, picture: Picture) =>
    sizedSvg(onGround(picture), plainStyle(pair[0].sheets, pair[0].scheme), pairNotes(pair))
  const tikz = (pair: LeavingPair, picture: Picture) => paperText(picture, pair[0].sheets, pairNotes(pair))
  const form = (
    label: string,
    ending: string,
    written: (pair: LeavingPair, picture: Picture) => string,
    drawn: (pair: LeavingPair) => Picture,
  ) =>
    pictureForm(label, ending, () => {
      const pair = leaving()
      return written(pair, drawn(pair))
    })
  return [
    form('Diagrams (SVG)', 'svg', svg, pictured(diagramOf)),
    form('Diagrams (TikZ)', 'tex', tikz, pictured(diagramOf)),
    form('Networks (SVG)', 'networks.svg', svg, pictured(networkOf)),
    form('Networks (TikZ)', 'networks.tex', tikz, pictured(networkOf)),
    form('Both runs (SVG)', 'both.svg', svg, (pair) => pairPicture(halvesOf(pair))),
    form('Both runs (TikZ)', 'both.tex', tikz, (pair) => pairPicture(halvesOf(pair))),
    ...(['first', 'second'] as const).flatMap((which, index) =>
      wordForms(
        () => (index === 0 ? leaving()[0] : leaving()[1]).recording,
        (label) => `${label} of the ${which}`,
        (ending) => `${which}.${ending}`,
      ),
    ),
  ]
}

function pictured(draw: (leaving: Leaving) => Picture): (pair: LeavingPair) => Picture {
  return (pair) => stacked(pair.map((half) => ({ title: half.title, ...draw(half) })))
}

function pairNotes([first, second]: LeavingPair): string[] {
  const [letters = '', address = ''] = notesOf(first)
  return [letters, ...notesOf(second).slice(0, 1), address]
}

/** Both at one moment, on one axis of time. */
export function halvesOf(pair: LeavingPair): readonly [Half, Half] {
  const { now } = pair[0].shot.stage
  const span = Math.max(...pair.map(({ recording }) => firstSpan(recording)))
  const end = Math.max(...pair.map(({ recording }) => endOf(recording)))
  const seen = windowAt(now, span, end)
  const half = ({ title, recording, shot }: LeavingHalf): Half => {
    const { messages, entries } = tallyOf(recording)(shot.stage.moment.position)
    return {
      title,
      note: `${messages} messages, ${entries} ${entries === 1 ? 'entry' : 'entries'}`,
      shot,
      picture: spaceTime(recording, seen, shot.stage.marks),
    }
  }
  return [half(pair[0]), half(pair[1])]
}
