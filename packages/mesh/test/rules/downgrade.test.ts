/** A writer that goes on as a reader, across views: R5, R11, R14. */
import { expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import type { Script } from '../script.ts'
import { begun, provenBy } from './proof.ts'

const IDS = ['a', 'b', 'c']
const SETTINGS = { algorithm: 'token-queue', lease: 100, drift: 0 }

function downgrade(script: Script, id: string): void {
  script.do(id, { kind: 'downgrade', name: 'L', caller: id })
}

function heldBy(script: Script): string[] {
  return IDS.flatMap((id) => script.holds(id, 'L').map(({ caller, mode }) => `${caller} ${mode}`))
}

/** What the table of the view says of the lock. */
function table(script: Script): string[] {
  return (script.nodes['a'].begun?.table['L'] ?? []).map(({ id, mode }) => `${id} ${mode}`)
}

function nextView(script: Script): void {
  script.do('a', { kind: 'renew' })
  script.beat(...IDS)
  expect(script.twoHolders).toBeNull()
}

test('the next view knows that it is shared: readers come in, a writer does not', () => {
  const script = begun(IDS, SOUND, { settings: SETTINGS })
  script.request('a', 'L')
  const [{ fence }] = script.holds('a', 'L')
  downgrade(script, 'a')
  nextView(script)
  expect(table(script)).toEqual(['a shared'])
  script.request('b', 'L', 'b', 'shared')
  script.request('c', 'L')
  expect(heldBy(script)).toEqual(['a shared', 'b shared'])
  expect(script.holds('a', 'L')[0].fence).toEqual(fence)
  nextView(script)
  expect(table(script)).toEqual(['a shared', 'b shared'])
  script.release('a', 'L')
  expect(heldBy(script)).toEqual(['b shared'])
  script.release('b', 'L')
  expect(heldBy(script)).toEqual(['c exclusive'])
  expect(script.twoHolders).toBeNull()
})

provenBy(
  'speaks-when-frozen',
  'frozen, readers of the node come in, and those of others when the next view has begun',
  (rules) => {
    const script = begun(IDS, rules, { settings: SETTINGS })
    script.request('a', 'L')
    script.request('b', 'L', 'b', 'shared')
    script.request('a', 'L', 'a2', 'shared')
    // Only a hears of the ballot: it is frozen, and the others are not.
    script.holdsBack = (_from, _to, { type }) => type === 'promise'
    script.passes = (_from, to, { type }) => type !== 'prepare' || to === 'a'
    script.do('c', { kind: 'renew' })
    downgrade(script, 'a')
    expect(heldBy(script)).toEqual(['a shared', 'a2 shared'])
    script.passes = () => true
    script.holdsBack = () => false
    nextView(script)
    expect(script.views['a']).toBeGreaterThan(1)
    expect(heldBy(script)).toEqual(['a shared', 'a2 shared', 'b shared'])
    nextView(script)
    expect(table(script)).toEqual(['a shared', 'b shared'])
  },
)
