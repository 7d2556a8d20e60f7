import type { NodeId } from './algorithm.ts'
import { get } from './bounds.ts'
import { decimal, invalid, wholeNumber } from './invalid-input.ts'

/**
 * What can go wrong in a run, as a person writes it. The simulator and the mesh's test transport read the
 * same schedules. Times are in units of time; intervals are half open, from the first moment up to the last.
 */
export type Fault = { readonly text: string } & (
  | { readonly kind: 'drop' | 'duplicate' | 'corrupt'; readonly probability: number }
  | { readonly kind: 'spike'; readonly probability: number; readonly factor: number }
  | { readonly kind: 'crash'; readonly node: NodeId; readonly at: number }
  | { readonly kind: 'restart'; readonly node: NodeId; readonly at: number; readonly memory: boolean }
  | { readonly kind: 'pause'; readonly node: NodeId; readonly at: number; readonly until: number }
  | { readonly kind: 'cut'; readonly links: readonly Link[]; readonly at: number; readonly until: number }
  | { readonly kind: 'split'; readonly links: readonly Link[]; readonly at: number; readonly until: number }
  | { readonly kind: 'add'; readonly node: NodeId; readonly at: number; readonly sponsor: NodeId | null }
  | { readonly kind: 'remove'; readonly node: NodeId; readonly at: number }
  | { readonly kind: 'link' | 'unlink'; readonly ends: readonly [NodeId, NodeId]; readonly at: number }
)

export type FaultKind = Fault['kind']

/** One direction of a channel. */
export interface Link {
  readonly from: NodeId
  readonly to: NodeId
}

/** Per kind: how it is written and what it does. Help texts and complaints quote it. */
export const FAULT_FORMS: Readonly<Record<FaultKind, { readonly form: string; readonly about: string }>> = {
  drop: { form: 'drop:P', about: 'each message is lost with probability P' },
  duplicate: { form: 'duplicate:P', about: 'each message arrives twice with probability P' },
  corrupt: { form: 'corrupt:P', about: 'one value in a message is altered with probability P' },
  spike: { form: 'spike:P,FACTOR', about: 'a delay is multiplied by FACTOR with probability P' },
  crash: { form: 'crash:NODE@T', about: 'a node stops at time T' },
  restart: { form: 'restart:NODE@T[,amnesia]', about: 'it runs again, with its memory or without' },
  pause: { form: 'pause:NODE@T-T2', about: 'a node does nothing from T to T2, then catches up' },
  cut: { form: 'cut:A-B@T-T2 or cut:A>B@T-T2', about: 'a channel loses all messages, both ways or one way' },
  split: { form: 'split:0,1/2,3@T-T2', about: 'the nodes fall into groups that cannot reach each other' },
  add: { form: 'add:NODE@T[,via:SPONSOR]', about: 'a node that was not there joins, introduced by SPONSOR' },
  remove: { form: 'remove:NODE@T', about: 'a node leaves in good order, after its last turn' },
  link: { form: 'link:A-B@T', about: 'a channel is new, or back' },
  unlink: { form: 'unlink:A-B@T', about: 'a channel is gone, and both its ends are told' },
}

export function faultFrom(text: string, nodes: number): Fault {
  const [, kind = '', argument = ''] = /^([a-z]+):(.+)$/.exec(text) ?? []
  if (!Object.hasOwn(FAULT_FORMS, kind)) {
    throw invalid(
      text,
      `a fault: ${Object.values(FAULT_FORMS)
        .map(({ form }) => form)
        .join(', ')}`,
    )
  }
  const wrong = () => invalid(text, `of the form ${FAULT_FORMS[kind as FaultKind].form}`)
  switch (kind as FaultKind) {
    case 'drop':
    case 'duplicate':
    case 'corrupt':
      return { text, kind: kind as 'drop', probability: probabilityIn(argument) }
    case 'spike':
      return spikeFrom(text, argument, wrong)
    case 'crash': {
      const [, node = '', at = ''] = match(/^(\d+)@([^-]+)$/, argument, wrong)
      return { text, kind: 'crash', node: nodeIn(node, nodes), at: timeIn(at) }
    }
    case 'restart': {
      const [, node = '', at = '', amnesia] = match(/^(\d+)@([^-,]+)(,amnesia)?$/, argument, wrong)
      return {
        text,
        kind: 'restart',
        node: nodeIn(node, nodes),
        at: timeIn(at),
        memory: amnesia === undefined,
      }
    }
    case 'pause': {
      const [, node = '', at = '', until = ''] = match(/^(\d+)@([^-]+)-(.+)$/, argument, wrong)
      return { text, kind: 'pause', node: nodeIn(node, nodes), ...interval(at, until) }
    }
    case 'cut':
      return cutFrom(text, argument, nodes, wrong)
    case 'split':
      return splitFrom(text, argument, nodes, wrong)
    case 'add':
      return addFrom(text, argument, nodes, wrong)
    case 'remove': {
      const [, node = '', at = ''] = match(/^(\d+)@([^-]+)$/, argument, wrong)
      return { text, kind: 'remove', node: nodeIn(node, nodes), at: timeIn(at) }
    }
    case 'link':
    case 'unlink': {
      const [, first = '', second = '', at = ''] = match(/^(\d+)-(\d+)@([^-]+)$/, argument, wrong)
      const ends = [nodeIn(first, nodes), nodeIn(second, nodes)] as const
      if (ends[0] === ends[1]) throw invalid(text, 'a channel between two different nodes')
      return { text, kind: kind as 'link', ends, at: timeIn(at) }
    }
  }
}

function addFrom(text: string, argument: string, nodes: number, wrong: () => Error): Fault {
  const [, first = '', at = '', via] = match(/^(\d+)@([^-,]+)(?:,via:(\d+))?$/, argument, wrong)
  const node = nodeIn(first, nodes)
  const sponsor = via === undefined ? null : nodeIn(via, nodes)
  if (sponsor === node) throw invalid(text, 'a node that joins through another node')
  return { text, kind: 'add', node, at: timeIn(at), sponsor }
}

function spikeFrom(text: string, argument: string, wrong: () => Error): Fault {
  const [, probability = '', factor = ''] = match(/^([^,]+),([^,]+)$/, argument, wrong)
  return {
    text,
    kind: 'spike',
    probability: probabilityIn(probability),
    factor: decimal(factor, 'the factor of a spike', { above: 0 }),
  }
}

function cutFrom(text: string, argument: string, nodes: number, wrong: () => Error): Fault {
  const pattern = /^(\d+)([->])(\d+)@([^-]+)-(.+)$/
  const [, first = '', direction, second = '', at = '', until = ''] = match(pattern, argument, wrong)
  const a = nodeIn(first, nodes)
  const b = nodeIn(second, nodes)
  if (a === b) throw invalid(text, 'a cut between two different nodes')
  const links =
    direction === '>'
      ? [{ from: a, to: b }]
      : [
          { from: a, to: b },
          { from: b, to: a },
        ]
  return { text, kind: 'cut', links, ...interval(at, until) }
}

function splitFrom(text: string, argument: string, nodes: number, wrong: () => Error): Fault {
  const [, groupsText = '', at = '', until = ''] = match(/^([\d,/]+)@([^-]+)-(.+)$/, argument, wrong)
  const groups = groupsText.split('/').map((group) => group.split(',').map((node) => nodeIn(node, nodes)))
  const members = groups.flat()
  if (groups.length < 2) throw wrong()
  if (new Set(members).size !== members.length) throw invalid(text, 'a split: a node stands in two groups')
  // A node that no group names stays with the first.
  const rest = Array.from({ length: nodes }, (_, node) => node).filter((node) => !members.includes(node))
  get(groups, 0).push(...rest)
  const links: Link[] = []
  groups.forEach((group, i) => {
    groups.forEach((other, j) => {
      if (i !== j) for (const from of group) for (const to of other) links.push({ from, to })
    })
  })
  return { text, kind: 'split', links, ...interval(at, until) }
}

function match(pattern: RegExp, text: string, wrong: () => Error): RegExpExecArray {
  const found = pattern.exec(text)
  if (found === null) throw wrong()
  return found
}

const nodeIn = (text: string, nodes: number) => wholeNumber(text, 'a node', 0, nodes - 1)
const timeIn = (text: string) => decimal(text, 'a time', { min: 0 })
const probabilityIn = (text: string) => decimal(text, 'a probability', { above: 0, max: 1 })

function interval(from: string, to: string): { at: number; until: number } {
  const at = timeIn(from)
  const until = decimal(to, `the end of an interval that begins at ${at}`, { above: at })
  return { at, until }
}
