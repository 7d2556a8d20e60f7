/** Draws the story of a killed holder: lanes and bars as in the theatre, uncovered at the speed of the run. */
import { get } from '@turnwise/core/bounds'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { type Mark, marksOf } from '../../packages/lab/src/scene/message-marks.ts'
import { VARIABLE_COLOURS, variablesIn } from '../../packages/lab/src/scene/shot.ts'
import { type Bar, type SpaceTime, spaceTime } from '../../packages/lab/src/scene/spacetime.ts'
import { placeIn } from '../../packages/lab/src/scene/spacetime-frame.ts'
import { diagramStyle, spaceTimeShapes } from '../../packages/lab/src/scene/spacetime-shapes.ts'
import { round, type Shape, shape } from '../../packages/lab/src/scene/svg-shape.ts'
import { recordingOf, type Story } from './killed.ts'
import { framed, SHEETS } from './theatre.ts'

const WIDTH = 860
const TOP = 44
const LANE = 40
const LINE = 22

/** Seconds that are shown before the kill and after the lock has moved on, and for how long the end stays. */
const BEFORE = 2.2
const AFTER = 2
const REST = 3

export function killedPicture(story: Story): string {
  const { ids, killed, next } = story
  const from = killed.at - BEFORE * TICKS_PER_UNIT
  const to = next.at + AFTER * TICKS_PER_UNIT
  const frame = { width: WIDTH, height: LANE * ids.length + 26, isUpright: false }
  const picture = seen(story, from, to)
  const place = placeIn(frame, picture)
  const told = captions(story, from, to, TOP + frame.height + 24)
  const height = TOP + frame.height + 18 + LINE * told.length
  const seconds = (to - from) / TICKS_PER_UNIT
  const [start, end] = [place(picture.from, 0).x, place(picture.to, 0).x]
  const shapes = [
    shape('rect', 'ground', { className: 'ground', width: WIDTH, height }),
    shape('text', 'command', { className: 'command', x: 16, y: 28 }, [`$ ${story.command}`]),
    shape('text', 'lock', { className: 'note', x: WIDTH - 16, y: 28, textAnchor: 'end' }, [
      `who holds the lock "${story.lock}": a recorded run, at its own speed`,
    ]),
    shape('g', 'run', { className: 'diagram', transform: `translate(0 ${TOP})` }, [
      ...spaceTimeShapes(picture, frame).map((each) => withName(each, ids)),
      ...labels(story, place),
      shape('g', 'cover', { className: 'cover' }, [
        shape('rect', 'unknown', {
          className: 'ground',
          x: round(start),
          y: 0,
          width: round(end - start + 8),
          height: frame.height - 22,
        }),
        shape('line', 'cursor', {
          className: 'cursor',
          x1: round(start),
          y1: 0,
          x2: round(start),
          y2: frame.height - 22,
        }),
      ]),
    ]),
    ...told.map(({ drawn }) => drawn),
  ]
  const style = [
    ...styleRules(),
    ...motion(
      end - start + 8,
      seconds,
      told.map(({ at }) => at),
    ),
  ].join('\n')
  return framed(shapes, { width: WIDTH, height }, style)
}

/** The part of the run that is shown, with times as the command counts them. Of the messages, only the token. */
function seen(story: Story, from: number, to: number): SpaceTime {
  const { killed, zero } = story
  const recording = recordingOf(story)
  const marks = marksOf(recording.types)
  const token: Mark | undefined = marks.get('token')
  const { arrows, bars, points, ...rest } = spaceTime(recording, { from, to }, marks)
  const lasts = (bar: Bar): Bar =>
    bar.is === 'inside' && bar.node === killed.node && bar.from === killed.entered
      ? { ...bar, to: killed.at }
      : bar
  const early = <T extends { readonly at: number }>(each: T): T => ({ ...each, at: each.at - zero })
  const down: Bar = { is: 'down', node: killed.node, from: killed.at, to }
  return {
    ...rest,
    from: from - zero,
    to: to - zero,
    // Where its file ends, the record no longer sees the node; it was killed a little later.
    bars: [...bars.filter((bar) => bar.is !== 'down').map(lasts), down].map((bar) => ({
      ...bar,
      from: bar.from - zero,
      to: Math.min(bar.to, to) - zero,
    })),
    arrows: arrows
      .filter(({ mark }) => token !== undefined && mark?.letter === token.letter)
      .map((arrow) => ({
        ...arrow,
        mark: undefined,
        sentAt: arrow.sentAt - zero,
        endsAt: Math.min(arrow.endsAt, to) - zero,
      })),
    points: [
      ...points.filter(({ at, node }) => node !== killed.node || at < killed.at).map(early),
      early({ node: killed.node, at: killed.at, happening: -1, is: 'fault' as const }),
    ],
  }
}

/** The name of a node in place of its number. */
function withName(each: Shape, ids: readonly string[]): Shape {
  if (each.attributes['className'] !== 'lane') return each
  const children = each.children.map((child) =>
    typeof child === 'string' || child.tag !== 'text'
      ? child
      : { ...child, children: child.children.map((number) => get(ids, Number(number))) },
  )
  return { ...each, children }
}

/** The fences before and after, and the wait between them. */
function labels({ ids, killed, next, lease, zero }: Story, place: ReturnType<typeof placeIn>): Shape[] {
  const label = (key: string, at: number, node: number, words: string, className = 'label') => {
    const { x, y } = place(at - zero, node)
    return shape('text', key, { className, x: round(x + 6), y: round(y - 10) }, [words])
  }
  const waits = `the others wait: ${get(ids, killed.node)} has a lease of ${lease}`
  return [
    label('killed', killed.at, killed.node, `kill -9, inside with fence ${killed.fence}`, 'label alarm'),
    label('waits', killed.at, ids.length - 1, waits),
    label('next', next.at, next.node, `inside with fence ${next.fence}`),
  ]
}

/** What the command said while the picture runs, each with the second at which it came. */
function captions({ said }: Story, from: number, to: number, y: number) {
  return said
    .filter(({ at }) => at >= from && at <= to)
    .map(({ at, text }, i) => ({
      at: (at - from) / TICKS_PER_UNIT,
      drawn: shape('text', `said ${i}`, { className: `caption caption-${i}`, x: 16, y: y + LINE * i }, [
        text.trim(),
      ]),
    }))
}

function styleRules(): string[] {
  return [
    variablesIn(SHEETS.tokens, 'both'),
    diagramStyle(VARIABLE_COLOURS, '.diagram'),
    '.ground { fill: var(--surface); }',
    '.edge { stroke: var(--line); }',
    '.command, .caption { fill: var(--ink); font: 14px var(--mono); white-space: pre; }',
    '.note { fill: var(--muted); font: 13px var(--sans); }',
    '.diagram .label { fill: var(--ink); font: 12px var(--mono); }',
    '.diagram .label.alarm { fill: var(--fails); }',
    '.diagram .dot.fault { fill: var(--fails); }',
    '.diagram .hue-1 .way { stroke: var(--hue-2); }',
    '.diagram .hue-1 .head { fill: var(--hue-2); }',
    '.cursor { stroke: var(--accent); }',
  ]
}

/** Once through the run at its own speed, then a rest. Without motion all of it is there. */
function motion(way: number, seconds: number, appear: readonly number[]): string[] {
  const whole = seconds + REST
  const share = (at: number) => `${round((1000 * at) / whole) / 10}%`
  const rules = appear.flatMap((at, i) => [
    `@keyframes said-${i} { 0%, ${share(at)} { opacity: 0; } ${share(at + 0.15)}, 100% { opacity: 1; } }`,
    `.caption-${i} { animation: said-${i} ${round(whole)}s linear infinite; }`,
  ])
  return [
    `.cover { transform: translateX(${round(way)}px); }`,
    '@media (prefers-reduced-motion: no-preference) {',
    `@keyframes pass { 0% { transform: translateX(0); } ${share(seconds)}, 100% { transform: translateX(${round(way)}px); } }`,
    `.cover { animation: pass ${round(whole)}s linear infinite; }`,
    ...rules,
    '}',
  ]
}
