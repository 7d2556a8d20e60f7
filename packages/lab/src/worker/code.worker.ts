import { InvalidInput } from '@turnwise/core/invalid-input'
import { type EnlistedFile, enlisted } from '../code/code-probes.ts'
import { followRecord, followRun } from '../code/follow.ts'
import { loadProbed } from '../code/load-probed.ts'
import type { TrailPart } from '../code/trail.ts'
import { turn } from './turn.ts'
import type { CodeAnswer, CodeTask } from './worker-messages.ts'

/** Events in one part: the code of the first events is there at once. */
const PART = 2000

let latest = 0

/** Runs are followed through the text of their algorithm here, when somebody wants to see it. */
async function answer({ task, spec, what }: CodeTask): Promise<void> {
  const tell = (message: CodeAnswer) => self.postMessage(message)
  const sent = new Set<EnlistedFile>()
  const send = (part: TrailPart) => {
    const files = filesOf(part).filter((file) => !sent.has(file))
    for (const file of files) sent.add(file)
    tell({ task, files, part })
  }
  try {
    const protocol = await loadProbed(spec.algorithm)
    if (protocol === null) return tell({ task, complaint: `There is no text of ${spec.algorithm}.` })
    if ('trace' in what) {
      const part = followRecord(protocol, spec, what.trace)
      if (part === null) return tell({ task, complaint: MISMATCH })
      return send(part)
    }
    const parts = followRun(protocol, spec, what.hands, PART)
    while (task === latest) {
      const { done, value } = parts.next()
      if (done === true) return
      send(value)
      await turn()
    }
  } catch (error) {
    const why = error instanceof InvalidInput ? error.message : String(error)
    tell({ task, complaint: `The run cannot be followed: ${why}` })
  }
}

const MISMATCH =
  'The rules of this version do not match the events of this record, so the lines that ran are unknown.'

function filesOf({ ways }: TrailPart): EnlistedFile[] {
  return enlisted().filter(({ first, stretches }) =>
    ways.some((way) => way.some((stretch) => stretch >= first && stretch < first + stretches.length)),
  )
}

self.addEventListener('message', ({ data }: MessageEvent<CodeTask>) => {
  latest = data.task
  void answer(data)
})
