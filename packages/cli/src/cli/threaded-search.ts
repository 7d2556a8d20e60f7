import { setImmediate } from 'node:timers/promises'
import { Check, type CheckResult } from '@turnwise/checker/check'
import { asksForFences, FenceCheck } from '@turnwise/checker/fence-check'
import type { Instance } from '@turnwise/checker/instance'
import { decided, type PropertyResult } from '@turnwise/checker/property'
import type { Search } from '@turnwise/checker/search'
import type { CheckThread } from './check-thread.ts'

/** How many states are expanded between two looks at the clock and the keyboard. */
const SLICE = 5_000
/** How many states the second thread gets at a time. Some pieces wait while others are expanded and looked up. */
const PIECE = 2_000
const PIECES_UNDER_WAY = 16

const UNDECIDED = decided('fences-rise', null)

export interface Exploration {
  readonly result: CheckResult
  /** Null where no fences are given out. */
  readonly fences: PropertyResult | null
}

/** What watches over an exploration: told how many states there are, it says whether to go on. */
export type Watch = (states: number) => boolean

/**
 * Explores in slices, with a look at `watch` after each. With a second thread both search together, one finding steps
 * and the other looking up where they lead; then one thinks over what was found while the other follows the fences.
 */
export async function explore(
  instance: Instance,
  mostStates: number,
  thread: CheckThread | null,
  watch: Watch,
): Promise<Exploration> {
  const check = new Check(instance, mostStates)
  const { search } = check
  while (!search.isOver) {
    // The thread takes a while to start; the search does not wait for it.
    if (thread?.isReady === true) await searchTogether(search, thread, watch)
    else {
      check.run(SLICE)
      await setImmediate()
      if (!watch(search.states)) check.stop()
    }
  }
  if (!asksForFences(instance)) return { result: check.result, fences: null }
  if (!search.isComplete) return { result: check.result, fences: UNDECIDED }
  thread?.followFences()
  const { result } = check
  const watchAll: Watch = (more) => watch(search.states + more)
  const fences = thread === null ? fencesHere(instance, mostStates, watchAll) : fencesFrom(thread, watchAll)
  return { result, fences: await fences }
}

async function fencesHere(instance: Instance, mostStates: number, watch: Watch): Promise<PropertyResult> {
  const fences = new FenceCheck(instance, mostStates)
  while (watch(fences.states) && !fences.run(SLICE)) await setImmediate()
  return fences.result
}

async function fencesFrom(thread: CheckThread, watch: Watch): Promise<PropertyResult> {
  for (;;) {
    const answer = await thread.answer()
    if (answer?.is !== 'fences') return UNDECIDED
    if (answer.result !== null) return answer.result
    if (!watch(answer.states)) return UNDECIDED
  }
}

/** Both threads search until the search is over. */
export async function searchTogether(search: Search, thread: CheckThread, watch: Watch): Promise<void> {
  for (let underWay = 0; ; underWay -= 1) {
    for (; underWay < PIECES_UNDER_WAY; underWay += 1) {
      const work = search.handOut(PIECE)
      if (work === null) break
      thread.expand(work)
    }
    const answer = await thread.answer()
    if (answer?.is !== 'expanded' || search.takeBack(answer.expansion)) return
    if (!watch(search.states)) return search.stop()
  }
}
