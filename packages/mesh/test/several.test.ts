/** Several locks at once: all or none, without a deadlock, in every world. */
import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HeldTooLongError, LockStolenError, LockTimeoutError } from '../src/locks/errors.ts'
import type { LockRequest, SeveralOptions } from '../src/locks/several.ts'
import { fresh, hold, inEveryWorld, quiet, reasonOf, stateOf, type World } from './web-locks/worlds.ts'

const nothing = { held: [], pending: [] }

inEveryWorld((world) => {
  test('all are held, each with its fence; what is given twice is there once, exclusive if it is so once', async () => {
    const [a, b] = [fresh(), fresh()]
    const before = await world.at(1).acquire(b)
    before.release()
    const all = await world.at(0).acquire([b, { name: a, mode: 'shared' }, { name: b, mode: 'shared' }])
    expect(all.locks.map(({ name, mode }) => [name, mode])).toEqual([
      [b, 'exclusive'],
      [a, 'shared'],
    ])
    expect(all.get(b).fence).toBeGreaterThan(before.fence)
    expect(() => all.get('c')).toThrow(`"c" is not among the locks "${b}", "${a}"`)
    expect([all.isHeld, all.signal.aborted]).toEqual([true, false])
    const reader = await world.at(2).acquire(a, { mode: 'shared' })
    reader.release()
    all.release()
    all.release()
    expect([all.isHeld, all.signal.aborted]).toEqual([false, false])
    expect(() => all.assertHeld()).toThrow('has been released')
    expect(await world.at(1).request([a, b], (locks) => locks.isHeld)).toBe(true)
    await expectNothing(world, a, b)
  })

  test('the mode of the options is that of those which have none', async () => {
    const [a, b] = [fresh(), fresh()]
    const all = await world.at(0).acquire([a, { name: b, mode: 'exclusive' }], { mode: 'shared' })
    expect([all.get(a).mode, all.get(b).mode]).toEqual(['shared', 'exclusive'])
    await all[Symbol.asyncDispose]()
    expect(all.isHeld).toBe(false)
  })

  test('in whatever order callers write them, nobody waits for ever, and no two are inside one name', async () => {
    const names = Array.from({ length: 5 }, fresh)
    const request = fc.tuple(fc.nat(4), fc.constantFrom('exclusive' as const, 'shared' as const))
    const caller = fc.tuple(fc.nat(2), fc.array(request, { minLength: 1, maxLength: 4 }))
    const callers = fc.array(caller, { minLength: 2, maxLength: 12 })
    const property = fc.asyncProperty(callers, async (all) => {
      const inside = new Map(names.map((name) => [name, { readers: 0, writers: 0 }]))
      const turns = all.map(([node, requests]) => {
        const wanted: LockRequest[] = requests.map(([i, mode]) => ({ name: get(names, i), mode }))
        return world.at(node).request(wanted, async ({ locks }) => {
          for (const { name, mode } of locks) {
            const there = inside.get(name)
            if (there === undefined) throw new Error(`nobody asked for ${name}`)
            if (there.writers > 0 || (mode === 'exclusive' && there.readers > 0))
              throw new Error(`two are inside ${name}`)
            there[mode === 'shared' ? 'readers' : 'writers'] += 1
          }
          await new Promise(setImmediate)
          for (const { name, mode } of locks) {
            const there = inside.get(name)
            if (there !== undefined) there[mode === 'shared' ? 'readers' : 'writers'] -= 1
          }
        })
      })
      await Promise.all(turns)
    })
    await fc.assert(property, { numRuns: 15 })
  })

  test('if one is not to be had at once, none is taken', async () => {
    const [a, b] = [fresh(), fresh()]
    const holder = hold(world.at(0), b)
    await holder.entered
    expect(await world.at(1).acquire([a, b], { ifAvailable: true })).toBeNull()
    expect(await world.at(1).request([b, a], { ifAvailable: true }, (all) => all)).toBeNull()
    await quiet(world)
    expect(await stateOf(world, a)).toEqual(nothing)
    await holder.release()
    const all = await world.at(1).acquire([a, b], { ifAvailable: true })
    all?.release()
    expect(all).not.toBeNull()
  })

  test('who gives up, or waits too long for one, keeps none', async ({ expect }) => {
    const [a, b] = [fresh(), fresh()]
    const holder = hold(world.at(0), b)
    await holder.entered
    const late = await reasonOf(world.at(1).acquire([a, b], { timeout: 50.25 }))
    expect(late).toBeInstanceOf(LockTimeoutError)
    // On a busy machine the time may be over before it has the first.
    expect(String(late)).toMatch(`of "${a}", "${b}"`)
    expect(String(late)).toMatch(/timed out after 50 ms waiting for "[^"]+" of /)
    const giveUp = new AbortController()
    const waiting = reasonOf(world.at(1).request([b, a], { signal: giveUp.signal }, () => 'inside'))
    await expect.poll(async () => (await stateOf(world, b)).pending.length).toBe(1)
    giveUp.abort('enough')
    expect(await waiting).toBe('enough')
    await quiet(world)
    expect(await stateOf(world, a)).toEqual(nothing)
    await holder.release()
    await expectNothing(world, a, b)
  })

  test('if one is lost all are told, and the others stay held until the callback has ended', async ({
    expect,
  }) => {
    const [a, b] = [fresh(), fresh()]
    let end = () => {}
    let signal: AbortSignal | undefined
    const turn = reasonOf(
      world.at(0).request([a, b], async (all) => {
        signal = all.signal
        await new Promise<void>((resolve) => {
          end = resolve
        })
      }),
    )
    await expect.poll(() => signal).toBeDefined()
    const thief = await world.at(1).acquire(b, { steal: true })
    expect(await turn).toBeInstanceOf(LockStolenError)
    expect(signal?.reason).toBeInstanceOf(LockStolenError)
    expect((await stateOf(world, a)).held).toHaveLength(1)
    end()
    thief.release()
    expect(await world.at(2).request([a, b], () => 'next')).toBe('next')
  })

  test('what is lost while another is waited for is asked for again', async ({ expect }) => {
    const [a, b] = [fresh(), fresh()]
    const holder = hold(world.at(0), b)
    await holder.entered
    const waiting = world.at(1).acquire([a, b])
    await expect.poll(async () => (await stateOf(world, b)).pending.length).toBe(1)
    const thief = await world.at(2).acquire(a, { steal: true })
    thief.release()
    await holder.release()
    const all = await waiting
    expect(all.isHeld).toBe(true)
    expect(all.get(a).fence).toBeGreaterThan(thief.fence)
    all.release()
  })

  test('maxHold counts from when all are held, and ends all', async () => {
    const [a, b] = [fresh(), fresh()]
    const reason = await reasonOf(world.at(0).request([a, b], { maxHold: 30 }, () => new Promise(() => {})))
    expect(reason).toBeInstanceOf(HeldTooLongError)
    expect(await world.at(1).request([a, b], () => 'next')).toBe('next')
  })

  test.each([
    ['no name', [], {}, 'expected at least one name, got an empty list'],
    ['a number', [7], {}, 'each of several locks is a name, or an object with a name and a mode: got 7'],
    [
      'an unknown mode',
      [{ name: 'x', mode: 'upgrade' }],
      {},
      'mode "upgrade" is not "exclusive", "shared" or "update"',
    ],
    ['a reserved name', ['x', '-y'], {}, 'the name "-y" begins with "-"'],
    ['steal', ['x', 'y'], { steal: true }, 'steal takes one lock, not a list of them'],
    ['an option of nobody', ['x', 'y'], { timout: 5 }, 'did you mean "timeout"?'],
  ])('%s is refused', async (_, names, options, text) => {
    const reason = await reasonOf(world.at(0).acquire(names as LockRequest[], options as SeveralOptions))
    expect(String(reason)).toContain(text)
  })
})

async function expectNothing(world: World, ...names: readonly string[]): Promise<void> {
  await quiet(world)
  for (const name of names) expect(await stateOf(world, name)).toEqual(nothing)
}
