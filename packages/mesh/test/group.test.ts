import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atLeast, present } from '../../../test/present.ts'
import { SOUND } from '../broken/under.ts'
import type { HeldGroup } from '../src/locks/group.ts'
import type { Wait } from '../src/locks/on-wait.ts'
import type { Message } from '../src/protocol/messages.ts'
import { groupKey, kindOf, nameOf, namesIn, resourcesIn, seatsOf } from '../src/protocol/names.ts'
import { createCodec } from '../src/transport/codec.ts'
import { meshes, STEADY, starter } from './meshes.ts'
import { Script } from './script.ts'
import { fresh, inEveryWorld, reasonOf } from './web-locks/worlds.ts'

const NAMES = ['west', 'east', 'north', 'south']

inEveryWorld((world) => {
  const at = (node: number, name: string) => world.site(node).group(name, NAMES)

  test('callers that want different names are inside together, also at one node', async () => {
    const name = fresh()
    const held = await Promise.all([
      at(0, name).acquire(['east']),
      at(0, name).acquire(['west', 'north']),
      at(1, name).acquire(['south']),
    ])
    expect(held.map(({ names }) => names)).toEqual([['east'], ['north', 'west'], ['south']])
    expect(held.every(({ isHeld }) => isHeld)).toBe(true)
    expect(held.map((each) => each.name)).toEqual([name, name, name])
    for (const each of held) each.release()
    expect(held.some(({ isHeld }) => isHeld)).toBe(false)
  })

  test('callers that want a common name take turns, and its fence rises', async () => {
    const name = fresh()
    const inside = new Set<string>()
    const last = new Map<string, bigint>()
    const wishes = Array.from({ length: 24 }, (_, i) => NAMES.filter((_, j) => ((i % 15) + 1) & (1 << j)))
    await Promise.all(
      wishes.map((wanted, i) =>
        at(i, name).request(wanted, async ({ names, fence }) => {
          for (const each of names) {
            expect(inside.has(each), `two hold ${each}`).toBe(false)
            inside.add(each)
            expect(fence).toBeGreaterThan(last.get(each) ?? -1n)
            last.set(each, fence)
          }
          await new Promise(setImmediate)
          for (const each of names) inside.delete(each)
        }),
      ),
    )
    expect(last.size).toBe(4)
  })

  test('a caller that gives up keeps nobody out', async () => {
    const name = fresh()
    const held = await at(0, name).acquire(['east', 'west'])
    expect(await reasonOf(at(1, name).acquire(['west', 'south'], { timeout: 20 }))).toMatchObject({
      code: 'LOCK_TIMEOUT',
    })
    const controller = new AbortController()
    const aborted = at(2, name).acquire(['south', 'east'], { signal: controller.signal })
    controller.abort('enough')
    expect(await reasonOf(aborted)).toBe('enough')
    held.release()
    using next = await at(0, name).acquire(NAMES, { timeout: 20_000 })
    expect(next.names).toEqual(NAMES.toSorted())
  })

  test('maxHold ends a stay, and a failing callback gives its names back', async () => {
    const name = fresh()
    const stays = at(1, name).request(['east'], { maxHold: 5 }, () => new Promise(() => {}))
    expect(await reasonOf(stays)).toMatchObject({ code: 'HELD_TOO_LONG' })
    const failure = new Error('work failed')
    expect(await reasonOf(at(1, name).request(['east'], () => Promise.reject(failure)))).toBe(failure)
    expect(await at(2, name).request(['east'], { timeout: 20_000 }, () => 'next')).toBe('next')
  })

  test('a caller that waits long is told who has its names, and how many want them', async () => {
    const name = fresh()
    const held = [
      await at(0, name).acquire(['east', 'north'], { info: { job: 7 } }),
      await at(1, name).acquire(['west']),
    ]
    const waits = [at(0, name).acquire(['west']), at(1, name).acquire(['north', 'east'])]
    let end: (wait: Wait) => void = () => {}
    const told = new Promise<Wait>((resolve) => {
      end = resolve
    })
    const tell = (wait: Wait) => wait.waiting === 2 && end(wait)
    waits.push(at(2, name).acquire(['south', 'east'], { onWait: { after: 1, tell } }))
    const { holders, ahead } = await told
    expect(holders).toMatchObject([
      { mode: 'exclusive', names: ['east', 'north'], fence: get(held, 0).fence, info: { job: 7 } },
    ])
    expect(ahead).toBeNull()
    for (const each of held) each.release()
    // They come in as they registered, which need not be the order in which they asked.
    await Promise.all(waits.map(async (each) => (await each).release()))
  })

  test('another list of names, and locks of the same name, are something else', async () => {
    const name = fresh()
    const node = world.site(0)
    const all = [
      await at(0, name).acquire(NAMES),
      await node.group(name, ['east', 'west']).acquire(['east', 'west']),
      await node.locks.acquire(name),
      await node.locks.acquire('east'),
      await node.semaphore(name, 1).acquire(),
    ]
    for (const each of all) each.release()
  })

  test('names may have any characters', async () => {
    const odd = ['a,b', 'a', 'b', '=', '~', '100%', 'Ä/語', '\ud800', '']
    const some = world.site(0).group(`${fresh()} = ~ &`, odd)
    for (const each of [
      ['\ud800', '='],
      ['a,b', ''],
      ['a', 'b', '~'],
    ]) {
      expect(await some.request(each, ({ names }) => new Set(names))).toEqual(new Set(each))
    }
  })

  test('bad input is refused in one line', async () => {
    const node = world.site(0)
    const make = (names: unknown) => () => node.group('stock', names as string[])
    expect(make(['a'])).toThrow('a group has 2 to 64 names, not 1')
    expect(make(Array.from({ length: 65 }, String))).toThrow('a group has 2 to 64 names, not 65')
    expect(make(['a', 'b', 'a'])).toThrow('"a" is twice among the names of the group "stock"')
    expect(make('ab')).toThrow('expected a list of names, got "ab"')
    expect(make(['a', 5])).toThrow('a name of a group is a text, not 5')
    expect(make(['a', undefined])).toThrow('a name of a group is a text, not nothing')
    expect(make(Array.from({ length: 64 }, (_, i) => `${i}`.padEnd(20)))).toThrow('at most 1024 characters')
    const stock = at(0, 'stock')
    const reasons = [
      [['up'], undefined, '"up" is not a name of the group "stock": its names are east, north, south, west'],
      [[], undefined, 'expected at least one name, got an empty list'],
      ['east', undefined, 'expected a list of names, got "east"'],
      [['east', undefined], undefined, 'a name of a group is a text, not nothing'],
      [Array.from({ length: 2 }), undefined, 'a name of a group is a text, not nothing'],
      [['east'], { steal: true }, 'a group takes no steal: its options are signal, timeout, maxHold'],
      [['east'], { ifAvailable: true }, 'a group takes no ifAvailable'],
      [['east'], { mode: 'shared' }, 'a group takes no mode'],
      [['east'], { timout: 5 }, 'did you mean "timeout"?'],
    ] as const
    for (const [wanted, options, why] of reasons)
      await expect(stock.acquire(wanted as unknown as string[], options as object)).rejects.toThrow(why)
    expect(await reasonOf(stock.acquire(['east'], { steal: true } as object))).toMatchObject({
      name: 'NotSupportedError',
    })
    expect(await reasonOf(stock.request(['east'], 5 as never))).toBeInstanceOf(TypeError)
    expect(await reasonOf(node.group('-a', NAMES).acquire(NAMES))).toMatchObject({
      name: 'NotSupportedError',
    })
  })
})

describe.concurrent('a view changes', () => {
  test('holders keep their names, and nobody else gets them', async () => {
    const start = starter({ ids: ['a', 'b', 'c', 'd'], voters: ['a', 'b', 'c'], lease: STEADY })
    const [a, b, c] = atLeast(3, await Promise.all(['a', 'b', 'c'].map(start)))
    const at = (node: typeof a) => node.group('stock', NAMES)
    const held: HeldGroup[] = [
      await at(a).acquire(['east', 'north']),
      await at(b).acquire(['west']),
      await at(a).acquire(['south']),
    ]
    const d = await start('d')
    const waits = at(d).acquire(['north', 'west'])
    await c.leave()
    while (a.status.members.includes('c')) await a.pause()
    expect(held.every(({ isHeld }) => isHeld)).toBe(true)
    get(held, 0).release()
    expect(await reasonOf(at(b).acquire(['south'], { timeout: 1 }))).toMatchObject({ code: 'LOCK_TIMEOUT' })
    get(held, 1).release()
    const next = await waits
    expect(next.fence).toBeGreaterThan(get(held, 0).fence)
    expect(held[2]?.isHeld).toBe(true)
    for (const each of [next, get(held, 2)]) each.release()
    await at(b).request(NAMES, () => {})
    await Promise.all([a, b, d].map((node) => node.leave()))
  })

  test('metrics and the answers of members tell of it', async ({ expect }) => {
    const [a, b] = await meshes(2)
    const held = await a.group('stock', NAMES).acquire(['east', 'west'], { info: { job: 7 } })
    const waits = b.group('stock', NAMES).acquire(['west'])
    await expect.poll(async () => (await b.survey()).flatMap(({ names }) => names)).toHaveLength(2)
    const told = (await b.survey()).flatMap(({ names }) => names)
    expect(new Set(told.map(({ name }) => name))).toEqual(new Set([groupKey('stock', NAMES)]))
    expect(told.flatMap((each) => each.held.map(({ resources }) => resources))).toEqual([[0, 3]])
    expect(told.flatMap((each) => each.pending.map(({ resources }) => resources))).toEqual([[3]])
    expect(a.metrics().prefixes).toMatchObject([{ kind: 'group', prefix: 'stock' }])
    expect(await a.locks.query()).toEqual({ held: [], pending: [] })
    held.release()
    ;(await waits).release()
    await Promise.all([a, b].map((node) => node.leave()))
  })
})

describe('keys', () => {
  const names = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 8 }), { minLength: 2, maxLength: 9 })

  test('a key has the name and the names, whatever they are', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), names, (name, all) => {
      const key = groupKey(name, all)
      expect([kindOf(key), nameOf(key)]).toEqual(['group', name])
      expect(namesIn(key)).toEqual(all.toSorted())
      expect(groupKey(name, all.toReversed())).toBe(key)
      expect([resourcesIn(key), seatsOf(key)]).toEqual([all.length, Math.min(all.length, 8)])
      expect(/\p{Surrogate}/u.test(key)).toBe(false)
    })
    fc.assert(property, { seed: Number(process.env['PROPERTY_SEED'] ?? 1981), numRuns: 200 })
  })
})

describe('reports and tables', () => {
  const KEY = groupKey('stock', ['a', 'b', 'c'])
  const fence = { epoch: 1, counter: 16 }

  /** Three in one view. */
  function threeNodes(): Script {
    const script = new Script(['a', 'b', 'c'], SOUND)
    script.do('a', { kind: 'renew' })
    script.beat('a', 'b', 'c')
    return script
  }

  function ask(script: Script, id: string, caller: string, resources: readonly number[]): void {
    const how = { mode: 'exclusive', priority: 0, steals: false } as const
    script.do(id, { kind: 'request', name: KEY, caller, ...how, resources })
  }

  test('callers that give up use one seat, so others of their node get the names that are free', () => {
    const script = threeNodes()
    ask(script, 'a', 'holder', [0])
    for (let i = 0; i < 2 * seatsOf(KEY); i += 1) {
      ask(script, 'b', `hasty ${i}`, [0])
      script.do('b', { kind: 'cancel', name: KEY, caller: `hasty ${i}` })
    }
    ask(script, 'b', 'next', [0])
    ask(script, 'b', 'other', [1])
    const granted = () => script.grants(KEY).map(({ caller }) => caller)
    expect(granted()).toEqual(['holder', 'other'])
    script.release('a', KEY, 'holder')
    expect(granted()).toEqual(['holder', 'other', 'next'])
    expect(script.twoHolders).toBeNull()
  })

  /** a and b hold different names. */
  function twoHolders(): Script {
    const script = threeNodes()
    ask(script, 'a', 'a', [0, 2])
    ask(script, 'b', 'b', [1])
    expect(script.grants(KEY).map(({ id }) => id)).toEqual(['a', 'b'])
    return script
  }

  test('the table says who holds which', () => {
    const script = twoHolders()
    script.do('c', { kind: 'renew' })
    script.beat('a', 'b', 'c')
    expect(script.views).toEqual({ a: 2, b: 2, c: 2 })
    const told = present(script.node('c').begun?.table[KEY]).map(({ id, resources }) => [id, resources])
    expect(told).toEqual([
      ['a', [0, 2]],
      ['b', [1]],
    ])
    expect(script.twoHolders).toBeNull()
  })

  test('nodes that claim the same name are left out', () => {
    const script = twoHolders()
    script.passes = (from, _, { type }) => from !== 'b' || type !== 'promise'
    script.do('c', { kind: 'renew' })
    const told = script.sent.findLast(({ from, message }) => from === 'b' && message.type === 'promise')
    const holds = { [KEY]: [{ seat: 0, mode: 'exclusive', fence, resources: [1, 2] }] } as const
    script.do('c', { kind: 'receive', from: 'b', message: { ...told?.message, holds } as Message })
    expect(script.of('c', 'contradiction')).toMatchObject([{ what: `a and b both claim ${KEY}` }])
    expect(script.node('c').proposal?.record?.members.map(({ id }) => id)).toEqual(['c'])
  })

  test.each<[string, object]>([
    ['no names', {}],
    ['an empty list', { resources: [] }],
    ['a name twice', { resources: [1, 1] }],
    ['a name that is not there', { resources: [3] }],
    ['no seat of a group', { resources: [1], seat: 3 }],
    ['another mode', { resources: [1], mode: 'shared' }],
  ])('a claim with %s is refused', (_, wrong) => {
    const codec = createCodec({ algorithm: 'token-queue', nodes: 8 })
    const report = (key: string, claim: object) =>
      ({
        type: 'report',
        epoch: 2,
        session: 'a',
        address: '',
        begun: 1,
        holds: { [key]: [claim] },
      }) as Message
    const right = { seat: 0, mode: 'exclusive', fence, resources: [0, 2] }
    const { resources: _numbers, ...bare } = right
    expect(codec.decode(codec.encode(report(KEY, right)))).toEqual(report(KEY, right))
    const claim = Object.keys(wrong).length === 0 ? bare : { ...right, ...wrong }
    expect(() => codec.decode(codec.encode(report(KEY, claim)))).toThrow(/does not fit|twice/)
    expect(() => codec.decode(codec.encode(report('=L', right)))).toThrow('does not fit')
  })

  test.each([`&a=G`, `&${Array.from({ length: 65 }, String).join()}=G`])('there is no group %s', (key) => {
    const codec = createCodec({ algorithm: 'token-queue', nodes: 8 })
    const message: Message = {
      type: 'report',
      epoch: 2,
      session: 'a',
      address: '',
      begun: 1,
      holds: { [key]: [] },
    }
    expect(() => codec.decode(codec.encode(message))).toThrow('there is no such semaphore or group')
    const payload = {
      kind: 'lock',
      name: key,
      from: 0,
      to: 0,
      message: { type: 'tokens', resources: [0] },
    } as const
    expect(() => codec.decode(codec.encode({ type: 'link', epoch: 1, seq: 1, payload }))).toThrow(
      'no such seat',
    )
  })
})
