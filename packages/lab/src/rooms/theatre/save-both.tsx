import { get } from '@turnwise/core/bounds'
import tokens from '../../design/tokens.css?raw'
import { PAIR_STAGE, pairPicture } from '../../scene/pair.ts'
import { onGround, shotStyle } from '../../scene/shot.ts'
import { svgFile } from '../../scene/svg-shape.ts'
import { Save } from '../save.tsx'
import './take-away.css'
import { FilmButton } from './film-button.tsx'
import { canvasOf, imageOf, type Painter } from './film-painter.ts'
import { type Cursor, timeOf } from './playback.ts'
import { leavingOf } from './save-as.tsx'
import { halvesOf, type LeavingPair, pairForms } from './saved-pair.ts'
import network from './topology.css?raw'
import type { Standing } from './two-playing.tsx'
import { titleOf } from './two-told.tsx'
import type { Run } from './use-run.ts'

interface Props {
  readonly runs: readonly [Run, Run]
  readonly standing: { readonly current: Standing | null }
}

/** Two runs in the forms that other tools read. */
export default function SaveBoth({ runs, standing: { current } }: Props) {
  if (current?.timeline.isWhole !== true) return <p className="hint">The runs are still being played.</p>
  const { timeline, playback } = current
  const name = runs.map(({ world }) => world.config.algorithm.facts.name).join('-and-')
  const leaving = () => pairAt(runs, current, playback.cursor, timeOf(timeline, playback.cursor))
  const painter = (scheme: 'light' | 'dark') => pairPainter(runs, current, scheme)
  return (
    <div className="take-away">
      {pairForms(leaving).map(({ label, ending, type, text }) => (
        <Save key={ending} label={label} name={`${name}.${ending}`} type={type} text={text} />
      ))}
      <FilmButton
        filmed={{ name, timeline, painter }}
        speed={playback.speed}
        position={playback.cursor.position}
      />
      <p className="hint">
        Pictures have both runs, one below the other, with the parts of the diagrams, and the networks, that
        you see. <em>Both runs</em> has all of this moment.
      </p>
    </div>
  )
}

function pairAt(
  runs: readonly [Run, Run],
  { timeline, seen }: Standing,
  { position }: Cursor,
  now: number,
): LeavingPair {
  const places = get(timeline.places, position)
  const half = (which: 0 | 1) => ({
    ...leavingOf(runs[which], seen[which], places[which], now, PAIR_STAGE),
    title: titleOf(runs[which]),
  })
  return [half(0), half(1)]
}

/** Paints moments of two runs, each as one image of SVG. */
function pairPainter(runs: readonly [Run, Run], standing: Standing, scheme: 'light' | 'dark'): Painter {
  const style = shotStyle({ tokens, network }, scheme)
  const pictureAt = (cursor: Cursor, now: number) =>
    onGround(pairPicture(halvesOf(pairAt(runs, standing, cursor, now))))
  const { canvas, context } = canvasOf(pictureAt({ position: 0, share: 0 }, 0))
  return {
    canvas,
    async paint(cursor, now) {
      const { shapes, width, height } = pictureAt(cursor, now)
      const image = await imageOf(svgFile(shapes, width, height, style), { width, height })
      context.drawImage(image, 0, 0, width, height)
    },
  }
}
