import { Packr } from 'msgpackr/pack'
import { describe, expect, test } from 'vitest'
import { SOUND } from '../broken/under.ts'
import { readAnswer, readQuestion } from '../src/daemon/read-control-messages.ts'
import type { Wait } from '../src/locks/on-wait.ts'
import { createCodec } from '../src/transport/codec.ts'
import '../check/texts.ts'
import { Script } from './script.ts'
import { fresh, inEveryWorld, quiet, stateOf } from './web-locks/worlds.ts'

/** Of one who says nothing. */
const ABOUT = { id: 1, asked: 1, info: null, holders: [] }

inEveryWorld((world) => {
  const clientOf = (node: number) => world.site(node).id

  const last = () => world.site(world.nodes.length - 1)

  test('query() tells what callers say of themselves, and for how long they hold and wait', async () => {
    const name = fresh()
    const holder = await world.at(0).acquire(name, { info: { job: 4711 } })
    const waits = world.at(1).request(name, { info: 'nightly ü' }, () => {})
    const silent = world.at(2).request(name, () => {})
    await quiet(world)
    const { held, pending } = await stateOf(world, name, 2)
    expect(held).toEqual([{ name, mode: 'exclusive', clientId: clientOf(0), info: { job: 4711 } }])
    expect(pending).toHaveLength(2)
    expect(pending).toContainEqual({
      name,
      mode: 'exclusive',
      clientId: clientOf(1),
      info: 'nightly ü',
    })
    for (const { age } of [...held, ...pending]) expect(age).toBeGreaterThanOrEqual(0)
    expect(pending.filter((each) => 'info' in each)).toHaveLength(1)
    holder.release()
    await Promise.all([waits, silent])
  })

  test.each([[null], [0], [false], [''], [[1, 'a']], [{ deep: { er: [] } }]])(
    '%j is told as it is',
    async (info) => {
      const name = fresh()
      const holder = await world.at(1).acquire(name, { info })
      expect((await stateOf(world, name)).held[0]?.info).toEqual(info)
      holder.release()
    },
  )

  test('several locks tell it for each name', async () => {
    const names = [fresh(), fresh()]
    const both = await world.at(0).acquire(names, { info: 'transfer' })
    for (const name of names) expect((await stateOf(world, name, 1)).held[0]?.info).toBe('transfer')
    both.release()
  })

  test('a leader tells it to those who ask who leads', async () => {
    const name = fresh()
    const lead = await world.site(0).election(name).campaign({ info: 'eu-1' })
    const { fence } = lead
    expect(await last().election(name).leader()).toEqual({ id: clientOf(0), fence, info: 'eu-1' })
    lead.release()
  })

  test('onWait tells it of who is inside', async () => {
    const name = fresh()
    const permit = await world
      .site(0)
      .semaphore(name, 1)
      .acquire({ info: [7] })
    let hear: (wait: Wait) => void = () => {}
    const told = new Promise<Wait>((resolve) => {
      hear = resolve
    })
    const next = last()
      .semaphore(name, 1)
      .acquire({ onWait: { after: 5, tell: (wait) => hear(wait) } })
    expect((await told).holders).toMatchObject([{ info: [7] }])
    permit.release()
    ;(await next).release()
  })

  const circle: unknown[] = []
  circle.push(circle)
  test.each([
    ['too long', 'x'.repeat(1023), 'info has 1025 bytes as JSON, at most 1024 are allowed'],
    ['too long in UTF-8', 'ü'.repeat(512), 'info has 1026 bytes as JSON, at most 1024 are allowed'],
    ['a function', () => {}, 'info is a function, which JSON cannot carry'],
    ['a symbol', Symbol('x'), 'info is a symbol, which JSON cannot carry'],
    ['a bigint', 1n, 'info cannot be written as JSON: '],
    ['a circle', circle, 'info cannot be written as JSON: '],
  ])('%s is refused with one line', async (_, info, line) => {
    const error = await world
      .at(0)
      .request(fresh(), { info }, () => {})
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect((error as Error).message).toContain(line)
    expect((error as Error).message).not.toContain('\n')
  })

  test('as much as is allowed is not', async () => {
    await world.at(0).request(fresh(), { info: 'x'.repeat(1022) }, () => {})
  })
})

describe('what comes from others is bounded', () => {
  const codec = createCodec({ algorithm: 'suzuki-kasami', nodes: 3 })
  const packr = new Packr({ useRecords: false })
  const telling = (about: unknown) => ({
    type: 'link',
    epoch: 1,
    seq: 1,
    payload: {
      kind: 'tell',
      ticket: 1,
      more: false,
      names: [{ name: 'L', held: [], pending: [{ mode: 'shared', age: 1, about }] }],
    },
  })

  test.each<[object | number, string]>([
    [{ info: JSON.stringify('x'.repeat(1023)) }, 'a text of 1025 bytes is longer than 1024'],
    [{ info: '{' }, 'is not JSON'],
    [{ info: 7 }, 'is not a text'],
    [{ info: '1', more: 1 }, 'fields'],
    [{ holders: Array.from({ length: 17 }, () => 'x') }, 'a list of 17 is longer than 16'],
    [{ holders: ['x'.repeat(301)] }, 'is not a text of 1 to 300 characters'],
    [7, 'is not an object'],
  ])('a peer that tells %j is cut off', (about, complaint) => {
    const told = typeof about === 'object' ? { ...ABOUT, ...about } : about
    expect(() => codec.decode(packr.pack(telling(told)))).toThrow(complaint)
  })

  test('and what is allowed passes', () => {
    const message = telling({ ...ABOUT, info: JSON.stringify('x'.repeat(1022)) })
    expect(codec.decode(packr.pack(message))).toEqual(message)
  })

  test('so it is over the control socket', () => {
    const wanted = { what: 'lock', name: 'L', mode: 'shared', permits: 1, algorithm: null, how: 'wait' }
    const rest = { timeout: null, priority: 0, waitForQuorum: false, holders: [] }
    const line = (info: string) => JSON.stringify({ kind: 'acquire', ticket: 1, ...wanted, ...rest, info })
    expect(() => readQuestion(line('"'.padEnd(1024, 'x').concat('"')))).toThrow('longer than 1024')
    expect(() => readQuestion(line('"'.padEnd(1023, 'x').concat('"')))).not.toThrow()
    const pending = [{ mode: 'shared', age: 1, about: { ...ABOUT, info: '}' } }]
    const nodes = [{ id: 'a', names: [{ name: 'L', held: [], pending }] }]
    expect(() => readAnswer(JSON.stringify({ kind: 'survey', ticket: 1, nodes, ahead: null }))).toThrow(
      'is not JSON',
    )
  })
})

test('long infos take the room of callers, so that a message stays short', () => {
  const script = new Script(['a', 'b'], SOUND)
  script.do('a', { kind: 'renew' })
  script.beat('a', 'b')
  const info = JSON.stringify('x'.repeat(1022))
  for (let i = 0; i < 100; i += 1) {
    const caller = { caller: i, mode: 'exclusive', priority: 0, steals: false } as const
    script.do('a', { kind: 'request', name: 'L', ...caller, about: { ...ABOUT, info } })
  }
  script.do('a', { kind: 'answer', to: 'b', ticket: 7, name: null, epoch: 1, inLine: [] })
  const pieces = script
    .of('b', 'told')
    .map(({ names }) => names.flatMap(({ held, pending }) => [...held, ...pending]))
  expect(pieces.length).toBeGreaterThan(3)
  for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(30)
  expect(pieces.flat().map(({ about }) => about?.info)).toEqual(Array.from({ length: 100 }, () => info))
})
