import type { NodeId } from '@turnwise/core/algorithm'
import { TICKS_PER_UNIT } from '@turnwise/core/trace/trace'
import type { RunWishes } from '@turnwise/simulator/configuration'
import type { Moment, Row, Shown, Situation } from './rows.ts'
import { Watch } from './watch.ts'

/** The outcome of a run in which a node fails. */
export interface Outcome {
  readonly wishes: RunWishes
  readonly command: string
  readonly violations: readonly string[]
  readonly served: boolean
  readonly mostTokens: number
  /** Messages that only a recovery sends. */
  readonly cost: number
  /** How many have started one before a message of the first has reached anyone, where messages take a unit of time. */
  readonly startedAtOnce: number
  /** Whether those who failed stood as they were to stand. */
  readonly asMeant: boolean
}

/** Plays a cell with one random seed. */
export function play(row: Row, situation: Situation, shown: Shown, seed: number): Outcome {
  const calm = { ...shown.wishes(seed), seed }
  const { nodes, at } = shown.moment?.(seed) ?? momentOf(row, situation, shown, calm)
  const fault = nodes.flatMap((node) => row.failure(node, at, seed))
  const wishes = { ...calm, fault }
  let asMeant = true
  const watch = new Watch(row.algorithm, wishes, (node, before) => {
    if (shown.moment === undefined && !whoStandsSo(situation, shown, before).includes(node)) asMeant = false
  }).runToEnd()
  const { jury, unserved, gaveUp } = watch.simulation
  const sent = watch.sent.filter(({ message }) => row.messages.includes(message.type))
  const started = sent.filter(({ message, from }) => row.starts(message, from))
  const soon = started.filter(({ at }) => at - (started[0]?.at ?? 0) < TICKS_PER_UNIT)
  return {
    wishes,
    command: commandOf(row.algorithm, wishes),
    violations: jury.violations.map(({ text }) => text),
    served: unserved === 0 && !gaveUp,
    mostTokens: watch.mostTokens,
    // One that fails at once does not take part in the start.
    cost: Math.max(0, sent.length - (row.atStart?.(watch.nodes) ?? 0)),
    startedAtOnce: new Set(soon.map(({ from }) => from)).size,
    asMeant,
  }
}

/** A node that stands so in the first half of the run without a failure, and a time at which it does. */
function momentOf(row: Row, situation: Situation, shown: Shown, wishes: RunWishes): Moment {
  const watch = new Watch(row.algorithm, wishes)
  const moments: { node: NodeId; from: number; to: number }[] = []
  let before: { who: readonly NodeId[]; at: number } = { who: [], at: 0 }
  while (watch.step()) {
    if (watch.now > before.at) {
      for (const node of before.who) moments.push({ node, from: before.at, to: watch.now })
    }
    before = { who: whoStandsSo(situation, shown, watch), at: watch.now }
  }
  const times = moments.flatMap(({ node, from, to }): Moment[] => {
    const at = Math.floor((from / TICKS_PER_UNIT) * 100 + 1) / 100
    return at * TICKS_PER_UNIT < to && from < watch.now / 2 ? [{ nodes: [node], at }] : []
  })
  const chosen = times[((wishes.seed ?? 0) * 7919) % times.length]
  if (chosen === undefined)
    throw new Error(`${row.algorithm}: nobody stands so: ${situation}, seed ${wishes.seed}`)
  return chosen
}

function whoStandsSo(situation: Situation, shown: Shown, watch: Watch): readonly NodeId[] {
  if (shown.who !== undefined) return shown.who(watch)
  const { holders, receivers } = watch
  if (situation === 'holder') return holders
  if (situation === 'path') return receivers
  return [...watch.waiting].filter((node) => !holders.includes(node) && !receivers.includes(node))
}

/** The run as a command that anyone can run. */
export function commandOf(algorithm: string, wishes: RunWishes): string {
  const { fault = [], ...others } = wishes
  return [
    `npx turnwise simulate ${algorithm}`,
    ...Object.entries(others).map(([name, value]) => {
      if (typeof value === 'object') throw new Error(`${algorithm}: no command says this ${name}`)
      return ` --${name} ${value}`
    }),
    ...fault.map((text) => ` --fault ${text}`),
  ].join('')
}
