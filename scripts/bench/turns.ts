/** Turns that are not counted as hand-offs: at many names, or to read. */
import { Fleet, fastestRound, type Round, type Times } from './fleet.ts'
import { type Load, PATIENT } from './talk.ts'

/** Of all processes. */
export interface TurnsMade extends Round {
  readonly algorithm: string
  readonly processes: number
  /** Messages of the algorithm for each. */
  readonly messages: number
  readonly messagesInWrite: number
}

export async function turnsOf(
  algorithm: string,
  processes: number,
  names: readonly string[],
  load: Load,
  times: Times,
): Promise<TurnsMade> {
  const fleet = await Fleet.of(processes, { algorithm, lease: PATIENT })
  try {
    return await fastestRound(processes, async () => {
      const round = await fleet.turns(names, times, load)
      const total = (of: (each: (typeof round)[number]) => number) =>
        round.reduce((sum, each) => sum + of(each), 0)
      const turns = total((each) => each.turns)
      const sent = total((each) => each.sent)
      return {
        algorithm,
        processes,
        rate: (turns * 1000) / times.measured,
        cpu: total((each) => each.cpu) / turns,
        messages: sent / turns,
        messagesInWrite:
          sent /
          Math.max(
            1,
            total((each) => each.writes),
          ),
      }
    })
  } finally {
    await fleet.end()
  }
}
