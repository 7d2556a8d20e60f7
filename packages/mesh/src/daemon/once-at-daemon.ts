/** `once` at the client's side: the job runs here, and the daemon keeps what ran. */
import { type Held, heldCaller } from '../locks/held.ts'
import type { Backing } from '../locks/obtain.ts'
import { type OnceResult, once } from '../locks/once.ts'
import type { Book } from '../locks/run-memory.ts'
import type { Client, Ticketed } from './line-client.ts'
import { errorOf } from './refusals.ts'

type Ask = Client['ask']

/** `ask`: asks the daemon that serves now. If it is another than before, the lock is lost. */
export function onceAtDaemon(
  backing: Backing & { readonly id: string },
  ask: Ask,
  given: readonly unknown[],
): Promise<OnceResult<unknown>> {
  return once(backing, () => Promise.resolve(bookAt(ask)), given)
}

function bookAt(ask: Ask): Book {
  return {
    async open({ time, skew }, held) {
      const hold = holdOf(held)
      const answer = await ask('look-up', { hold, time, skew })
      if (answer.kind !== 'found') throw refused(answer)
      return {
        finding: answer.finding,
        confirm: async () => done(await ask('confirm', { hold: holdOf(held) })),
        note: async ({ at, isDone }, since) =>
          done(await ask('note', { hold: holdOf(held), at, isDone, since })),
      }
    },
  }
}

/** The ticket of the hold at the daemon. Throws if it is lost. */
function holdOf(held: Held): number {
  held.assertHeld()
  return heldCaller(held) as number
}

function done(answer: Ticketed): void {
  if (answer.kind !== 'noted') throw refused(answer)
}

function refused(answer: Ticketed): Error {
  if (answer.kind === 'refused' && answer.why !== 'taken') return errorOf(answer.why, answer.message)
  return new Error('the daemon sent an unexpected answer')
}
