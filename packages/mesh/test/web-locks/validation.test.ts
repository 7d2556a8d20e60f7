import { describe, expect, test } from 'vitest'
import { join } from '../../src/join.ts'
import { Lock, LockManager } from '../../src/locks/lock-manager.ts'
import { fresh, hold, inEveryWorld, onOneNode, reasonOf, untyped } from './worlds.ts'

const never = () => {
  throw new Error('the callback ran')
}

async function nameOfReason(promise: Promise<unknown>): Promise<string> {
  const reason = await reasonOf(promise)
  return reason instanceof DOMException || reason instanceof Error ? reason.name : String(reason)
}

inEveryWorld((world) => {
  const request = (...given: unknown[]) => untyped(world.at(1)).request(...given)
  const acquire = (...given: unknown[]) => untyped(world.at(1)).acquire(...given)

  describe('rule 1: types come first, and are TypeErrors in a rejected promise', () => {
    test.each([
      ['no argument', []],
      ['a name alone', ['a']],
      ['a callback that is none', ['a', 5]],
      ['options in the place of the callback', ['a', {}]],
      ['a third argument that is no callback', ['a', never, 'callback']],
      ['options that are a number', ['a', 5, never]],
      ['options that are a text', ['a', 'shared', never]],
      ['an unknown mode', ['a', { mode: 'write' }, never]],
      ['a mode that is null', ['a', { mode: null }, never]],
      ['a mode that is a symbol', ['a', { mode: Symbol('shared') }, never]],
      ['a signal that is null', ['a', { signal: null }, never]],
      ['a signal that only looks like one', ['a', { signal: { aborted: false } }, never]],
      ['a signal that is a text', ['a', { signal: 'x' }, never]],
      ['a name that is a symbol', [Symbol('a'), never]],
      ['a timeout that is a text', ['a', { timeout: '5' }, never]],
      ['a timeout before now', ['a', { timeout: -1 }, never]],
      ['half a priority', ['a', { priority: 0.5 }, never]],
    ])('rule 1: %s', async (_, given) => {
      expect(await reasonOf(request(...given))).toBeInstanceOf(TypeError)
    })

    test('rule 1: types win over everything that is wrong with the values', async () => {
      const aborted = AbortSignal.abort()
      for (const given of [
        ['-a', { steal: true, ifAvailable: true, signal: aborted, mode: 'write' }, never],
        ['-a', { steal: true, ifAvailable: true, signal: aborted }, 'callback'],
      ]) {
        expect(await reasonOf(request(...given))).toBeInstanceOf(TypeError)
      }
    })

    test('rule 1: arguments are read from left to right, each once', async () => {
      const order: string[] = []
      const say = (what: string, value: unknown) => () => {
        order.push(what)
        return value
      }
      const options = Object.defineProperties(
        {},
        Object.fromEntries(
          ['steal', 'signal', 'mode', 'ifAvailable'].map((key) => [
            key,
            { get: say(key, undefined), enumerable: true },
          ]),
        ),
      )
      await request({ toString: say('name', fresh()) }, options, () => order.push('callback'))
      expect(order).toEqual(['name', 'ifAvailable', 'mode', 'signal', 'steal', 'callback'])
      const failure = new RangeError('no name')
      const fails = () => {
        throw failure
      }
      expect(await reasonOf(request({ toString: fails }, 5, 5))).toBe(failure)
    })

    test('rule 1: names and modes are texts, whatever they were', async () => {
      for (const [given, name] of [
        [5, '5'],
        [undefined, 'undefined'],
        [null, 'null'],
        [{ toString: () => 'made' }, 'made'],
      ]) {
        expect(await request(given, (lock: Lock) => lock.name)).toBe(name)
      }
      const mode = { toString: () => 'shared' }
      expect(await request(fresh(), { mode }, (lock: Lock) => lock.mode)).toBe('shared')
    })

    test('rule 1: null and undefined are no options, and undefined is no signal', async () => {
      for (const options of [null, undefined, {}, { signal: undefined }, () => {}]) {
        expect(await request(fresh(), options, (lock: Lock) => lock.mode)).toBe('exclusive')
      }
    })

    test('rule 1: another this is no lock manager', async () => {
      const { request: take, acquire: get, query } = LockManager.prototype
      for (const other of [undefined, null, {}, 5, LockManager.prototype]) {
        expect(await reasonOf(Reflect.apply(take, other, ['a', never]))).toBeInstanceOf(TypeError)
        expect(await reasonOf(Reflect.apply(get, other, ['a']))).toBeInstanceOf(TypeError)
        expect(await reasonOf(Reflect.apply(query, other, []))).toBeInstanceOf(TypeError)
      }
    })

    test('rule 1: acquire refuses the same', async () => {
      for (const given of [
        ['a', 5],
        ['a', { mode: 'write' }],
        ['a', { signal: {} }],
        [Symbol('a')],
        ['a', { timeout: Number.NaN }],
      ]) {
        expect(await reasonOf(acquire(...given))).toBeInstanceOf(TypeError)
      }
    })
  })

  test('rule 1: neither Lock nor LockManager can be made', async () => {
    expect(() => Reflect.construct(Lock, [])).toThrow(new TypeError('Illegal constructor'))
    expect(() => Reflect.construct(Lock, [Symbol('key'), {}])).toThrow(TypeError)
    expect(() => Reflect.construct(LockManager, [])).toThrow(new TypeError('Illegal constructor'))
    const lock = await world.at(0).request(fresh(), (given) => given)
    expect(lock).toBeInstanceOf(Lock)
    expect(() => Reflect.set(lock, 'name', 'other')).not.toThrow()
    expect(lock.name).not.toBe('other')
    expect(() => Reflect.get(Lock.prototype, 'mode', {})).toThrow(TypeError)
  })

  describe('rule 3: names', () => {
    test.each(['-', '-a', '--'])('rule 3: "%s" is reserved', async (name) => {
      expect(await nameOfReason(request(name, never))).toBe('NotSupportedError')
      expect(await nameOfReason(acquire(name))).toBe('NotSupportedError')
    })

    test('rule 3: every other name is legal, and each is itself', async () => {
      const names = [
        '',
        'x-y',
        '\0',
        '\uD800',
        '\uDC00',
        '\uFFFD',
        '\uFFFF',
        'a\uD800',
        '\u{1F512}',
        'é',
        'e\u0301',
      ]
      names.push('__proto__', '=', '~=', '#2=a', '^=a', ' ', '\uD800'.repeat(250), 'ß'.repeat(250))
      const holds = names.map((name, i) => hold(world.at(i), name))
      const locks = await Promise.all(holds.map(({ entered }) => entered))
      expect(locks.map(({ name }) => name)).toEqual(names)
      const { held } = await world.at(2).query()
      expect(held.map(({ name }) => name).toSorted()).toEqual(names.toSorted())
      await Promise.all(holds.map((each) => each.release()))
    })

    test('rule 3: a name has at most 250 characters', async () => {
      expect(await nameOfReason(request('n'.repeat(251), never))).toBe('NotSupportedError')
    })
  })

  test.each([
    ['rule 4: steal and ifAvailable', { steal: true, ifAvailable: true }],
    ['rule 5: steal and shared', { steal: true, mode: 'shared' }],
    ['rule 6: signal and steal', { signal: new AbortController().signal, steal: true }],
    ['rule 6: signal and ifAvailable', { signal: new AbortController().signal, ifAvailable: true }],
  ])('%s do not go together', async (_, options) => {
    expect(await nameOfReason(request(fresh(), options, never))).toBe('NotSupportedError')
    expect(await nameOfReason(acquire(fresh(), options))).toBe('NotSupportedError')
  })

  test('rule 7: a signal that is aborted rejects with its reason, and comes last', async () => {
    const reason = { why: 'changed my mind' }
    const signal = AbortSignal.abort(reason)
    expect(await reasonOf(request(fresh(), { signal }, never))).toBe(reason)
    expect(await reasonOf(acquire(fresh(), { signal }))).toBe(reason)
    for (const [name, options] of [
      ['-a', { signal }],
      [fresh(), { signal, steal: true }],
      [fresh(), { signal, ifAvailable: true }],
    ]) {
      expect(await nameOfReason(request(name, options, never))).toBe('NotSupportedError')
    }
    expect(await reasonOf(request(fresh(), { signal: AbortSignal.abort() }, never))).toMatchObject({
      name: 'AbortError',
    })
  })
})

onOneNode(() => {
  test('rule 2: a node that has left is in no state to ask, which comes after the types', async () => {
    const mesh = await join()
    const held = hold(mesh.locks, 'held')
    const waiting = hold(mesh.locks, 'held')
    const lock = await held.entered
    await mesh.leave()
    expect(await nameOfReason(held.settled)).toBe('InvalidStateError')
    expect(await nameOfReason(waiting.settled)).toBe('InvalidStateError')
    expect(waiting.isInside).toBe(false)
    expect(lock.signal.aborted).toBe(true)
    const { request, acquire } = untyped(mesh.locks)
    expect(await nameOfReason(request('a', never))).toBe('InvalidStateError')
    expect(await nameOfReason(acquire('a'))).toBe('InvalidStateError')
    expect(await nameOfReason(mesh.locks.query())).toBe('InvalidStateError')
    expect(await nameOfReason(request('-a', never))).toBe('InvalidStateError')
    expect(await reasonOf(request('a', { mode: 'write' }, never))).toBeInstanceOf(TypeError)
  })

  test('rule 2: a caller that gets its turn because others are turned away at the end never runs', async () => {
    const mesh = await join()
    const reader = hold(mesh.locks, 'a', { mode: 'shared' })
    await reader.entered
    const writer = hold(mesh.locks, 'a')
    const other = hold(mesh.locks, 'a', { mode: 'shared' })
    await mesh.leave()
    for (const { settled } of [reader, writer, other]) {
      expect(await nameOfReason(settled)).toBe('InvalidStateError')
    }
    expect([writer.isInside, other.isInside]).toEqual([false, false])
  })
})
