/** A holder that changes its mode, across views: R5, R11, R14. */
import { get } from '@turnwise/core/bounds'
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
  return (script.node('a').begun?.table['L'] ?? []).map(({ id, mode }) => `${id} ${mode}`)
}

function nextView(script: Script): void {
  script.do('a', { kind: 'renew' })
  script.beat(...IDS)
  expect(script.twoHolders).toBeNull()
}

test('the next view knows that it is shared: readers come in, a writer does not', () => {
  const script = begun(IDS, SOUND, { settings: SETTINGS })
  script.request('a', 'L')
  const { fence } = get(script.holds('a', 'L'), 0)
  downgrade(script, 'a')
  nextView(script)
  expect(table(script)).toEqual(['a shared'])
  script.request('b', 'L', 'b', 'shared')
  script.request('c', 'L')
  expect(heldBy(script)).toEqual(['a shared', 'b shared'])
  expect(get(script.holds('a', 'L'), 0).fence).toEqual(fence)
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

test('a report says what callers of the node may still do: a writer can follow one that shares', () => {
  const script = begun(IDS, SOUND, { settings: SETTINGS, localTurns: 16 })
  script.request('a', 'L')
  // In this view nobody uses the instance: it begins with what the table says.
  nextView(script)
  script.passes = (from, _to, { type }) => from !== 'a' || type !== 'promise'
  script.do('c', { kind: 'renew' })
  script.request('b', 'L', 'b', 'shared')
  downgrade(script, 'a')
  script.request('a', 'L', 'writer')
  // The report that arrives is made now.
  script.passes = () => true
  script.holdsBack = (_from, _to, { type }) => type === 'install'
  script.do('c', { kind: 'tick' })
  script.release('a', 'L')
  expect(heldBy(script)).toEqual(['writer exclusive'])
  script.holdsBack = () => false
  script.letGo()
  script.beat(...IDS)
  expect(script.views['a']).toBe(3)
  expect(heldBy(script)).toEqual(['writer exclusive'])
  expect(table(script)).toEqual(['a exclusive'])
})

test('an update is carried over views with its readers, and becomes exclusive in a later one', () => {
  const script = begun(IDS, SOUND, { settings: SETTINGS })
  script.request('b', 'L', 'b', 'shared')
  script.request('a', 'L', 'a', 'update')
  script.request('c', 'L', 'c', 'update')
  expect(heldBy(script)).toEqual(['a update', 'b shared'])
  nextView(script)
  expect(table(script).toSorted()).toEqual(['a update', 'b shared'])
  expect(heldBy(script)).toEqual(['a update', 'b shared'])
  script.do('a', { kind: 'upgrade', name: 'L', caller: 'a' })
  script.request('a', 'L', 'a2', 'shared')
  nextView(script)
  expect(table(script).toSorted()).toEqual(['a update', 'b shared'])
  expect(heldBy(script)).toEqual(['a update', 'b shared'])
  script.release('b', 'L')
  expect(heldBy(script)).toEqual(['a exclusive'])
  nextView(script)
  expect(table(script)).toEqual(['a exclusive'])
  downgrade(script, 'a')
  expect(heldBy(script)).toEqual(['a shared', 'a2 shared', 'c update'])
  expect(script.twoHolders).toBeNull()
})

provenBy('speaks-when-frozen', 'frozen, nobody upgrades', (rules) => {
  const script = begun(IDS, rules, { settings: SETTINGS })
  script.request('a', 'L', 'a', 'update')
  script.passes = (_from, to, { type }) => type !== 'prepare' || to === 'a'
  script.holdsBack = (_from, _to, { type }) => type === 'promise'
  script.do('c', { kind: 'renew' })
  script.do('a', { kind: 'upgrade', name: 'L', caller: 'a' })
  expect(heldBy(script)).toEqual(['a update'])
  script.passes = () => true
  script.holdsBack = () => false
  nextView(script)
  expect(heldBy(script)).toEqual(['a exclusive'])
})

test('an update that is released while it waits to be exclusive leaves nothing behind for the next one of its node', () => {
  const script = begun(IDS, SOUND, { settings: SETTINGS, localTurns: 16 })
  script.request('b', 'L', 'b', 'shared')
  script.request('a', 'L', 'a', 'update')
  script.request('a', 'L', 'a2', 'update')
  script.do('a', { kind: 'upgrade', name: 'L', caller: 'a' })
  script.release('a', 'L')
  expect(heldBy(script)).toEqual(['a2 update', 'b shared'])
  script.release('b', 'L')
  script.request('c', 'L', 'c', 'shared')
  expect(heldBy(script)).toEqual(['a2 update', 'c shared'])
  expect(script.twoHolders).toBeNull()
})
