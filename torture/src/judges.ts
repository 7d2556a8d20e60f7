/**
 * The judges. Each is a function of what the log tells and finds what must not be: two inside together whose leases ran,
 * fences that do not rise, a register that took what is stale, refused what is valid or lost a write, a process that
 * ended by itself. The last two ask, when the faults of a round are over, for those who wait and those who were served.
 */
import type { Mode } from '@turnwise/core/algorithm'
import { judgeHolds } from '@turnwise/core/judges/hold-judge'
import { type History, type Request, type Stay, stayOf, type Use } from './history.ts'

export interface Finding {
  readonly judge: 'exclusion' | 'fence' | 'register' | 'forgotten' | 'served' | 'member' | 'audit'
  readonly at: number
  readonly name: string | null
  readonly text: string
}

/** Safety: what was so at any time of the run. */
export function judge(history: History): Finding[] {
  const stays = history.turns.map(stayOf).filter((stay) => stay !== null)
  const names = [...new Set(history.turns.map(({ name }) => name))]
  return [
    ...names.flatMap((name) =>
      judgeStays(
        name,
        stays.filter(({ turn }) => turn.name === name),
      ),
    ),
    ...names.flatMap((name) =>
      judgeRegister(
        name,
        history.uses.filter((use) => use.name === name),
        history,
      ),
    ),
    ...history.troubles.map(({ at, text }) => ({ judge: 'member' as const, at, name: null, text })),
  ].toSorted((a, b) => a.at - b.at)
}

function judgeStays(name: string, stays: readonly Stay[]): Finding[] {
  const permits = stays[0]?.turn.permits ?? 1
  const holds = stays.map((stay) => {
    const { mode, fence, resources } = stay.turn
    return { ...stay, mode, fence, resources }
  })
  return judgeHolds(holds, permits).map(({ judge, at, holds }) => {
    const what = (permits === 1 ? WRONG : WRONG_WITH_PERMITS)[judge]
    return { judge, at, name, text: `${name}: ${holds.map(stayText).join('; ')}: they ${what}` }
  })
}

const WRONG = { exclusion: 'hold it together', fence: 'have fences that do not rise' }
const WRONG_WITH_PERMITS = { exclusion: 'hold more permits than there are', fence: 'have the same fence' }

function stayText({ turn: { id, life, mode, fence, resources }, from, until }: Stay): string {
  const who = `process ${life} of ${id}${resources === undefined ? '' : ` with names ${resources.join(', ')}`}`
  return `${who} ${modeText(mode)} with fence ${fence} from ${from.toFixed(1)} to ${until.toFixed(1)}`
}

function modeText(mode: Mode): string {
  return mode === 'shared' ? 'shared' : 'alone'
}

/** The node that held validly all the while from before an access until after it may not be refused, nor see a value change. */
function judgeRegister(name: string, uses: readonly Use[], history: History): Finding[] {
  const findings: Finding[] = []
  const find = (use: Use, text: string) => {
    const turn = history.turnOf(use)
    const who = `process ${use.life} of ${use.id} with fence ${use.fence}`
    findings.push({ judge: 'register', at: turn?.from ?? 0, name, text: `${name}: ${who} ${text}` })
  }
  let highest = -1n
  let value = 0
  const seen = new Map<Request, number>()
  for (const use of uses) {
    const fence = BigInt(use.fence)
    const turn = history.turnOf(use)
    const isShared = use.is === 'reads' && use.mode === 'shared'
    const isValid = turn?.end === 'released'
    if (use.taken && fence < highest && !isShared) find(use, `came after ${highest}, and was taken`)
    if (!use.taken && isValid) find(use, `held the lock, and was refused: ${highest} was there before`)
    if (use.taken && fence > highest) highest = fence
    if (use.is === 'writes' && use.taken) {
      if (use.value !== value + 1) find(use, `wrote ${use.value} over ${value}: a write is lost`)
      value = use.value
    }
    if (!isShared || turn === undefined) continue
    const before = seen.get(turn)
    seen.set(turn, use.value)
    if (isValid && before !== undefined && before !== use.value)
      find(use, `shared the lock, and saw ${before} change to ${use.value}`)
  }
  return findings
}

/** Who asked before all was repaired, and waits still. */
export function forgotten(history: History, calm: number, now: number): Finding[] {
  return history.waiting
    .filter(({ asked }) => asked < calm)
    .map(({ id, life, name, mode, asked }) => ({
      judge: 'forgotten',
      at: now,
      name,
      text: `${name}: process ${life} of ${id} asked (${modeText(mode)}) ${seconds(now - asked)} ago, and waits still, ${quiet(history, calm, now)}`,
    }))
}

/** Who was not let in since all was repaired. */
export function unserved(
  history: History,
  ids: readonly string[],
  names: readonly string[],
  calm: number,
  now: number,
): Finding[] {
  return ids
    .flatMap((id) => names.map((name) => ({ id, name })))
    .filter(({ id, name }) => (history.entered.get(`${id} ${name}`) ?? 0) <= calm)
    .map(({ id, name }) => ({
      judge: 'served',
      at: now,
      name,
      text: `${name}: ${id} was not let in, ${quiet(history, calm, now)}`,
    }))
}

/** Since when nothing was done to anybody, nor did the machine hold anybody up. */
export function quietSince(history: History, calm: number): number {
  return Math.max(calm, history.lastStall)
}

function quiet(history: History, calm: number, now: number): string {
  return `though nothing was wrong for ${seconds(now - quietSince(history, calm))}`
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`
}
