import type { CheckResult } from '@turnwise/checker/check'
import type { Instance } from '@turnwise/checker/instance'
import { counterexample, isShortest, type PropertyResult } from '@turnwise/checker/property'
import { isElection } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { hasTimeouts } from '@turnwise/core/facts'
import { changedSettings } from '@turnwise/core/options'
import { renderDiagram } from '@turnwise/core/trace/diagram'
import { type Happening, happenings } from '@turnwise/core/trace/happening'
import { reasonsOf, sentence } from '@turnwise/core/trace/sentence'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import { counted, figure, type Terminal } from '../../terminal/terminal.ts'
import { diagramPainter } from './diagram-painter.ts'

export interface CheckReport {
  readonly instance: Instance
  readonly result: CheckResult
  /** Null where no fences are given out. */
  readonly fences: PropertyResult | null
  readonly wallMs: number
}

function allProperties({ result, fences }: CheckReport): readonly PropertyResult[] {
  if (fences === null) return result.properties
  const sometimes = result.properties.findIndex(({ name }) => name.startsWith('sometimes'))
  return result.properties.toSpliced(sometimes, 0, fences)
}

export function exitCodeOf(report: CheckReport): 0 | 1 | 3 {
  const properties = allProperties(report)
  if (properties.some(({ holds }) => holds === false)) return 1
  return properties.every(({ holds }) => holds === true) ? 0 : 3
}

/** Other programs rely on these names. */
export function checkJson(report: CheckReport) {
  const { instance, result, wallMs } = report
  return {
    algorithm: instance.algorithm.facts.name,
    nodes: instance.setup.nodes,
    requests: instance.requests ?? 'any',
    channels: instance.channels,
    timing: instance.timing,
    readers: instance.readers ?? 'none',
    downgrades: instance.downgrades ?? false,
    updates: instance.updates ?? false,
    priorities: instance.priorities ?? 1,
    resources: instance.setup.resources,
    sets: instance.sets ?? null,
    topology: instance.setup.topology.kind,
    quorum: instance.setup.quorums?.kind ?? null,
    structure: instance.setup.structure?.kind ?? null,
    dead: instance.setup.dead,
    absent: instance.setup.absent,
    memory: instance.memory ?? 'kept',
    clock: instance.clock ?? null,
    room: instance.room ?? null,
    gaps: instance.gaps ?? null,
    reduced: instance.reduced ?? false,
    settled: instance.settled ?? false,
    only: instance.only ?? null,
    budgets: instance.budgets,
    complete: result.complete,
    bounded: boundOf(instance),
    states: result.states,
    transitions: result.transitions,
    depth: result.depth,
    bytesPerState: Math.round(result.bytesPerState),
    properties: allProperties(report).map((property) => ({
      name: property.name,
      holds: property.holds,
      reason: property.reason,
      path: pathOf(instance, property),
      why: whyOf(instance, property),
    })),
    extremes: result.extremes,
    ...(isElection(instance.algorithm) ? { messagesPerElection: result.messagesPerElection } : {}),
    wallMs,
  }
}

/** What keeps the runs finite, or null if they may go on for ever. */
function boundOf({ algorithm, requests }: Instance): string | null {
  if (requests === null) return null
  const what = isElection(algorithm) ? 'election' : 'request'
  return `${counted(requests, what)} of each node`
}

/** The run that breaks a property, an event a line. */
export function pathOf(instance: Instance, property: PropertyResult): string[] | null {
  return stepsOf(instance, property)?.map((step) => sentence(step).replace(/ \(sent [\d.]+\)/, '')) ?? null
}

/** For each event of that run the reasons, as the algorithm says them. */
function whyOf(instance: Instance, property: PropertyResult): string[][] | null {
  return stepsOf(instance, property)?.map(reasonsOf) ?? null
}

function stepsOf(instance: Instance, property: PropertyResult): Happening[] | null {
  const trace = counterexample(instance, property)
  return trace && [...happenings(trace)].filter(({ cause }) => cause.is !== 'violation')
}

/** One of what each budget counts. */
const TROUBLE: Readonly<Record<string, string>> = {
  crashes: 'crash',
  drops: 'drop',
  duplicates: 'duplicate',
  withdrawals: 'withdrawal',
  suspicions: 'suspicion',
  restarts: 'restart',
  links: 'link',
  unlinks: 'unlink',
  joins: 'join',
  leaves: 'leave',
}

export function checkText(report: CheckReport, terminal: Terminal): string {
  const { instance, result, wallMs } = report
  const { paint } = terminal
  const { setup, budgets } = instance
  const trouble = Object.entries(budgets).filter(([, count]) => count > 0)
  const head = [
    paint.bold(instance.algorithm.facts.name),
    `  ${counted(setup.nodes, 'node')}, ${setup.topology.kind}`,
    setup.quorums === null ? '' : `, ${setup.quorums.kind} quorums`,
    setup.structure === null ? '' : `, structure ${setup.structure.kind}`,
    setup.dead.length === 0 ? '' : `, ${setup.dead.join(', ')} dead`,
    setup.absent.length === 0 ? '' : `, ${setup.absent.join(', ')} absent at first`,
    setup.entries > 1 ? `, k = ${setup.entries}` : '',
    ...changedSettings(instance.algorithm.options, setup.options).map((setting) => `, ${setting}`),
    `, ${instance.channels} channels, ${boundOf(instance) ?? `any number of ${isElection(instance.algorithm) ? 'elections' : 'requests'}`}`,
    { none: '', some: ', each of which may share', all: ', all of which share' }[instance.readers ?? 'none'],
    setup.resources > 1 ? `, for some of ${setup.resources} resources` : '',
    instance.updates ? ', each of which may be for an update' : '',
    (instance.priorities ?? 1) > 1 ? `, each with one of ${instance.priorities} priorities` : '',
    instance.downgrades ? ', a writer inside may go on as a reader' : '',
    hasTimeouts(instance.algorithm.facts) ? TIMING_TEXT[instance.timing] : '',
    ...trouble.map(([name, count]) => `, up to ${counted(count, TROUBLE[name] ?? name)}`),
    instance.clock === undefined ? '' : `, no clock beyond ${instance.clock}`,
    instance.room === undefined ? '' : `, at most ${counted(instance.room, 'message')} in a channel`,
    instance.gaps === undefined ? '' : `, distances of clock values up to ${instance.gaps}`,
    instance.reduced ? ', reduced' : '',
    instance.settled ? ', settled messages received at once' : '',
    budgets.restarts === 0 ? '' : MEMORY_TEXT[instance.memory ?? 'kept'],
  ].join('')
  const properties = allProperties(report)
  const failures = properties.filter(({ trace }) => trace !== null)
  return [
    head,
    '',
    ...propertyLines(properties, terminal),
    '',
    ...extremeLines(report, terminal),
    verdict(report, terminal),
    paint.dim(
      `${figure(result.states)} states, ${figure(result.transitions)} transitions, depth ${result.depth}, ` +
        `${figure(wallMs / 1000)} s, ${Math.round(result.bytesPerState)} bytes per state`,
    ),
    ...failures.flatMap((failure) => ['', ...drawn(instance, failure, terminal)]),
  ].join('\n')
}

const TIMING_TEXT = {
  bounded: ', time-outs when nothing else can happen',
  any: ', time-outs at any moment',
}

const MEMORY_TEXT = { kept: ' with memory', lost: ' without memory', either: ' with memory or without' }

function propertyLines(properties: readonly PropertyResult[], { paint }: Terminal): string[] {
  const width = Math.max(...properties.map(({ name }) => name.length))
  return properties.map(({ name, holds, reason }) => {
    const mark = holds === null ? paint.yellow('open') : holds ? paint.green('holds') : paint.red('FAILS')
    return `  ${name.padEnd(width)}  ${mark}${reason === null ? '' : `  ${reason}`}`
  })
}

function extremeLines({ result, instance }: CheckReport, { paint }: Terminal): string[] {
  const { formula } = instance.algorithm.facts.messages
  if (result.complete && isElection(instance.algorithm)) {
    const messages = rangeText(result.messagesPerElection)
    return [`  ${paint.dim('messages per election')}  ${messages}   theory ${formula}`, '']
  }
  if (result.extremes === null) return []
  const { messagesPerEntry, maxOvertaking } = result.extremes
  const messages = rangeText(messagesPerEntry)
  const overtaking = maxOvertaking === null ? 'without bound' : `at most ${counted(maxOvertaking, 'time')}`
  return [
    `  ${paint.dim('messages per entry')}  ${messages}   theory ${formula}`,
    `  ${paint.dim('overtaken         ')}  ${overtaking}`,
    '',
  ]
}

function rangeText(range: { min: number; max: number | null } | null): string {
  if (range === null) return 'not computed'
  const { min, max } = range
  if (max === null) return `${figure(min)} or more, without bound`
  return min === max ? `exactly ${figure(min)}` : `${figure(min)} to ${figure(max)}`
}

function verdict(report: CheckReport, { paint }: Terminal): string {
  switch (exitCodeOf(report)) {
    case 0: {
      const bound = boundOf(report.instance)
      return paint.green(
        bound === null ? 'holds, complete for runs of any length' : `holds, complete for ${bound}`,
      )
    }
    case 1:
      return paint.red(paint.bold('fails'))
    case 3:
      return paint.yellow(openText(report))
  }
}

function openText({ instance: { clock, room, gaps }, result }: CheckReport): string {
  if (!result.complete) return 'cut short: not all states were visited, so nothing is proved'
  const bounds = [
    ...(clock === undefined ? [] : [`up to --clock ${clock}`]),
    ...(room === undefined ? [] : [`with up to ${counted(room, 'message')} in each channel`]),
  ]
  if (bounds.length > 0)
    return `open: all states ${bounds.join(' and ')} were visited, and nothing is proved beyond`
  if (gaps !== undefined)
    return 'open: all states were visited; what holds is proved, for runs of any length but for fences'
  return 'open: all states were visited, but not every property could be decided'
}

/** A run that breaks a property, as a diagram. */
export function drawn(
  instance: Instance,
  failure: PropertyResult,
  terminal: Pick<Terminal, 'paint' | 'columns'>,
): string[] {
  const { paint } = terminal
  const trace = counterexample(instance, failure)
  if (trace === null) return []
  const loop =
    failure.repeatsFrom === null
      ? []
      : [
          paint.bold(
            `From ${get(trace.events, failure.repeatsFrom).at / TICKS_PER_UNIT} on the run repeats for ever.`,
          ),
        ]
  return [
    paint.bold(
      `A ${isShortest(instance) ? 'shortest ' : ''}run against ${failure.name}: ${failure.reason ?? ''}`,
    ),
    ...loop,
    renderDiagram(trace, { width: terminal.columns, colour: diagramPainter(terminal) }).trimEnd(),
  ]
}
