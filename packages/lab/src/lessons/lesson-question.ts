import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { Happening } from '@turnwise/core/trace/happening'
import { causeText } from '@turnwise/core/trace/sentence'
import { momentAt } from '../run/moment.ts'
import type { Recording } from '../run/recording.ts'
import type { PlacedStep } from './lesson.ts'

/** A reader is asked what happens, before it is told. All of it comes from the run. */
export interface Question {
  readonly asks: string
  /** In an order that says nothing. */
  readonly choices: readonly string[]
  readonly right: string
}

/** So many can be read at a glance. */
const MOST_CHOICES = 4

/** The question before a step; null if there is none. */
export function questionAt(recording: Recording, { position, asks }: PlacedStep): Question | null {
  switch (asks) {
    case undefined:
      return null
    case 'does':
      return whatItDoes(recording, position)
    case 'enters':
      return whoEnters(recording, position)
    case 'elects':
      return whoIsElected(recording, position)
  }
}

function questionOf(asks: string, right: string, wrong: readonly string[]): Question {
  const others = [...new Set(wrong)].filter((choice) => choice !== right).slice(0, MOST_CHOICES - 1)
  return { asks, right, choices: [right, ...others].toSorted() }
}

/** Wrong answers are those who wait as well, then the other nodes. */
function whoEnters(recording: Recording, position: number): Question {
  const next = recording.stays.find(({ from }) => from >= position)
  const { inside, waiting, nodes } = momentAt(recording, position - 1, null)
  const alive = nodes.filter(({ status }) => status !== 'crashed').map(({ node }) => node)
  const names = [...waiting.map(({ node }) => node), ...alive].map((node) => `Node ${node}`)
  const nobody =
    inside.length === 0
      ? []
      : [
          `Nobody, while ${nodeList(inside.map(({ node }) => node))} ${inside.length === 1 ? 'is' : 'are'} inside`,
        ]
  const right = next === undefined ? 'Nobody' : `Node ${next.node}`
  return questionOf('Who enters next?', right, [...nobody, ...names])
}

function whoIsElected({ elected, header }: Recording, position: number): Question {
  const next = elected.find((each) => each.position >= position)
  const names = Array.from({ length: header.nodes }, (_, node) => `Node ${header.nodes - 1 - node}`)
  return questionOf('Who becomes the coordinator?', `Node ${next?.coordinator}`, names)
}

/** Wrong answers are what nodes did elsewhere in this run when the same befell them, and the same deed for another node. */
function whatItDoes(recording: Recording, position: number): Question {
  const happening = get(recording.happenings, position - 1)
  const self = happening.node ?? 0
  const from = happening.transit?.from ?? null
  const deeds = deedsOf(happening)
  const elsewhere = recording.happenings
    .filter((other) => other !== happening && other.node !== null && kindOf(other) === kindOf(happening))
    .map((other) => translated(other, self, from))
    .filter((each) => each !== null)
  const met = peersOf(recording, self)
  const toAnother = met.map((peer) => deeds.map((deed) => ('to' in deed ? { ...deed, to: [peer] } : deed)))
  const answers = from === null ? [] : recording.types.map((type): Deed[] => [{ type, to: [from] }])
  const wish = recording.waits.some(
    ({ node, from: since, until }) => node === self && since < position && until >= position,
  )
  const goal = recording.elected.length > 0 ? 'becomes coordinator' : 'enters'
  const enters: Deed[][] = wish ? [[{ does: goal }]] : []
  const wrong = [[], ...elsewhere, ...toAnother, ...enters, ...answers].map(deedText)
  const stem = `Node ${self} ${causeText(happening, { node: (node) => `node ${node}`, message: ({ type }) => type })}.`
  return questionOf(`${stem} What does it do?`, deedText(deeds), wrong)
}

type Deed = { readonly type: string; readonly to: readonly NodeId[] } | { readonly does: string }

/** What a handler did; messages of one type together. */
function deedsOf({ consequences }: Happening): Deed[] {
  const sends = new Map<string, NodeId[]>()
  const deeds: Deed[] = []
  for (const event of consequences) {
    if (event.is === 'enter') deeds.push({ does: 'enters' })
    else if (event.is === 'elected')
      deeds.push({
        does:
          event.coordinator === event.node
            ? 'becomes coordinator'
            : `takes node ${event.coordinator} as coordinator`,
      })
    else if (event.is === 'send' && event.to === null)
      deeds.push({ does: `broadcasts ${event.message.type}` })
    else if (event.is === 'send' && event.to !== null) {
      const known = sends.get(event.message.type)
      if (known !== undefined) known.push(event.to)
      else {
        const to = [event.to]
        sends.set(event.message.type, to)
        deeds.push({ type: event.message.type, to })
      }
    }
  }
  return deeds
}

function deedText(deeds: readonly Deed[]): string {
  const clauses = deeds.map((deed) =>
    'does' in deed ? deed.does : `sends ${deed.type} to ${nodeList(deed.to)}`,
  )
  return clauses.length === 0 ? 'It sends nothing for now' : `It ${clauses.join(', and ')}`
}

/** What befell a node: the same kind happens again, at another node or from another one. */
function kindOf({ cause, transit }: Happening): string {
  return cause.is === 'receive' ? `receive ${transit?.message.type}` : cause.is
}

/** What another node did, as if it were this one; null if that makes no sense here. */
function translated(other: Happening, self: NodeId, from: NodeId | null): Deed[] | null {
  const places = new Map([[other.node, self]])
  if (other.transit !== null && from !== null) places.set(other.transit.from, from)
  const deeds = deedsOf(other).map((deed) =>
    'to' in deed ? { ...deed, to: deed.to.map((node) => places.get(node) ?? node) } : deed,
  )
  return deeds.some((deed) => 'to' in deed && deed.to.includes(self)) ? null : deeds
}

/** The nodes with which a node has to do in this run, so the others to which it might send. */
function peersOf({ letters }: Recording, self: NodeId): NodeId[] {
  const peers = letters.flatMap(({ from, to }) => (from === self ? [to] : to === self ? [from] : []))
  return [...new Set(peers)].toSorted((one, other) => one - other)
}

function nodeList(nodes: readonly NodeId[]): string {
  const [last, ...rest] = [...nodes].toSorted((one, other) => other - one)
  return rest.length === 0 ? `node ${last}` : `nodes ${rest.toReversed().join(', ')} and ${last}`
}
