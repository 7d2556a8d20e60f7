/** Fences: what they are made of, that they rise also from earlier versions on, and what becomes of a view that has counted to its end. */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { get } from '@turnwise/core/bounds'
import { freeAddress } from '@turnwise/fleet/ports'
import * as fc from 'fast-check'
import { parseAst } from 'rolldown/parseAst'
import { describe, expect, onTestFinished, test } from 'vitest'
import { present } from '../../../test/present.ts'
import { SOUND } from '../broken/under.ts'
import { joinNode } from '../src/join.ts'
import {
  epochOfEarlier,
  type Fence,
  fenceNumber,
  grantFence,
  LAST_COUNTER,
  LAST_EPOCH,
  nextTurn,
  TURNS,
} from '../src/protocol/fence.ts'
import { begun } from './rules/proof.ts'
import { Script } from './script.ts'
import { epoch } from './transport/arbitrary-message.ts'

const counter = fc.oneof(fc.nat(LAST_COUNTER), fc.constant(LAST_COUNTER))
const earlierEpoch = fc.oneof(fc.integer({ min: 1, max: 2 ** 23 - 1 }), fc.constant(2 ** 23 - 1))
const earlierCounter = fc.oneof(fc.integer({ min: 0, max: 2 ** 40 - 1 }), fc.constant(2 ** 40 - 1))

/** What was given out when a fence was epoch · 2^40 + counter. */
function earlierFence(epoch: number, counter: number): bigint {
  return BigInt(epoch) * 2n ** 40n + BigInt(counter)
}

test('they do not fall where a mesh begins again without a disk, or meets elsewhere', async () => {
  const root = await mkdtemp(path.join(tmpdir(), 'tw-'))
  onTestFinished(() => rm(root, { recursive: true }))
  const listed = async (stateDir: string) => ({
    id: 'a',
    peers: { a: await freeAddress() },
    stateDir,
    lease: 50,
  })
  const ways = [
    { at: path.join(root, 'locks') },
    {},
    await listed(path.join(root, 'disk')),
    await listed(path.join(root, 'another-disk')),
  ]
  const epochs: bigint[] = []
  for (const way of ways) {
    const mesh = await joinNode(way)
    epochs.push(await mesh.locks.request('L', ({ fence }) => fence >> 27n))
    await mesh.leave()
  }
  // A meeting place begins with the seconds, and may have needed several views.
  const before = BigInt(Math.floor((Date.now() - Date.UTC(2025, 0, 1)) / 1000)) - 60n
  for (const epoch of epochs) expect(epoch).toBeGreaterThan(before)
})

describe('as a number', () => {
  test('local turns lie below the next grant, and end', () => {
    let fence = grantFence(3, 7) as Fence
    for (let turn = 1; turn < TURNS; turn += 1) {
      const next = nextTurn(fence)
      if (next === null) throw new Error('too few turns')
      expect(fenceNumber(next)).toBeGreaterThan(fenceNumber(fence))
      fence = next
    }
    expect(nextTurn(fence)).toBeNull()
    expect(fenceNumber(fence)).toBeLessThan(fenceNumber(grantFence(3, 8) as Fence))
  })

  test('the epoch comes first, then the counter, within 63 bits; both can be read off it', () => {
    fc.assert(
      fc.property(epoch, counter, epoch, counter, (e, c, f, d) => {
        const [one, other] = [fenceNumber({ epoch: e, counter: c }), fenceNumber({ epoch: f, counter: d })]
        expect(one < other).toBe(e < f || (e === f && c < d))
        expect([Number(one >> 27n), Number(one & (2n ** 27n - 1n))]).toEqual([e, c])
        expect(one).toBeLessThan(2n ** 63n)
      }),
    )
    expect(fenceNumber({ epoch: LAST_EPOCH, counter: LAST_COUNTER })).toBe(2n ** 63n - 1n)
  })

  test('what a view cannot count has none, and its last grant has room for every turn', () => {
    const last = grantFence(1, 2 ** 23 - 1) as Fence
    expect(last.counter + TURNS - 1).toBe(LAST_COUNTER)
    expect(grantFence(1, 2 ** 23)).toBeNull()
  })
})

describe('from an earlier version on', () => {
  test('every view has fences above all that were given before', () => {
    fc.assert(
      fc.property(earlierEpoch, earlierCounter, (epoch, counter) => {
        const first = fenceNumber({ epoch: epochOfEarlier(epoch) + 1, counter: 0 })
        expect(first).toBeGreaterThan(earlierFence(epoch, counter))
      }),
    )
  })

  test('by one epoch and no more: the last one of before would not be enough', () => {
    fc.assert(
      fc.property(earlierEpoch, (epoch) => {
        const same = fenceNumber({ epoch: epochOfEarlier(epoch), counter: 0 })
        expect(same).toBeLessThan(earlierFence(epoch, 2 ** 40 - 1))
      }),
    )
  })

  test('epochs keep their order, none stays none, and the last is the last', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 23 - 1), fc.nat(2 ** 23 - 1), (one, other) => {
        expect(Math.sign(epochOfEarlier(one) - epochOfEarlier(other))).toBe(Math.sign(one - other))
      }),
    )
    expect(epochOfEarlier(0)).toBe(0)
    expect(epochOfEarlier(2 ** 23 - 1)).toBe(LAST_EPOCH)
    // What docs/operate.md says of an order of a first view begins there.
    expect(epochOfEarlier(4_194_303)).toBe(34_359_738_368 - 1)
  })

  /** Disks of three voters that have begun some views, as the last version left them; their fences were of the earlier layout. */
  function upgraded(together: boolean): void {
    const ids = ['a', 'b', 'c']
    const script = begun(ids)
    for (const id of ['b', 'a', 'c']) {
      script.do(id, { kind: 'renew' })
      script.pass(20)
    }
    const last = Math.max(...Object.values(script.views).map((view) => view ?? 0))
    expect(last).toBeGreaterThan(2)
    for (const id of ids) {
      const { promised, accepted, ...rest } = script.disk(id)
      script.disks[id] = {
        ...rest,
        promised: { ...promised, epoch: epochOfEarlier(promised.epoch) },
        accepted: accepted && { ...accepted, epoch: epochOfEarlier(accepted.epoch) },
      }
    }
    // Nodes of two versions do not hear each other: one of the three is not there for a while, or all come at once.
    script.kill('c')
    for (const id of together ? ids : ['a', 'b']) script.restart(id)
    script.pass(60)
    if (!together) script.restart('c')
    script.pass(60)
    expect(script.twoHolders).toBeNull()
    for (const id of ids) {
      script.request(id, `of ${id}`)
      script.pass(10)
      const { fence } = get(script.grants(`of ${id}`), 0)
      expect(fenceNumber(fence)).toBeGreaterThan(earlierFence(last, 2 ** 40 - 1))
    }
  }

  test('a mesh that was stopped, and began again with this version', () => upgraded(true))
  test('a mesh whose nodes got this version one after another', () => upgraded(false))
})

describe('a view that has counted to its end', () => {
  /** Its numbers grow by so much that a view counts to 419 of them, or to half of that for two nodes. */
  const algorithm = 'ricart-agrawala steps=10000'

  test('another one follows; nobody is let in without a fence, and nobody is forgotten', () => {
    const settings = { algorithm, lease: 100, drift: 0 }
    const script = new Script(['a', 'b'], SOUND, { settings })
    script.do('a', { kind: 'renew' })
    script.beat('a', 'b')
    for (let turn = 0; turn < 1000; turn += 1) {
      const id = present('ab'[turn % 2])
      script.request(id, 'L', `${turn}`)
      // What waits for a view waits for no more than that.
      for (let i = 0; script.holds(id, 'L').length === 0 && i < 40; i += 1) script.pass(1)
      expect(script.holds(id, 'L')).toHaveLength(1)
      script.release(id, 'L', `${turn}`)
      script.pass(1)
    }
    const fences = script.grants('L').map(({ fence }) => fenceNumber(fence))
    expect(fences).toHaveLength(1000)
    expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(new Set(fences).size).toBe(1000)
    expect(script.views['a']).toBeGreaterThan(2)
    for (const id of ['a', 'b']) expect(script.of(id, 'contradiction')).toEqual([])
  })

  test('it is asked for at half of the way, so nobody waits for it', async () => {
    const mesh = await joinNode({ algorithm })
    const first = mesh.status.epoch as number
    const fences: bigint[] = []
    for (let turn = 0; turn < 1000; turn += 1) {
      const held = await mesh.locks.acquire('L')
      fences.push(held.fence)
      held.release()
    }
    expect(fences).toEqual(fences.toSorted((a, b) => (a < b ? -1 : 1)))
    expect(Math.max(...fences.map((fence) => Number(fence & (2n ** 27n - 1n))))).toBeLessThan(
      2 ** 26 + 2 ** 20,
    )
    expect(mesh.status.epoch).toBeGreaterThan(first)
    await mesh.leave()
  })

  test('once, though readers still come in with one that has its fence from the end of the last view', async () => {
    const mesh = await joinNode({ algorithm })
    const first = mesh.status.epoch
    const counterOf = (fence: bigint) => fence & (2n ** 27n - 1n)
    let held = await mesh.locks.acquire('L', { mode: 'shared' })
    while (counterOf(held.fence) < 2n ** 26n) {
      held.release()
      held = await mesh.locks.acquire('L', { mode: 'shared' })
    }
    while (mesh.status.epoch === first) await mesh.pause()
    // It was let in with one of the last counters, and was carried into the next view.
    const { epoch: second } = mesh.status
    const readers = await Promise.all(
      Array.from({ length: 50 }, () => mesh.locks.acquire('L', { mode: 'shared' })),
    )
    for (const { fence } of readers) expect(fence).toBe(held.fence)
    expect(mesh.status.epoch).toBe(second)
    await mesh.leave()
  })
})

/** They cut numbers to 32 bits without a word. */
test('bitwise operators are where bytes are, and touch no epoch', () => {
  const root = fileURLToPath(new URL('../src/', import.meta.url))
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => bitwise(readFileSync(`${root}${file}`, 'utf8')).map((text) => `${file}: ${text}`))
  expect(found.length).toBeGreaterThan(20)
  const suspects = found.filter(
    // The modes of files are bits too, and so is a digest.
    (text) =>
      !/^(transport\/|register\/(local-directory|protobuf)|disk\/shared-disk|lease\/stamp-file|protocol\/audit\.ts)/.test(
        text,
      ) || /epoch|promised|accepted|begun/i.test(text),
  )
  expect(suspects).toEqual(['protocol/fence.ts: BigInt(epoch) << BigInt(COUNTER_BITS)'])
})

const BITWISE = ['&', '|', '^', '<<', '>>', '>>>'].flatMap((sign) => [sign, `${sign}=`])

/** Every expression with a bitwise operator. The compiler would parse them as well, in four times the time. */
function bitwise(text: string): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    const { type, operator, start, end } = node as Record<'type' | 'operator', string> &
      Record<'start' | 'end', number>
    const isNot = type === 'UnaryExpression' && operator === '~'
    const hasTwoSides = type === 'BinaryExpression' || type === 'AssignmentExpression'
    if (isNot || (hasTwoSides && BITWISE.includes(operator))) found.push(text.slice(start, end))
    Object.values(node).forEach(visit)
  }
  visit(parseAst(text, { lang: 'ts' }))
  return found
}
