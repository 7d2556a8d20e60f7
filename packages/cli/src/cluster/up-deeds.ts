/** What can be done to a node of `turnwise up`, by a key or by a schedule. */
import { invalid } from '@turnwise/core/invalid-input'

export type Deed = 'kill' | 'restart' | 'pause' | 'continue' | 'cut' | 'heal'

/** What stands for the engine where nodes are named. */
export const ENGINE = 'engine'

export interface Condition {
  readonly runs: 'starting' | 'running' | 'paused' | 'dead'
  readonly isCut: boolean
}

/** A deed at a time, in milliseconds since the first view. */
export interface Scheduled {
  readonly at: number
  readonly id: string
  readonly deed: Deed
}

/** What ends each fault that can be scheduled. */
export const REPAIRS = { kill: 'restart', pause: 'continue', cut: 'heal' } as const satisfies Partial<
  Record<Deed, Deed>
>

/** Reads `b@3s` or `b@3s-6s`: from then on, or until the other time. */
export function scheduledFrom(
  fault: keyof typeof REPAIRS,
  text: string,
  ids: readonly string[],
  readTime: (text: string) => number,
): Scheduled[] {
  const [, id, from = '', until] = /^([^@]*)@([^-]*)(?:-(.*))?$/.exec(text) ?? []
  if (id === undefined) throw invalid(text, 'NODE@TIME or NODE@FROM-UNTIL, such as b@3s or b@3s-6s')
  if (!ids.includes(id)) throw invalid(id, `a node: ${ids.join(', ')}`)
  const start = { at: readTime(from), id, deed: fault }
  if (until === undefined) return [start]
  const end = { at: readTime(until), id, deed: REPAIRS[fault] }
  if (end.at <= start.at) throw invalid(text, 'a stretch of time that ends after it begins')
  return [start, end]
}

/** Why this cannot be done to a node in that condition; null if it can. */
export function refusal(id: string, deed: Deed, { runs, isCut }: Condition): string | null {
  const isDead = runs === 'dead'
  switch (deed) {
    case 'kill':
      return isDead ? `${id} is dead already: r starts it again` : null
    case 'restart':
      return isDead ? null : `${id} runs: k kills it`
    case 'pause':
      if (isDead) return `${id} is dead: r starts it again`
      return runs === 'paused' ? `${id} is paused already: c continues it` : null
    case 'continue':
      return runs === 'paused' ? null : `${id} is not paused: p pauses it`
    case 'cut':
      return isCut ? `${id} is cut off already: h heals its links` : null
    case 'heal':
      return isCut ? null : `${id} is not cut off: x cuts it off`
  }
}

/** Why this cannot be done to the engine; null if it can. `condition` is null if there is none that was started here. */
export function engineRefusal(deed: Deed, condition: Condition | null): string | null {
  if (condition === null) return 'turnwise up has started no engine: --at postgres or --at etcd does'
  if (deed === 'cut' || deed === 'heal') return 'the engine cannot be cut off: x cuts off a node'
  return refusal('the engine', deed, condition)
}

/** What is said where a cut is one from the engine. */
export const SAID_AT_ENGINE: Partial<Record<Deed, string>> = {
  cut: 'is cut off from the engine',
  heal: 'can reach the engine again',
}

/** What is said when it has been done. */
export const SAID: Readonly<Record<Deed, string>> = {
  kill: 'is killed with kill -9',
  restart: 'is started again',
  pause: 'is paused (SIGSTOP)',
  continue: 'continues (SIGCONT)',
  cut: 'is cut off from the others',
  heal: 'can reach the others again',
}
