import { auditJson, heldText, troublesIn } from '../audit/audit-report.ts'
import { durationText } from '../terminal/duration.ts'
import { table } from '../terminal/table.ts'
import { counted, figure, type Terminal, verdict } from '../terminal/terminal.ts'
import type { Happening } from './picture.ts'
import type { Outcome, SessionOptions } from './session.ts'
import type { NodeRow } from './snapshot.ts'

/** What just happened, on one line, after when. */
export function happeningText({ at, kind, text }: Happening, { paint }: Pick<Terminal, 'paint'>): string {
  const colour = {
    fault: paint.red,
    repair: paint.green,
    view: paint.cyan,
    moves: paint.yellow,
    lost: paint.magenta,
    trouble: (words: string) => paint.bold(paint.red(words)),
  }[kind]
  return `${paint.dim(`${(at / 1000).toFixed(1).padStart(6)} s`)}  ${colour(text)}`
}

export function upText(options: SessionOptions, outcome: Outcome, terminal: Terminal): string {
  const { snapshot, milliseconds, views, unjudged } = outcome
  const { algorithm, leaseMs, ids, seed, distance } = options
  const title = terminal.paint.bold(`${algorithm}  ${counted(ids.length, 'node')}`)
  const promise = unjudged === null ? 'exclusion, fences, everyone served' : 'exclusion, fences'
  return [
    `${title}  lease ${figure(leaseMs / 1000)} s  seed ${seed}${distance === null ? '' : `  latency ${distance.text}`}${snapshot.place === null ? '' : `  at ${snapshot.place.name}`}`,
    `${counted(snapshot.all.turns, 'turn')} in ${(milliseconds / 1000).toFixed(1)} s, ${perSecond(outcome)} hand-offs/s, ${counted(views, 'view')}`,
    '',
    table(
      terminal,
      ['node', 'state', 'turns', 'messages per turn', 'p50 wait', 'p99 wait'],
      [
        ...snapshot.nodes.map((row) => [row.id, row.state, ...figures(row)]),
        ['all', '', ...figures(snapshot.all)],
      ],
    ),
    ...(snapshot.zones.length === 0 ? [] : ['', zoneTable(snapshot.zones, terminal)]),
    '',
    verdict(outcome, promise, terminal.paint),
    ...(troublesIn(outcome.audited).length > 0
      ? []
      : [terminal.paint.dim(`audit: ${heldText(outcome.audited)}`)]),
    ...(unjudged === null ? [] : [terminal.paint.dim(`not judged whether everyone was served: ${unjudged}`)]),
  ].join('\n')
}

function zoneTable(zones: Outcome['snapshot']['zones'], terminal: Terminal): string {
  return table(
    terminal,
    ['zone', 'nodes', 'turns', 'p50 wait', 'p99 wait'],
    zones.map(({ zone, nodes, turns, p50, p99 }) => [
      String(zone),
      nodes.join(' '),
      figure(turns),
      wait(p50),
      wait(p99),
    ]),
  )
}

/** Hand-offs, over the whole run. */
function perSecond({ snapshot, milliseconds }: Outcome): string {
  return (milliseconds === 0 ? 0 : (1000 * snapshot.handOffs) / milliseconds).toFixed(1)
}

function figures({
  turns,
  messagesPerTurn,
  p50,
  p99,
}: Omit<NodeRow, 'id' | 'state'> | Outcome['snapshot']['all']) {
  return [figure(turns), messagesPerTurn?.toFixed(1) ?? '–', wait(p50), wait(p99)]
}

/** A dash where nobody waited. */
export function wait(milliseconds: number | null): string {
  return milliseconds === null ? '–' : durationText(milliseconds)
}

export function upJson(options: SessionOptions, outcome: Outcome, happenings: readonly Happening[]): string {
  const { ids, algorithm, leaseMs, names, seed, distance } = options
  const { snapshot, milliseconds: took, views, violations, unjudged } = outcome
  return JSON.stringify(
    {
      algorithm,
      nodes: ids.length,
      lease: leaseMs,
      names,
      seed,
      place: snapshot.place?.name ?? null,
      latency: distance?.text ?? null,
      milliseconds: Math.round(took),
      views,
      view: snapshot.view,
      turns: snapshot.all.turns,
      messages: snapshot.all.sent,
      handOffs: snapshot.handOffs,
      perZone: snapshot.zones,
      perNode: snapshot.nodes,
      perName: snapshot.names,
      happenings: happenings.map((happening) => ({ ...happening, at: Math.round(happening.at) })),
      violations,
      servedJudged: unjudged === null,
      audited: auditJson(outcome.audited),
    },
    null,
    2,
  )
}
