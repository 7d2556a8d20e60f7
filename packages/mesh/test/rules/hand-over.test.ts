import type { Mode } from '@turnwise/core/algorithm'
import { expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import { begun } from './proof.ts'

const IDS = ['a', 'b', 'c']
const CALLERS = 5

/** Every node has so many callers from the beginning. Each leaves as soon as it is inside, until all were. */
function served(mode: (caller: number) => Mode): { turns: number; sent: Record<string, number> } {
  const settings = { algorithm: 'token-queue', lease: 100, drift: 0 }
  const script = begun(IDS, SOUND, { settings, localTurns: 1 })
  const before = script.sent.length
  for (const id of IDS) {
    for (let i = 0; i < CALLERS; i += 1) script.request(id, 'L', `${id}${i}`, mode(i))
  }
  let turns = 0
  for (let grant = script.grants('L')[turns]; grant !== undefined; grant = script.grants('L')[turns]) {
    expect(script.twoHolders).toBeNull()
    turns += 1
    script.release(grant.id, 'L', String(grant.caller))
  }
  const sent: Record<string, number> = {}
  for (const { message } of script.sent.slice(before)) {
    if (message.type !== 'link' || message.payload.kind !== 'lock') continue
    const { type } = message.payload.message
    sent[type] = (sent[type] ?? 0) + 1
  }
  return { turns, sent }
}

test('callers that wait at their node when it is released ask before the token leaves, and cost no request', () => {
  const { turns, sent } = served(() => 'exclusive')
  expect(turns).toBe(IDS.length * CALLERS)
  // Four for the first callers: node c begins with the token, and sends the request of b after a. None for the others.
  expect(sent).toEqual({ request: 4, token: turns })
})

test('so do those that wait where a copy goes back', () => {
  const { turns, sent } = served((caller) => (caller % 2 === 0 ? 'exclusive' : 'shared'))
  expect(turns).toBe(IDS.length * CALLERS)
  expect(sent['request']).toBe(4)
})
