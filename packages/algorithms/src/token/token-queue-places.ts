/** Places in line of token-queue.ts, for people who wait. */
import type { Line } from '@turnwise/core/algorithm'
import { areNear, nextInLine, takeOut } from './token-queue-line.ts'
import type { Options, State } from './token-queue-state.ts'

/** The places absorbed at a node follow those of the token when it comes. A turn in another zone ends the turns of this one. */
export const line: Line<State, Options> = {
  at: ({ fence, queue, turns }) => ({ isHead: fence !== null, places: queue, turns }),
  take(line, self, setup) {
    const taken = takeOut(line, { self, setup }, nextInLine(line, { self, setup }))
    if (taken.mode === 'exclusive' && !areNear(setup, self, taken.node)) line.turns = 0
    return taken
  },
}
