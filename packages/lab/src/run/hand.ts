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
    default:
      return [act.does, act.node]
  }
}

/** What it cannot read it leaves out: an address may be cut off. */
export function readHands(text: string): Hand[] {
  return text.split(',').flatMap((part) => {
    const [, after, at, does = '', numbers = ''] = /^(\d+)@(\d+)\.([a-z]+)((?:\.\d+)+)$/.exec(part) ?? []
    if (after === undefined || at === undefined) return []
    const act = readAct(does, numbers.slice(1).split('.').map(Number))
    return act === null ? [] : [{ after: Number(after), at: Number(at), act }]
  })
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
    default:
      return null
  }
}
