import { expect, test } from 'vitest'
import { SOUND } from '../broken/under.ts'
import { groupKey, lockKey } from '../src/protocol/names.ts'
import { home } from '../src/protocol/view-worlds.ts'
import { Script } from './script.ts'

const KEY = groupKey('stock', ['a', 'b', 'c'])
const IDS = ['a', 'b', 'c']

test('a caller of a group that has all its names is let in, although the link to another node is full', () => {
  const script = new Script(IDS, SOUND, { linkLimit: 4 })
  script.do('a', { kind: 'renew' })
  script.beat(...IDS)
  const ask = (id: string, caller: string, resources: readonly number[]) =>
    script.do(id, {
      kind: 'request',
      name: KEY,
      caller,
      mode: 'exclusive',
      priority: 0,
      steals: false,
      resources,
    })
  ask('a', 'holder', [0])
  ask('b', 'first', [1])
  ask('b', 'second', [0])
  script.release('b', KEY, 'first')
  // c is stopped: it acknowledges nothing that b sends.
  script.passes = (from, to, { type }) => !(to === 'c' && from === 'b' && type === 'link')
  const names = Array.from({ length: 100 }, (_, i) => lockKey(`x${i}`)).filter(
    (name) => home(name, IDS) === 'c',
  )
  for (const name of names.slice(0, 4)) script.request('b', name)
  expect([...script.node('b').full]).toEqual(['c'])
  // The idle seat of b has to wait for room. The other one has not.
  ask('b', 'third', [1])
  script.release('a', KEY, 'holder')
  expect(script.grants(KEY).map(({ caller }) => caller)).toEqual(['holder', 'first', 'second'])
})
