import type { AnyProtocol } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { playable, type RunSpec, worldOf } from './spec.ts'

/** A run that can be played, and a sentence for each word that was changed for it. */
export interface Fitted {
  readonly spec: RunSpec
  readonly notes: readonly string[]
}

/**
 * A visitor who changes the nodes or the algorithm leaves words behind that no longer fit: a script that names a node that
 * is gone, quorums that do not exist for so few. They are adjusted. What cannot be, such as an unknown algorithm, stays.
 */
export function fitted(spec: RunSpec, all: readonly AnyProtocol[] = playable): Fitted {
  const notes: string[] = []
  let current = spec
  for (let why = whyNot(current, all); why !== null; ) {
    // The word that is at fault: without it the reason is gone, or is another.
    const mend = mendsOf(current).find(({ changes }) => whyNot({ ...current, ...changes }, all) !== why)
    if (mend === undefined) return { spec, notes: [] }
    notes.push(mend.note ?? `Left out, because it does not fit: ${why}.`)
    current = { ...current, ...mend.changes }
    why = whyNot(current, all)
  }
  return { spec: current, notes }
}

interface Mend {
  readonly changes: Partial<RunSpec>
  readonly note?: string
}

const OPTIONAL = [
  'topology',
  'quorum',
  'structure',
  'channels',
  'readers',
  'priorities',
  'take',
  'resources',
] as const

function mendsOf(spec: RunSpec): Mend[] {
  const { nodes, k, fault, set } = spec
  const others = (list: readonly string[], one: string) => list.filter((other) => other !== one)
  return [
    ...loadMends(spec),
    ...(k !== undefined && k > nodes
      ? [{ changes: { k: nodes }, note: `No more than all ${nodes} can be inside together: k is ${nodes}.` }]
      : []),
    ...OPTIONAL.flatMap((name) => (spec[name] === undefined ? [] : [{ changes: { [name]: undefined } }])),
    ...fault.map((one) => ({ changes: { fault: others(fault, one) } })),
    ...set.map((one) => ({ changes: { set: others(set, one) } })),
  ]
}

function loadMends({ load, nodes }: RunSpec): Mend[] {
  const [, kind, words = ''] = /^(script|hot):(.*)$/s.exec(load) ?? []
  if (kind === 'hot') {
    const weights = words.split(',').slice(0, nodes).join(',')
    return [
      {
        changes: { load: `hot:${weights}` },
        note: `There are ${nodes} nodes: further weights of the load are left out.`,
      },
    ]
  }
  if (kind !== 'script') return []
  const lines = words.split(/[;\n]/)
  const nodeOf = (line: string) => Number(/(?:request|withdraw)\s+(\d+)/.exec(line)?.[1] ?? -1)
  const gone = [...new Set(lines.map(nodeOf).filter((node) => node >= nodes))].toSorted((a, b) => a - b)
  if (gone.length === 0) return []
  const left = lines.filter((line) => nodeOf(line) < nodes)
  const whose = gone.length === 1 ? `node ${gone[0]}` : `nodes ${gone.join(', ')}`
  const what = `With ${nodes} ${nodes === 1 ? 'node' : 'nodes'} there is no ${whose}`
  return left.some((line) => line.includes('request'))
    ? [
        {
          changes: { load: `script:${left.join(';')}` },
          note: `${what}: ${gone.length === 1 ? 'its' : 'their'} requests are left out.`,
        },
      ]
    : [{ changes: { load: 'light' }, note: `${what}, and no other asks: one asks at a time instead.` }]
}

function whyNot(spec: RunSpec, all: readonly AnyProtocol[]): string | null {
  try {
    worldOf(spec, all)
    return null
  } catch (error) {
    if (error instanceof InvalidInput) return error.message
    throw error
  }
}
