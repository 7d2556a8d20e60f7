import type { Act } from '@turnwise/simulator/hands'

/** An act with its moment: after so many steps of the run, and when. */
export interface Hand {
  readonly after: number
  /** In ticks. */
  readonly at: number
  readonly act: Act
}

/** As in an address: `12@3500000.crash.2`, several apart by commas. */
export function writeHands(hands: readonly Hand[]): string {
  return hands.map(({ after, at, act }) => [`${after}@${at}`, ...actWords(act)].join('.')).join(',')
}

function actWords(act: Act): (string | number)[] {
  switch (act.does) {
    case 'request':
      return [act.mode === 'shared' ? 'share' : 'request', act.node]
    case 'restart':
      return [act.memory ? 'restart' : 'amnesia', act.node]
    case 'deliver':
    case 'drop':
    case 'duplicate':
      return [act.does, act.id, act.to]
    case 'delay':
      return [act.does, act.id, act.to, Math.round(act.by * 1000)]
    case 'cut':
    case 'heal':
      return [act.does, act.from, act.to]
    case 'timeout':
      return [act.does, act.node, writeName(act.timer)]
    case 'proceed':
      return [act.does, act.node, writeName(act.step)]
    case 'suspect':
    case 'restore':
    case 'linked':
    case 'unlinked':
      return [act.does, act.node, act.peer]
    case 'notice':
      return [act.does, act.node, act.message]
    default:
      return [act.does, act.node]
  }
}

/** The name of a timer or a step, without the signs that part hands and their words. */
function writeName(name: string): string {
  return encodeURIComponent(name).replaceAll('.', '%2E')
}

function readName(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    // Cut off.
    return null
  }
}

/** What it cannot read it leaves out: an address may be cut off. */
export function readHands(text: string): Hand[] {
  return text.split(',').flatMap((part) => {
    const [, after, at, does = '', rest = ''] = /^(\d+)@(\d+)\.([a-z]+)((?:\.[^.]+)+)$/.exec(part) ?? []
    if (after === undefined || at === undefined) return []
    const words = rest.slice(1).split('.')
    const act =
      readNamed(does, words) ??
      (words.every((word) => /^\d+$/.test(word)) ? readAct(does, words.map(Number)) : null)
    return act === null ? [] : [{ after: Number(after), at: Number(at), act }]
  })
}

/** Acts with a name in them. */
function readNamed(does: string, [first = '', second = '']: readonly string[]): Act | null {
  const name = readName(second)
  if (!/^\d+$/.test(first) || name === null || name === '') return null
  const node = Number(first)
  if (does === 'timeout') return { does, node, timer: name }
  return does === 'proceed' ? { does, node, step: name } : null
}

function readAct(does: string, [first = 0, second = 0, third = 0]: number[]): Act | null {
  switch (does) {
    case 'request':
    case 'share':
      return { does: 'request', node: first, mode: does === 'share' ? 'shared' : 'exclusive' }
    case 'restart':
    case 'amnesia':
      return { does: 'restart', node: first, memory: does === 'restart' }
    case 'elect':
    case 'release':
    case 'withdraw':
      return { does, node: first }
    case 'crash':
    case 'pause':
    case 'resume':
      return { does, node: first }
    case 'deliver':
    case 'drop':
    case 'duplicate':
      return { does, id: first, to: second }
    case 'delay':
      return { does, id: first, to: second, by: third / 1000 }
    case 'cut':
    case 'heal':
      return { does, from: first, to: second }
    case 'suspect':
    case 'restore':
    case 'linked':
    case 'unlinked':
      return { does, node: first, peer: second }
    case 'notice':
      return { does, node: first, message: second }
    default:
      return null
  }
}
