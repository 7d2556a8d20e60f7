import type { NodeId } from '@turnwise/core/algorithm'
import type { Happening } from '@turnwise/core/trace/happening'
import { reasonsOf } from '@turnwise/core/trace/sentence'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { sentenceOf } from './event-sentences.ts'

/** What a visitor looks for; a step is found if it fits all of it. */
export interface Wanted {
  /** The step is at these nodes. */
  readonly nodes: readonly NodeId[]
  /** For each verb the events that it means; one of them is in the step. */
  readonly acts: readonly Acts[]
  /** In small letters. Each is in the sentence of the step, or in its reasons. */
  readonly words: readonly string[]
  /** The step has such a message; null if none is spoken of. */
  readonly message: WantedMessage | null
}

export interface WantedMessage {
  /** One of these types, in small letters; none for any type. */
  readonly types: readonly string[]
  readonly from: NodeId | null
  readonly to: NodeId | null
  /** What the step does with it; null for all of that. */
  readonly way: Way | null
}

type Way = 'sent' | 'received' | 'lost'

const WAYS: ReadonlyMap<string, Way> = new Map([
  ...wordsFor<Way>('sent', 'send sends sent broadcasts'),
  ...wordsFor<Way>('received', 'receive receives received arrives gets'),
  ...wordsFor<Way>('lost', 'lose loses lost dropped'),
])

type Acts = readonly TraceEvent['is'][]

const ACTS: ReadonlyMap<string, Acts> = new Map([
  ...wordsFor<Acts>(['enter'], 'enter enters entered entry entries'),
  ...wordsFor<Acts>(['leave'], 'leave leaves left exit exits release releases'),
  ...wordsFor<Acts>(['request', 'elect'], 'ask asks asked request requests'),
  ...wordsFor<Acts>(['withdraw'], 'withdraw withdraws'),
  ...wordsFor<Acts>(['timeout'], 'timeout timeouts timer timers'),
  ...wordsFor<Acts>(['crash'], 'crash crashes crashed'),
  ...wordsFor<Acts>(['restart'], 'restart restarts restarted'),
  ...wordsFor<Acts>(['pause'], 'pause pauses paused'),
  ...wordsFor<Acts>(['resume'], 'resume resumes resumed'),
  ...wordsFor<Acts>(['cut'], 'cut cuts'),
  ...wordsFor<Acts>(['heal'], 'heal heals healed'),
  ...wordsFor<Acts>(['suspect'], 'suspect suspects'),
  ...wordsFor<Acts>(['elected'], 'elected coordinator'),
  ...wordsFor<Acts>(['violation'], 'violation violations'),
  ...wordsFor<Acts>(
    ['crash', 'restart', 'pause', 'resume', 'cut', 'heal', 'lose', 'duplicate', 'corrupt'],
    'fault faults',
  ),
])

/** People write them; they say nothing here. */
const FILLERS: ReadonlySet<string> = new Set('a an the at and by message messages step steps'.split(' '))

function wordsFor<Meaning>(meaning: Meaning, words: string): [string, Meaning][] {
  return words.split(' ').map((word) => [word, meaning])
}

/**
 * Reads what was typed: `request`, `node 2`, `grant from 1`, `2 enters`, `"sequence number"`, and several with `or`
 * between them. `types` are the messages of the algorithm. Words without a meaning of their own are looked for in the text.
 */
export function readSearch(text: string, types: readonly string[]): Wanted[] {
  const tokens = [...text.toLowerCase().matchAll(/"([^"]*)"?|([^\s"]+)/g)].map(([, quoted, word]) => ({
    quoted,
    word,
  }))
  const known = new Set(types.map((type) => type.toLowerCase()))
  const all: Wanted[] = []
  let reader = new AlternativeReader(known)
  for (const { quoted, word = '' } of tokens) {
    if (quoted !== undefined) reader.phrase(quoted)
    else if (word === 'or') {
      all.push(...reader.end())
      reader = new AlternativeReader(known)
    } else reader.word(word)
  }
  return [...all, ...reader.end()]
}

/** Reads what stands between two `or`. */
class AlternativeReader {
  readonly #known: ReadonlySet<string>
  readonly #nodes: NodeId[] = []
  readonly #acts: Acts[] = []
  readonly #words: string[] = []
  readonly #types: string[] = []
  readonly #ends: { from: NodeId | null; to: NodeId | null } = { from: null, to: null }
  #way: Way | null = null
  /** What the next number is. */
  #next: 'node' | 'from' | 'to' = 'node'

  constructor(known: ReadonlySet<string>) {
    this.#known = known
  }

  phrase(text: string): void {
    if (text.trim() !== '') this.#words.push(text.trim())
  }

  word(word: string): void {
    const way = WAYS.get(word)
    const acts = ACTS.get(word)
    const [, digits] = /^(?:node|n)?(\d+)[,;:]?$/.exec(word) ?? []
    if (digits !== undefined) this.#number(Number(digits))
    else if (word === 'from' || word === 'to') this.#next = word
    else if (word === 'node' || word === 'nodes' || FILLERS.has(word)) return
    else if (this.#known.has(word)) this.#types.push(word)
    else if (this.#known.has(word.replace(/s$/, ''))) this.#types.push(word.replace(/s$/, ''))
    else if (way !== undefined) this.#way = way
    else if (acts !== undefined) this.#acts.push(acts)
    else this.#words.push(word)
  }

  end(): Wanted[] {
    const [nodes, acts, words, types] = [this.#nodes, this.#acts, this.#words, this.#types]
    const { from, to } = this.#ends
    const way = this.#way
    const speaks = types.length > 0 || from !== null || to !== null || way !== null
    if (!speaks && nodes.length + acts.length + words.length === 0) return []
    return [{ nodes, acts, words, message: speaks ? { types, from, to, way } : null }]
  }

  #number(node: NodeId): void {
    if (this.#next === 'node') this.#nodes.push(node)
    else this.#ends[this.#next] = node
    this.#next = 'node'
  }
}

/** The positions of the steps that fit, in their order. */
export function findSteps(happenings: readonly Happening[], wanted: readonly Wanted[]): number[] {
  return happenings.flatMap((happening, i) => (wanted.some((one) => fits(happening, one)) ? [i + 1] : []))
}

function fits(happening: Happening, { nodes, acts, words, message }: Wanted): boolean {
  if (!nodes.every((node) => happening.concerns.includes(node))) return false
  const events = [happening.cause, ...happening.consequences]
  if (!acts.every((kinds) => events.some(({ is }) => kinds.includes(is)))) return false
  if (message !== null && !messagesOf(happening).some((one) => isWanted(one, message))) return false
  if (words.length === 0) return true
  const text = [sentenceOf(happening), ...reasonsOf(happening)].join(' ').toLowerCase()
  return words.every((word) => text.includes(word))
}

interface Mentioned {
  readonly type: string
  readonly from: NodeId
  /** Null for a broadcast. */
  readonly to: NodeId | null
}

/** The messages that a step is about, and what it does with each. */
function messagesOf({ cause, consequences, transit }: Happening): (Mentioned & { readonly way: Way })[] {
  const sent = [cause, ...consequences].flatMap((event) =>
    event.is === 'send'
      ? [{ type: event.message.type, from: event.from, to: event.to, way: 'sent' as const }]
      : [],
  )
  const isLost = cause.is === 'lose' || cause.is === 'undelivered'
  if (transit === null || !(isLost || cause.is === 'receive')) return sent
  const { message, from, to } = transit
  return [{ type: message.type, from, to, way: isLost ? 'lost' : 'received' }, ...sent]
}

function isWanted(one: Mentioned & { readonly way: Way }, wanted: WantedMessage): boolean {
  return (wanted.way === null || one.way === wanted.way) && isSpokenOf(one, wanted)
}

function isSpokenOf({ type, from, to }: Mentioned, wanted: WantedMessage): boolean {
  if (wanted.types.length > 0 && !wanted.types.includes(type.toLowerCase())) return false
  if (wanted.from !== null && wanted.from !== from) return false
  return wanted.to === null || (to === null ? wanted.to !== from : wanted.to === to)
}

/** Whether a message that a found step sends or receives is one of those that were looked for. */
export function isLookedFor(message: Mentioned, wanted: readonly Wanted[]): boolean {
  return wanted.some((one) => one.message === null || isSpokenOf(message, one.message))
}

/** The next found position after this one, or before it; from the last on to the first, and back. */
export function nextFound(found: readonly number[], position: number, direction: 1 | -1): number | null {
  const next =
    direction === 1
      ? (found.find((one) => one > position) ?? found[0])
      : (found.findLast((one) => one < position) ?? found.at(-1))
  return next ?? null
}
