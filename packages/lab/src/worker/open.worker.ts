import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Opened, oneTrace, openTrace } from '../run/opened.ts'
import type { Played, PlayedPart, StateChange } from '../run/play.ts'
import { playable } from '../run/spec.ts'
import { PatchWriter } from './patch.ts'
import { readRecords } from './read-record.ts'
import type { OpenAnswer, OpenTask } from './worker-messages.ts'

/** Events in one part: few enough for the page to take in between two frames. */
const PART = 1000
const TELL_EVERY_MS = 50

const tell = (message: OpenAnswer) => self.postMessage(message)

/** Records are read, merged, judged and given their states here. The page asks for each part, so that it is never flooded. */
let parts: Iterator<PlayedPart> | null = null
let opened: Opened | null = null
const patches = new PatchWriter()

async function open(files: readonly Blob[]): Promise<void> {
  try {
    let toldAt = Number.NEGATIVE_INFINITY
    const traces = await readRecords(files, (read) => {
      if (performance.now() - toldAt < TELL_EVERY_MS && read.bytes < read.of) return
      toldAt = performance.now()
      tell({ read })
    })
    tell({ understanding: true })
    opened = openTrace(oneTrace(traces), playable)
    const { spec, notes, played } = opened
    const { header, dead, absent, untold, noStates, events } = played
    parts = partsOf(played)
    tell({ head: { header, dead, absent, untold, noStates }, spec, notes, events: events.length })
  } catch (error) {
    const complaint =
      error instanceof InvalidInput ? error.message : `this record cannot be shown: ${String(error)}`
    tell({ complaint })
  }
}

function* partsOf({ events, steps, states }: Played): Generator<PlayedPart, undefined> {
  let state = 0
  for (let first = 0; first < events.length; first += PART) {
    const changes: StateChange[] = []
    for (; state < states.length && get(states, state).event < first + PART; state += 1)
      changes.push(get(states, state))
    yield {
      events: events.slice(first, first + PART),
      steps: steps.slice(first, first + PART),
      states: changes,
    }
  }
}

function next(): void {
  if (parts === null || opened === null) return
  const { done, value } = parts.next()
  const { refused, isCut } = opened.played
  if (done === true) tell({ end: { refused, isCut } })
  else tell({ part: { ...value, states: value.states.map((change) => patches.write(change)) } })
}

self.addEventListener('message', ({ data }: MessageEvent<OpenTask>) => {
  if (data === 'next') next()
  else void open(data.files)
})
