/** A short run of an algorithm, drawn: the one that the page opens on, with the same requests and delays for every algorithm. */
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { FIRST, withAlgorithm, writeQuery } from '../../packages/lab/src/rooms/theatre/theatre-query.ts'
import { fitted } from '../../packages/lab/src/run/fitted.ts'
import { play } from '../../packages/lab/src/run/play-whole.ts'
import type { Recording } from '../../packages/lab/src/run/recording.ts'
import { record } from '../../packages/lab/src/run/recording-builder.ts'
import { marksOf } from '../../packages/lab/src/scene/message-marks.ts'
import { endOf, spaceTime } from '../../packages/lab/src/scene/spacetime.ts'
import { diagramColours } from '../../packages/lab/src/scene/spacetime-frame.ts'
import { diagramStyle, spaceTimeShapes } from '../../packages/lab/src/scene/spacetime-shapes.ts'
import { svgFile } from '../../packages/lab/src/scene/svg-shape.ts'
import { writeAddress } from '../../packages/lab/src/shell/address.ts'

const WIDTH = 860
const LANE = 52
/** A longer run is shown up to here. */
const MOST_HAPPENINGS = 60

export function firstRun(algorithm: AnyProtocol): { svg: string; address: string; notes: string } {
  const wished = withAlgorithm(
    { ...FIRST, ...(isElection(algorithm) ? { nodes: 5, load: 'one' } : {}) },
    algorithm.facts.name,
  )
  const { spec } = fitted(wished)
  const recording = record(play(spec, []))
  const to = shownUpTo(recording)
  const marks = marksOf(recording.types, Object.keys(algorithm.shapes.messages))
  const height = LANE * spec.nodes + 22
  const picture = spaceTime(recording, { from: 0, to }, marks)
  const letters = [...marks].map(([type, { letter }]) => `${letter} is ${type}`)
  return {
    svg: svgFile(spaceTimeShapes(picture, { width: WIDTH, height, isUpright: false }), WIDTH, height).replace(
      '<svg ',
      `<svg role="img" aria-label="${algorithm.facts.title}: a run in space and time" `,
    ),
    address: writeAddress({ room: 'theatre', query: writeQuery({ spec, hands: [], position: null }) }),
    notes: letters.length === 0 ? '' : `Of the messages, ${letters.join(', ')}. `,
  }
}

function shownUpTo(recording: Recording): number {
  const { happenings } = recording
  const last = happenings[MOST_HAPPENINGS]
  return 1.03 * (last === undefined ? endOf(recording) : last.at)
}

/** The colours of the page's own style sheet, so that the picture is light or dark with it. */
const COLOURS = diagramColours((name) => `var(--${name})`, 'var(--sans)')

export const RUN_STYLE: string = diagramStyle(COLOURS, '.run')
