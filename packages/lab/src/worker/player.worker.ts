import { hasText, knownAlgorithm, load } from '@turnwise/algorithms/texts'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { headOf, playParts } from '../run/play.ts'
import { worldFor } from '../run/world-spec.ts'
import { PatchWriter } from './patch.ts'
import { turn } from './turn.ts'
import type { PlayAnswer, PlayTask } from './worker-messages.ts'

/** Events in one part: enough for a first picture, and few enough for the page to take in between two frames. */
const PART = 800

let latest = 0

/** Runs are played here, so that a long one does not hold up the page; one that is no longer wanted is dropped. */
async function answer({ task, spec, hands }: PlayTask): Promise<void> {
  const tell = (message: PlayAnswer) => self.postMessage(message)
  try {
    const world = worldFor(spec, await protocolNamed(spec.algorithm))
    tell({ task, head: headOf(spec, world, hands) })
    const patches = new PatchWriter()
    const parts = playParts(world, hands, { partOf: PART })
    while (task === latest) {
      const { done, value } = parts.next()
      if (done === true) return tell({ task, end: value })
      const states = value.states.map((change) => patches.write(change))
      tell({ task, part: { ...value, states } })
      await turn()
    }
  } catch (error) {
    const complaint =
      error instanceof InvalidInput ? error.message : `this run cannot be played: ${String(error)}`
    tell({ task, complaint })
  }
}

/** An algorithm is loaded alone; elections and broken variants with all the others, when one of them is asked for. */
async function protocolNamed(name: string): Promise<AnyProtocol> {
  if (!hasText(name)) return (await import('../run/spec.ts')).protocolNamed(name)
  await load([name])
  return knownAlgorithm(name)
}

self.addEventListener('message', ({ data }: MessageEvent<PlayTask>) => {
  latest = data.task
  void answer(data)
})
