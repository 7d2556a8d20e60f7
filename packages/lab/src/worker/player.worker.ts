import { InvalidInput } from '@turnwise/core/invalid-input'
import { play } from '../run/play.ts'
import type { PlayAnswer, PlayTask } from './messages.ts'

/** Runs are played here, so that a long one does not hold up the page. */
function answer({ task, spec, hands }: PlayTask): PlayAnswer {
  try {
    return { task, played: play(spec, hands) }
  } catch (error) {
    if (error instanceof InvalidInput) return { task, complaint: error.message }
    return { task, complaint: `this run cannot be played: ${String(error)}` }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<PlayTask>) => {
  self.postMessage(answer(data))
})
