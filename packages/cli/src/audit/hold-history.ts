/**
 * The holds of one name as a history of calls, for checkers that are not ours: as EDN, which Knossos and other tools of Jepsen read, or as
 * JSON with the fields of Porcupine's `Operation`. The operations are `acquire` and `release`; a hold that was lost is a release at the
 * moment when its lease ended. Times are nanoseconds.
 */
import { get } from '@turnwise/core/bounds'
import type { AuditedHold } from '@turnwise/mesh/protocol/audit-history'

interface Operation {
  /** Operations of one process do not overlap. */
  readonly process: number
  readonly f: 'acquire' | 'release'
  readonly mode: AuditedHold['mode']
  readonly fence: bigint
  readonly call: number
  /** Null if nobody knows whether it was done. */
  readonly done: number | null
}

export function historyText(holds: readonly AuditedHold[], format: 'edn' | 'json'): string {
  const operations = operationsOf(holds)
  return format === 'edn' ? ednText(operations) : jsonText(operations)
}

function operationsOf(holds: readonly AuditedHold[]): Operation[] {
  const start = Math.min(...holds.map(({ asked, wall }) => asked + wall))
  const time = (of: AuditedHold, at: number) => Math.round((at + of.wall - start) * 1e6)
  /** Of each process: from when on it is free. */
  const free: number[] = []
  return holds
    .toSorted((a, b) => a.asked + a.wall - (b.asked + b.wall))
    .flatMap((hold) => {
      const { mode, fence } = hold
      const call = time(hold, hold.asked)
      const known = free.findIndex((since) => since <= call)
      const process = known === -1 ? free.length : known
      const until = time(hold, hold.until)
      const isKnown = hold.end !== 'unknown'
      // A process whose last operation has no result does nothing more.
      free[process] = isKnown ? until + 1 : Number.POSITIVE_INFINITY
      const of = { process, mode, fence }
      return [
        { ...of, f: 'acquire' as const, call, done: time(hold, hold.from) },
        { ...of, f: 'release' as const, call: until, done: isKnown ? until : null },
      ]
    })
}

/** At one moment: who leaves has left before who enters is in. */
function ednText(operations: readonly Operation[]): string {
  const events = operations.flatMap(({ process, f, mode, fence, call, done }, i) => {
    const value = `[:${mode} ${fence}]`
    const isMoment = f === 'release' && call === get(operations, i - 1).done
    const rank = f === 'acquire' ? 2 : isMoment ? 4 : 0
    return [
      { at: call, rank, i, text: `:process ${process}, :type :invoke, :f :${f}, :value ${value}` },
      {
        at: done ?? call,
        rank: rank + 1,
        i,
        text: `:process ${process}, :type ${done === null ? ':info' : ':ok'}, :f :${f}, :value ${value}`,
      },
    ]
  })
  events.sort((a, b) => a.at - b.at || a.rank - b.rank || a.i - b.i)
  return events.map(({ at, text }, index) => `{${text}, :time ${at}, :index ${index}}\n`).join('')
}

function jsonText(operations: readonly Operation[]): string {
  const most = Math.max(...operations.map(({ call, done }) => done ?? call))
  const lines = operations.map(({ process, f, mode, fence, call, done }) =>
    JSON.stringify({
      ClientId: process,
      Input: { Op: f, Mode: mode },
      Call: call,
      Output: { Fence: String(fence) },
      // Whatever happened to it happened before or after everything else.
      Return: done ?? most + 1,
    }),
  )
  return `[\n${lines.join(',\n')}\n]\n`
}
