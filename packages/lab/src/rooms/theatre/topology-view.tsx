import type { Setup } from '@turnwise/core/setup'
import { type KeyboardEvent, type MouseEvent, useMemo, useRef } from 'react'
import type { Moment } from '../../run/moment.ts'
import type { Target } from '../../run/offers.ts'
import { viewSetup } from '../../run/view-setup.ts'
import type { Mark } from '../../scene/message-marks.ts'
import { type Layout, layoutOf } from '../../scene/network-layout.ts'
import { MOST_NAMED } from '../../scene/node-shape.ts'
import { letterNear, linkNear, movingShape, type Stage, stillShapes } from '../../scene/topology-shapes.ts'
import { drawn, Redrawn } from '../drawn.tsx'
import { Places } from './places.ts'
import type { Seen } from './saved.ts'
import { useSize } from './size.ts'
import './topology.css'
import type { Run } from './use-run.ts'

/** Where a menu is to open, in the window. */
export interface Spot {
  readonly x: number
  readonly y: number
}

export type Handle = (target: Target, spot: Spot) => void

interface Props {
  readonly run: Run
  /** The channels and quorums of this moment. */
  readonly setup: Setup
  readonly moment: Moment
  readonly now: number
  readonly marks: ReadonlyMap<string, Mark>
  readonly selected: number | null
  /** Told what is seen, for a picture of it. */
  readonly seen?: Pick<Seen, 'network'> | undefined
  readonly onHandle: Handle
}

/** The network as the algorithm sees it. Whatever hands can be laid on can be clicked, and reached by Tab. */
export function TopologyView({ run, setup, moment, now, marks, selected, seen, onHandle }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const size = useSize(box)
  const { algorithm } = run.world.config
  const layout = useLayout(run, size)
  const places = useRef<Places | null>(null)
  places.current ??= new Places()
  const { current: redrawn } = useRef(new Redrawn())
  // Between two happenings only letters move.
  const still = useMemo(
    () =>
      layout === null
        ? []
        : redrawn.draw(stillShapes({ protocol: algorithm, setup, layout, marks, moment, selected })),
    [algorithm, setup, layout, marks, moment, selected],
  )
  const stage = layout === null ? null : { protocol: algorithm, setup, layout, marks, moment, now, selected }
  const moving = stage === null ? null : drawn(places.current.put(movingShape(stage)))
  if (seen !== undefined) seen.network = stage
  const open = (event: MouseEvent | KeyboardEvent) => {
    const byMouse = 'clientX' in event && event.clientX !== 0
    const target =
      targetOf(event.target) ?? (byMouse && layout !== null ? nearest(event, { moment, layout, now }) : null)
    if (target === null) return
    event.preventDefault()
    event.stopPropagation()
    const place = (event.target as Element).getBoundingClientRect()
    onHandle(
      target,
      byMouse ? { x: event.clientX, y: event.clientY } : { x: place.right, y: place.top + place.height / 2 },
    )
  }
  return (
    <div className="topology" ref={box}>
      {layout !== null && (
        <svg
          viewBox={`0 0 ${layout.width} ${layout.height}`}
          className={setup.nodes > MOST_NAMED ? 'crowd' : undefined}
          role="group"
          aria-label={`${algorithm.facts.title}, ${setup.nodes} nodes`}
          onClick={open}
          onContextMenu={open}
          onKeyDown={(event) => {
            if (event.key === 'Enter' || event.key === ' ') open(event)
          }}
        >
          {still}
          {moving}
        </svg>
      )}
    </div>
  )
}

function targetOf(element: EventTarget): Target | null {
  if (!(element instanceof Element)) return null
  const found = element.closest('[data-node], [data-letter], [data-link]')
  const { node, letter, link } = (found as SVGElement | null)?.dataset ?? {}
  if (node !== undefined) return { is: 'node', node: Number(node) }
  if (letter !== undefined) {
    const [id = 0, to = 0] = letter.split('>').map(Number)
    return { is: 'letter', id, to }
  }
  if (link === undefined) return null
  const [a = 0, b = 0] = link.split('-').map(Number)
  return { is: 'link', ends: [a, b] }
}

/** One shape may show several letters or links: the one nearest to the mouse. */
function nearest(event: MouseEvent, stage: Pick<Stage, 'moment' | 'layout' | 'now'>): Target | null {
  const drawnAsOne = (event.target as Element).closest<SVGElement>('[data-letters], [data-links]')
  if (drawnAsOne === null) return null
  const { left, top } = event.currentTarget.getBoundingClientRect()
  const place = { x: event.clientX - left, y: event.clientY - top }
  const letter = letterNear(stage, place)
  if (letter !== null) return { is: 'letter', id: letter.id, to: letter.to }
  const { links } = drawnAsOne.dataset
  const ends = links === undefined ? null : linkNear(links, stage.layout, place)
  return ends === null ? null : { is: 'link', ends }
}

function useLayout(run: Run, size: ReturnType<typeof useSize>): Layout | null {
  const { world, recording, spec } = run
  const { algorithm, setup } = world.config
  const whole = wholeView(run)
  return useMemo(
    () => (size === null ? null : runLayout({ world, recording, spec }, size)),
    [algorithm, setup, whole, spec, size],
  )
}

type Placed = Pick<Run, 'world' | 'recording' | 'spec'>

function wholeView({ world, recording }: Placed) {
  const { nodes } = world.config.setup
  return recording.views.find(({ members }) => members.length === nodes)?.members
}

/** Nodes keep their places whatever view they are in: those of the first in which all of them are, if there is one. */
export function runLayout(run: Placed, size: { readonly width: number; readonly height: number }): Layout {
  const { algorithm, setup } = run.world.config
  const whole = wholeView(run)
  const placed = whole === undefined ? setup : viewSetup(algorithm, setup, whole, run.spec).drawn
  return layoutOf(algorithm.facts, placed, size.width, size.height)
}
