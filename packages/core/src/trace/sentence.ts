import type { Message, NodeId } from '../algorithm.ts'
import { reasonText } from '../reason.ts'
import type { Effect, Happening } from './happening.ts'
import { TICKS_PER_UNIT } from './trace.ts'

/** How nodes and messages are called in a text. */
export interface Wording {
  node(node: NodeId): string
  message(message: Message): string
  /** Whether entries do not tell their fence. */
  readonly hidesFences?: boolean
}

/** For sentences: a node is its number, a message its type. */
export const PLAIN: Wording = { node: String, message: messageType }

/** For logs and other tools: a node has a name that is not a bare number, a message shows what it carries. */
export const NAMED: Wording = { node: (node) => `n${node}`, message: messageLabel }

/** One sentence on what happened and what it caused: "2 asks; sends request to 0, 1". */
export function sentence(happening: Happening): string {
  return sentenceIn(happening, PLAIN)
}

export function sentenceIn(happening: Happening, wording: Wording): string {
  const { node, transit, cause } = happening
  const told = causeText(happening, wording)
  const subject = node === null ? '' : `${wording.node(node)} `
  const isJourney = cause.is === 'receive' || cause.is === 'lose'
  const sent = isJourney && transit !== null ? ` (sent ${timeText(transit.sentAt)})` : ''
  // A send without a known cause is told together with the other sends.
  const clauses = cause.is === 'send' ? [] : [told + sent]
  return subject + [...clauses, ...effectClauses(happening, wording)].join('; ')
}

/** Why, a sentence each: "Node 1 keeps its reply to node 2 back: …" */
export function reasonsOf({ reasons }: Happening): string[] {
  return reasons.map((reason) => plainText(reasonText(reason, reason.node)))
}

/** What happened, without the node it happened at: "asks", "receives reply from 1". */
export function causeText(happening: Happening, wording: Wording): string {
  const { cause } = happening
  switch (cause.is) {
    case 'request':
      return `asks${forText(cause)}${MODE_TEXT[cause.mode]}${cause.priority === undefined ? '' : ` with priority ${cause.priority}`}`
    case 'leave':
      return 'leaves'
    case 'downgrade':
      return 'shares from now on'
    case 'upgrade':
      return 'wants to be alone'
    case 'desist':
      return 'no longer wants to be alone'
    case 'withdraw':
      return 'withdraws its request'
    case 'timeout':
      return `sees its timer ${plainText(cause.timer)} run out`
    case 'proceed':
      return `proceeds with ${plainText(cause.step)}`
    case 'elect':
      return 'calls an election'
    case 'suspect':
      return `suspects ${wording.node(cause.peer)}`
    case 'restore':
      return `trusts ${wording.node(cause.peer)} again`
    case 'violation':
      return plainText(`VIOLATION ${cause.judge}: ${cause.text}`)
    case 'cut':
    case 'heal':
      return `the channel from ${wording.node(cause.from)} to ${wording.node(cause.to)} ${FAULT_TEXT[cause.is]}`
    case 'crash':
    case 'pause':
    case 'resume':
      return FAULT_TEXT[cause.is]
    case 'depart':
    case 'gone':
    case 'unseen':
      return MEMBERSHIP_TEXT[cause.is]
    case 'join':
      return cause.sponsor === null ? 'joins' : `joins through ${wording.node(cause.sponsor)}`
    case 'linked':
      return `has a channel to ${wording.node(cause.peer)} now`
    case 'unlinked':
      return `has no channel to ${wording.node(cause.peer)} any more`
    case 'restart':
      return `restarts ${cause.memory ? 'with' : 'without'} its memory`
    case 'receive':
    case 'lose':
    case 'undelivered':
      return journeyText(happening, wording)
    default:
      return effectText(cause, happening, wording)
  }
}

/** What a handler did: "sends reply to 2", "enters (fence 5)". */
export function effectText(event: Effect, happening: Happening, wording: Wording): string {
  switch (event.is) {
    case 'send': {
      const what = wording.message(event.message)
      return event.to === null ? `broadcasts ${what}` : `sends ${what} to ${wording.node(event.to)}`
    }
    case 'enter':
      return `enters${forText(event)}${MODE_TEXT[event.mode]}${wording.hidesFences === true ? '' : ` (fence ${event.fence})`}`
    case 'elected':
      return event.coordinator === event.node
        ? 'is now coordinator'
        : `takes ${wording.node(event.coordinator)} as coordinator`
    case 'duplicate':
      return `${sentText(event.id, happening, wording)} is duplicated`
    default:
      return `${sentText(event.id, happening, wording)} is corrupted into ${wording.message(event.message)}`
  }
}

function forText({ is, resources }: { readonly is: string; readonly resources?: readonly number[] }): string {
  return resources === undefined ? '' : ` ${is === 'enter' ? 'with' : 'for'} ${resources.join(', ')}`
}

/** How a request or a stay is meant. */
export const MODE_TEXT = { exclusive: '', shared: ' to share', update: ' to update' }

const FAULT_TEXT = { crash: 'crashes', pause: 'is paused', resume: 'resumes', cut: 'is cut', heal: 'heals' }

const MEMBERSHIP_TEXT = { depart: 'is to leave the system', gone: 'is gone', unseen: 'is not seen any more' }

const LOSS_TEXT = {
  drop: 'is lost on the way',
  cut: 'is lost to a cut',
  crash: 'is lost to a crash',
  absent: 'finds nobody there',
}

/** How a message ended its way. */
function journeyText({ cause, transit }: Happening, wording: Wording): string {
  const from = transit === null ? '' : ` from ${wording.node(transit.from)}`
  const what = transit === null ? 'an unknown message' : wording.message(transit.message)
  const to = transit === null || transit.to === null ? '' : ` to ${wording.node(transit.to)}`
  if (cause.is === 'lose') return `${what}${from}${to} ${LOSS_TEXT[cause.why]}`
  if (cause.is === 'undelivered') return `hears that ${what}${to} was not delivered`
  return `receives ${what}${from}${transit?.again ? ' again' : ''}${transit?.corrupted ? ' corrupted' : ''}`
}

/** Names a message that is being sent; of one sent earlier only the sender is sure. */
function sentText(id: number, { cause, consequences, transit }: Happening, wording: Wording): string {
  for (const event of [cause, ...consequences]) {
    if (event.is !== 'send' || event.id !== id) continue
    return wording.message(event.message) + (event.to === null ? '' : ` to ${wording.node(event.to)}`)
  }
  return transit === null ? 'a message' : `a message from ${wording.node(transit.from)}`
}

/** The effects as clauses, in which messages of one type are told together, where the first of them was sent. */
function effectClauses(happening: Happening, wording: Wording): string[] {
  const { cause, consequences, statuses } = happening
  const effects = cause.is === 'send' ? [cause, ...consequences] : consequences
  const receivers = new Map<string, NodeId[]>()
  const clauses: (() => string)[] = []
  for (const effect of effects) {
    if (effect.is !== 'send' || effect.to === null) {
      clauses.push(() => effectText(effect, happening, wording))
      continue
    }
    const type = wording.message(effect.message)
    const known = receivers.get(type)
    if (known !== undefined) known.push(effect.to)
    else {
      const list = [effect.to]
      receivers.set(type, list)
      clauses.push(() => `sends ${type} to ${nodeList(list, statuses.length)}`)
    }
  }
  return clauses.map((clause) => clause())
}

const LISTED_NODES = 6

function nodeList(list: readonly NodeId[], nodes: number): string {
  const different = new Set(list).size
  if (different === list.length && different === nodes - 1 && nodes > 4) return `all ${different} others`
  if (list.length <= LISTED_NODES) return list.join(', ')
  return `${list.slice(0, LISTED_NODES).join(', ')} and ${list.length - LISTED_NODES} more`
}

/** A time in units with three decimals; ticks are too fine for the eye. */
export function timeText(ticks: number): string {
  return (ticks / TICKS_PER_UNIT).toFixed(3)
}

/** The type of a message and what it carries, as far as that is small: "request 2", "token 7 free". */
export function messageLabel(message: Message): string {
  return [messageType(message), ...messageDetails(message)].join(' ')
}

export function messageType(message: Message): string {
  return plainText(message.type) || 'message'
}

const SHORT_TEXT = 12

/** Numbers and short texts as they are, a true flag by its name, a record of numbers such as a timestamp as 2.1. */
export function messageDetails(message: Message): string[] {
  const details: string[] = []
  for (const [field, value] of Object.entries(message) as [string, unknown][]) {
    if (field === 'type') continue
    if (typeof value === 'number') details.push(String(value))
    else if (value === true) details.push(plainText(field))
    else if (typeof value === 'string' && value !== '' && value.length <= SHORT_TEXT)
      details.push(plainText(value))
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      const parts: unknown[] = Object.values(value)
      if (parts.length > 0 && parts.every((part) => typeof part === 'number')) details.push(parts.join('.'))
    }
  }
  return details
}

/**
 * Makes one line of any text. Trace files are passed around, and a control character in one must neither break
 * a row nor give orders to the reader's terminal.
 */
export function plainText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ').trim()
}
