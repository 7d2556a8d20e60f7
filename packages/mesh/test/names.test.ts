/** Names that every object knows already, for nodes, voters, locks and algorithms: they are names like others. */
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { InvalidInput } from '@turnwise/core/invalid-input'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { atLeast } from '../../../test/present.ts'
import { SOUND } from '../broken/under.ts'
import { newKey } from '../src/disk/marks.ts'
import { readStored, writeState } from '../src/disk/state-file.ts'
import { joinNode } from '../src/join.ts'
import { blank, withoutTable } from '../src/protocol/record.ts'
import { serving } from '../src/protocol/serving.ts'
import { type Medium, starter } from './meshes.ts'
import { Script } from './script.ts'
import { anyMessage, INHERITED } from './transport/arbitrary-message.ts'
import { reasonOf } from './web-locks/worlds.ts'

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1981)
const name = fc.constantFrom(...INHERITED)
const three = fc.uniqueArray(name, { minLength: 3, maxLength: 3 })

/** A view of these members, after each has had every lock and one was cut off. */
function served(ids: readonly string[], locks: readonly string[]): Script {
  const script = new Script(ids, SOUND)
  script.do(get(ids, 0), { kind: 'renew' })
  script.beat(...ids)
  for (const lock of locks) for (const id of ids) script.request(id, lock)
  for (const lock of locks) {
    for (const _ of ids) {
      const holder = script.grants(lock).at(-1)
      if (holder !== undefined) script.release(holder.id, lock)
      script.pass(1)
    }
  }
  const [silent] = ids.toSorted().slice(-1)
  script.passes = (from, to) => from !== silent && to !== silent
  script.pass(30)
  script.passes = () => true
  script.pass(30)
  return script
}

describe('the protocol', () => {
  test('nodes and locks with such names are served, left out and taken in again', () => {
    const property = fc.property(
      three,
      fc.uniqueArray(name, { minLength: 1, maxLength: 2 }),
      (ids, locks) => {
        const script = served(ids, locks)
        expect(new Set(Object.values(script.views)).size).toBe(1)
        expect(script.node(get(ids, 0)).begun?.members.map(({ id }) => id)).toEqual(ids.toSorted())
        for (const lock of locks) {
          expect(new Set(script.grants(lock).map(({ id }) => id))).toEqual(new Set(ids))
        }
      },
    )
    fc.assert(property, { seed: SEED, numRuns: extent(20, 60) })
  })

  test('no message with such names ends a node', () => {
    const from = fc.oneof(name, fc.constantFrom('a', 'b', 'c'))
    const property = fc.property(from, anyMessage, (sender, message) => {
      const script = new Script(['a', 'b', 'c'], SOUND)
      script.do('a', { kind: 'renew' })
      script.beat('a', 'b', 'c')
      if ('ballot' in message) script.do('a', { kind: 'renew' })
      const ballot = script.node('a').proposal?.ballot ?? ''
      const fitting = message.type === 'promise' ? { ...message, ballot } : message
      script.do('a', { kind: 'receive', from: sender, message: fitting })
    })
    fc.assert(property, { seed: SEED, numRuns: extent(150, 600) })
  })

  test('a report of a lock with such a name is carried into the next view', () => {
    for (const lock of INHERITED) {
      const script = new Script(['a', 'b', 'c'], SOUND)
      script.do('a', { kind: 'renew' })
      script.beat('a', 'b', 'c')
      script.request('b', lock)
      script.do('a', { kind: 'renew' })
      script.beat('a', 'b', 'c')
      expect(script.views).toEqual({ a: 2, b: 2, c: 2 })
      expect(Object.entries(script.node('c').begun?.table ?? {})).toMatchObject([[lock, [{ id: 'b' }]]])
      expect(script.holds('b', lock)).toHaveLength(1)
    }
  })
})

test('a state file with such names is read as it was written', () => {
  fc.assert(
    fc.property(three, (ids) => {
      const [id, mesh, other] = atLeast(3, ids)
      const { record } = get(served(ids, []).of(id, 'begun'), 0)
      const durable = { ...blank(id), accepted: withoutTable(record) }
      const owner = { id, mesh, directory: `/${other}`, fingerprint: other }
      const key = newKey()
      for (const remembers of [false, true])
        expect(readStored(writeState(durable, owner, key, remembers))).toEqual({
          durable,
          owner,
          key,
          remembers,
        })
    }),
    { seed: SEED, numRuns: 20 },
  )
})

test('no algorithm and no setting has such a name', () => {
  for (const text of INHERITED) {
    expect(() => serving(text)).toThrow(InvalidInput)
    expect(() => serving(`ricart-agrawala ${text}=1`)).toThrow(InvalidInput)
  }
})

describe.each<Medium>(['memory', 'tcp'])('real nodes, over %s', (medium) => {
  test('hold, tell and count', async () => {
    const ids = ['__proto__', 'constructor', 'toString']
    const start = starter({ ids, voters: ids, medium, lease: 10_000 })
    const nodes = await Promise.all(ids.map(start))
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'turnwise-')), 'part.jsonl')
    const stop = get(nodes, 0).record('__proto__', file, () => {})
    for (const node of nodes) for (const lock of ids) await node.locks.request(lock, () => {})
    const held = await Promise.all(ids.map((lock, i) => get(nodes, i).locks.acquire(lock)))
    const told = await get(nodes, 1).locks.query()
    expect(told.held?.map((lock) => lock.name).toSorted()).toEqual(ids)
    expect(nodes[0]?.metrics().prefixes.length).toBeGreaterThan(0)
    for (const each of held) each.release()
    await stop()
    await Promise.all(nodes.map((node) => node.leave()))
    expect(readFileSync(file, 'utf8')).toContain('__proto__')
  })
})

test('join looks for its address among the peers that it is given', async () => {
  const options = { id: 'constructor', peers: { a: '127.0.0.1:1' }, stateDir: '/nowhere' }
  expect(await reasonOf(joinNode(options))).toMatchObject({
    message: '"constructor" is not among the peers a',
  })
})
