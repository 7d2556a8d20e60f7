import { type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { conesOf } from '../../run/causality.ts'
import type { Recording } from '../../run/recording.ts'
import type { Mark } from '../../scene/message-marks.ts'
import { endOf, type SpaceTime, spaceTime, windowAt } from '../../scene/spacetime.ts'
import { type Frame, placeIn } from '../../scene/spacetime-frame.ts'
import { type Colours, coloursOf, forgetNames, type Lit, paint } from './paint.ts'
import type { Seen } from './saved.ts'
import { useSize } from './size.ts'

interface Props {
  readonly recording: Recording
  /** In ticks. */
  readonly now: number
  /** How many ticks are seen at once. */
  readonly span: number
  readonly marks: ReadonlyMap<string, Mark>
  readonly isUpright: boolean
  /** Beside another run: when the later one ends, and whether only the other picture has the times. */
  readonly common?: { readonly end: number; readonly isBare: boolean }
  readonly scheme: string
  /** What is lit while nothing is pointed at; null for all. */
  readonly found?: Lit | null
  /** A step to point at; null for none. */
  readonly ringed?: Ringed | null
  /** Told what is seen, for a picture of it. */
  readonly seen: Pick<Seen, 'diagram'> | undefined
  readonly onSeek: (position: number) => void
  readonly onZoom: (by: number) => void
}

/** Lanes, arrows and bars on a canvas; pointing at an event lights what it depends on and what depends on it. */
export function SpaceTimeView(props: Props) {
  const {
    recording,
    now,
    span,
    marks,
    isUpright,
    common,
    scheme,
    found = null,
    ringed = null,
    seen: told,
    onSeek,
    onZoom,
  } = props
  const box = useRef<HTMLDivElement>(null)
  const size = useSize(box)
  const [hovered, setHovered] = useState<number | null>(null)
  const seen = windowAt(now, span, common?.end ?? endOf(recording))
  const picture = useMemo(() => spaceTime(recording, seen, marks), [recording, seen.from, seen.to, marks])
  const isBare = common?.isBare ?? false
  const frame = useMemo<Frame | null>(
    () => (size === null ? null : { ...size, isUpright, isBare }),
    [size, isUpright, isBare],
  )
  if (told !== undefined) told.diagram = frame === null ? null : { ...seen, frame }
  const canvas = usePainted(picture, frame, useCones(recording, hovered) ?? found, scheme)
  const pointed = (event: PointerEvent): number | null => {
    if (frame === null) return null
    const place = event.currentTarget.getBoundingClientRect()
    return nearestDot(picture, frame, event.clientX - place.left, event.clientY - place.top)
  }
  const { x, y } = frame === null ? { x: 0, y: 0 } : placeIn(frame, picture)(now, 0)
  return (
    <div
      className={isUpright ? 'spacetime upright' : 'spacetime'}
      ref={box}
      onPointerMove={(event) => setHovered(pointed(event))}
      onPointerLeave={() => setHovered(null)}
      onPointerUp={(event) => {
        const dot = pointed(event)
        if (dot !== null) onSeek(dot + 1)
      }}
      onWheel={({ deltaY }) => onZoom(deltaY > 0 ? 1 : -1)}
    >
      <canvas ref={canvas} role="img" aria-label="Space-time diagram; the tab Log tells the same in words" />
      <div
        className="time-future"
        style={isUpright ? { transform: `translateY(${y}px)` } : { transform: `translateX(${x}px)` }}
      />
      <div
        className="time-cursor"
        style={isUpright ? { transform: `translateY(${y}px)` } : { transform: `translateX(${x}px)` }}
      />
      {frame !== null && ringed !== null && <Ring {...{ frame, picture, ringed }} />}
    </div>
  )
}

/** A step, by when and where it is. */
export interface Ringed {
  /** In ticks. */
  readonly at: number
  readonly nodes: readonly number[]
}

/** A line at the time of a step, and a ring around each of its dots. Nothing if that is out of sight. */
function Ring({ frame, picture, ringed }: { frame: Frame; picture: SpaceTime; ringed: Ringed }) {
  if (ringed.at < picture.from || ringed.at > picture.to) return null
  const spots = ringed.nodes.map((node) => placeIn(frame, picture)(ringed.at, node))
  const { x } = placeIn(frame, picture)(ringed.at, 0)
  return (
    <svg className="ring" aria-hidden="true">
      <path d={`M${x} 0V${frame.height}`} />
      {spots.map((spot) => (
        <circle key={spot.y} cx={spot.x} cy={spot.y} r={9} />
      ))}
    </svg>
  )
}

/** The causal past and future of what is pointed at. */
function useCones(recording: Recording, hovered: number | null): Lit | null {
  return useMemo(() => {
    if (hovered === null || hovered >= recording.happenings.length) return null
    const { past, future } = conesOf(recording, hovered)
    const hasStep = (happening: number) =>
      happening === hovered || past.has(happening) || future.has(happening)
    return {
      isMarked: (happening) => happening === hovered,
      hasStep,
      hasArrow: ({ cause, effect }) => hasStep(cause) && effect !== null && hasStep(effect),
    }
  }, [recording, hovered])
}

/** A canvas on which the picture is painted whenever it changes; the scheme changes the colours. */
function usePainted(picture: SpaceTime, frame: Frame | null, lit: Lit | null, scheme: string) {
  const canvas = useRef<HTMLCanvasElement>(null)
  // Reading them from the style sheet makes the browser work out all styles, so it is done once per scheme.
  const known = useRef<{ scheme: string; colours: Colours } | null>(null)
  // With the rest of the page, so that both pictures show the same moment in the same frame.
  useLayoutEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d') ?? null
    if (element === null || context === null || frame === null) return
    const ratio = window.devicePixelRatio
    const [width, height] = [Math.round(frame.width * ratio), Math.round(frame.height * ratio)]
    if (known.current?.scheme !== scheme) known.current = { scheme, colours: coloursOf(element) }
    // Both forget what the context was set to; and to set a font, too, has the browser work out styles.
    if (element.width !== width || element.height !== height) {
      element.width = width
      element.height = height
      forgetNames(context)
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      context.font = `12px ${known.current.colours.face}`
    }
    paint(context, picture, frame, known.current.colours, lit)
  }, [picture, frame, lit, scheme])
  return canvas
}

const REACH = 14

/** The happening whose dot is nearest to a place, if one is near. */
function nearestDot(picture: SpaceTime, frame: Frame, x: number, y: number): number | null {
  const place = placeIn(frame, picture)
  let best: number | null = null
  let least = REACH
  for (const { node, at, happening } of picture.points) {
    const dot = place(at, node)
    const distance = Math.hypot(dot.x - x, dot.y - y)
    if (distance >= least) continue
    least = distance
    best = happening
  }
  return best
}
