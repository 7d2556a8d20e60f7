/**
 * Runs in the sandbox: makes an algorithm from a text and checks it. It is built into one file. The frame around it has no network and no
 * origin; what could use one is taken away here as well, before any text runs.
 */
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { ownAlgorithm, thrownBy } from '@turnwise/workshop/own-algorithm'
import { instanceIn } from '@turnwise/workshop/world'
import { type Opened, openTrace } from '../../run/opened.ts'
import { playable } from '../../run/spec.ts'
import { type Answer, answering } from '../checking/answer.ts'
import type { WriteAnswer, WriteTask } from './sandbox-messages.ts'

const TELL_EVERY_MS = 100

const OUTSIDE = [
  'fetch',
  'XMLHttpRequest',
  'WebSocket',
  'WebSocketStream',
  'WebTransport',
  'EventSource',
  'BroadcastChannel',
  'SharedWorker',
  'Worker',
  'importScripts',
  'indexedDB',
  'caches',
  'FontFace',
  'fonts',
]
for (let at: object | null = self; at !== null; at = Object.getPrototypeOf(at))
  for (const name of OUTSIDE) Reflect.deleteProperty(at, name)

const files = import.meta.glob(
  [
    '../../../../core/src/**/*.ts',
    '../../../../algorithms/src/**/*.ts',
    '../../../../algorithms/broken/*.ts',
  ],
  { eager: true },
)
const modules = new Map(
  Object.entries(files).map(([path, module]) => {
    const [, name = ''] = /\/((?:core|algorithms)\/.*)\.ts$/.exec(path) ?? []
    return [`@turnwise/${name.replace('/src/', '/')}`, module]
  }),
)

/** The theatre shows a run under an algorithm that it knows: that of the name, or one that is drawn alike. */
function standIn({ facts }: AnyProtocol): string {
  if (playable.some((known) => known.facts.name === facts.name)) return facts.name
  if (facts.family === 'election') return 'bully'
  if (facts.topology !== 'complete') return 'raymond'
  return facts.family === 'token' ? 'suzuki-kasami' : 'lamport'
}

async function check({ text, worlds }: WriteTask, tell: (answer: WriteAnswer) => void): Promise<void> {
  try {
    const own = await ownAlgorithm(text, (module) => Promise.resolve(modules.get(module) ?? null))
    const name = standIn(own.algorithm)
    const algorithm = { ...own.algorithm, facts: { ...own.algorithm.facts, name } } as AnyProtocol
    let checked = 0
    for (const world of worlds) {
      const answer = searched(algorithm, world, tell)
      checked += 1
      if (checked < worlds.length && answer.properties.every(({ holds }) => holds === true)) continue
      return tell({ is: 'checked', answer, worlds: checked, opened: openedRun(answer, algorithm) })
    }
  } catch (error) {
    const { what, place } = thrownBy(error)
    tell({ is: 'faulty', what, place })
  }
}

function searched(
  algorithm: AnyProtocol,
  world: WriteTask['worlds'][number],
  tell: (answer: WriteAnswer) => void,
): Answer {
  const steps = answering(instanceIn(algorithm, world))
  let toldAt = performance.now()
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (performance.now() - toldAt < TELL_EVERY_MS) continue
    toldAt = performance.now()
    tell(value)
  }
}

/** Told with its states, which only this text can find. */
function openedRun({ failure }: Answer, algorithm: AnyProtocol): Opened | null {
  try {
    return failure === null ? null : openTrace({ trace: failure.trace, notes: [] }, [algorithm])
  } catch {
    // The text may do anything when it is called again.
    return null
  }
}

self.addEventListener('message', ({ data }: MessageEvent<WriteTask>) => {
  void check(data, (answer) => self.postMessage(answer))
})
