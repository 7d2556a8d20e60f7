import { expect, test } from 'vitest'
import type { Held } from '../src/locks/held.ts'
import { readWait } from '../src/locks/options.ts'
import { Probes } from '../src/locks/probes.ts'
import type { Answer } from '../src/locks/survey.ts'
import { semaphoreKey } from '../src/protocol/names.ts'
import { block } from './block.ts'
import { LEASE, meshes } from './meshes.ts'

const KEY = semaphoreKey('pool', 2, null)
const FENCE = { epoch: 1, counter: 1 }

/** A member at which one has held a permit for so many milliseconds. */
function holding(id: string, age: number): Answer {
  return { id, names: [{ name: KEY, held: [{ mode: 'exclusive', fence: FENCE, age }], pending: [] }] }
}

/** Each question is answered by the next list, an answer every 10 ms. The permit comes when the lists are used up. */
async function probe(...rounds: (readonly Answer[])[]): Promise<Held | null> {
  const held = { isHeld: true } as unknown as Held
  let now = 1000
  let grant: (held: Held) => void = () => {}
  let refuse: (reason: unknown) => void = () => {}
  let isWaiting = true
  const counter = {
    nextCaller: 'x',
    isWaiting: () => isWaiting,
    obtain: () =>
      new Promise<Held>((resolve, reject) => {
        grant = resolve
        refuse = reject
      }),
    giveUp(_: unknown, reason: unknown) {
      isWaiting = false
      refuse(reason)
    },
  }
  const survey = {
    own: () => [],
    async ask(_: string | null, heard: (answer: Answer) => void = () => {}) {
      const answers = rounds.shift()
      if (answers === undefined) {
        isWaiting = false
        grant(held)
      }
      for (const answer of answers ?? []) {
        now += 10
        heard(answer)
      }
      return answers ?? []
    },
  }
  const clock = {
    get now() {
      return now
    },
  }
  const probes = new Probes(counter, survey, clock, async () => true)
  const wish = readWait('pool', { ifAvailable: true }, () => {})
  return probes.obtain(KEY, wish, () => 'exclusive')
}

test('a semaphore is taken when as many as it has permits held one at the moment of the question', async () => {
  expect(await probe([holding('b', 15), holding('c', 50)])).toBeNull()
})

test('one that went from b to c between the two answers is not counted twice', async () => {
  expect(await probe([holding('b', 15), holding('c', 5)])).not.toBeNull()
})

test('who came after the question counts in the next', async () => {
  expect(await probe([holding('b', 15), holding('c', 5)], [holding('b', 40), holding('c', 30)])).toBeNull()
})

test('a listener that asks again when a lock is lost does not take the answer of the request that noticed the loss', async () => {
  const [a, b] = await meshes(2, 'memory', undefined, LEASE)
  const lost = await a.locks.acquire('Y')
  let again: Promise<Held> | undefined
  lost.signal.addEventListener('abort', () => {
    again = a.locks.acquire('Z')
  })
  block(1.2 * LEASE)
  const other = b.locks.acquire('X')
  const probe = a.locks.acquire('X', { ifAvailable: true })
  expect(again).toBeDefined()
  expect(await probe).toBeNull()
  ;(await again)?.release()
  ;(await other).release()
  await Promise.all([a, b].map((node) => node.leave()))
})
