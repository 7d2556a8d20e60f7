import { describe, expect, test } from 'vitest'
import { LockStolenError, LockTimeoutError } from '../../src/locks/errors.ts'
import { fresh, hold, inEveryWorld, quiet, reasonOf, stateOf } from './worlds.ts'

inEveryWorld((world) => {
  test('rule 15: a caller that gives up leaves the line, with the reason of its signal', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    const controller = new AbortController()
    const gone = hold(world.at(1), name, { signal: controller.signal })
    const next = hold(world.at(2), name)
    await quiet(world)
    const reason = { why: 'tired' }
    controller.abort(reason)
    expect(await reasonOf(gone.settled)).toBe(reason)
    expect((await stateOf(world, name, 1)).pending).toHaveLength(1)
    await holder.release()
    await next.entered
    await next.release()
    await quiet(world)
    expect(gone.isInside).toBe(false)
    expect((await stateOf(world, name)).held).toEqual([])
  })

  test('rule 15: without a reason it is an AbortError, and after AbortSignal.timeout a TimeoutError', async () => {
    const name = fresh()
    const holder = hold(world.at(1), name)
    await holder.entered
    const controller = new AbortController()
    const aborted = hold(world.at(0), name, { signal: controller.signal })
    controller.abort()
    expect(await reasonOf(aborted.settled)).toMatchObject({ name: 'AbortError' })
    const late = await reasonOf(hold(world.at(2), name, { signal: AbortSignal.timeout(1) }).settled)
    expect(late).toMatchObject({ name: 'TimeoutError' })
    expect(late).toBeInstanceOf(DOMException)
    await holder.release()
  })

  test('rule 15: one signal ends all waits that have it, and no other', async () => {
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    const { signal, abort } = withAbort()
    const gone = [0, 1, 2].map((node) => hold(world.at(node), name, { signal }))
    const stays = hold(world.at(1), name)
    await quiet(world)
    abort('enough')
    expect(await Promise.all(gone.map(({ settled }) => reasonOf(settled)))).toEqual([
      'enough',
      'enough',
      'enough',
    ])
    await holder.release()
    await stays.entered
    await stays.release()
    expect(gone.some(({ isInside }) => isInside)).toBe(false)
  })

  test('rule 16: an abort right after the request wins, free or not', async () => {
    const name = fresh()
    for (const node of [0, 1, 2]) {
      const { signal, abort } = withAbort()
      const each = hold(world.at(node), name, { signal })
      abort('at once')
      expect(await reasonOf(each.settled)).toBe('at once')
      await quiet(world)
      expect(each.isInside).toBe(false)
    }
    expect(await stateOf(world, name)).toEqual({ held: [], pending: [] })
    expect(await world.at(1).request(name, { ifAvailable: true }, (lock) => lock !== null)).toBe(true)
  })

  test('rule 16: so it does for acquire', async () => {
    const name = fresh()
    const { signal, abort } = withAbort()
    const acquired = world.at(1).acquire(name, { signal })
    abort('at once')
    expect(await reasonOf(acquired)).toBe('at once')
    expect(await world.at(1).request(name, () => 'free')).toBe('free')
  })

  test('rule 17: aborted between grant and callback: released, and the callback does not run', async () => {
    const name = fresh()
    const { signal, abort } = withAbort()
    const holder = await world.at(1).acquire(name)
    const second = hold(world.at(1), name, { signal })
    await quiet(world)
    // Nobody else wants it, so the release is the grant to the second, whose callback has not run yet.
    holder.release()
    abort('now')
    expect(await reasonOf(second.settled)).toBe('now')
    const third = hold(world.at(2), name)
    await third.entered
    await third.release()
    expect(second.isInside).toBe(false)
  })

  test('rule 18: once the callback runs the signal is ignored', async () => {
    const name = fresh()
    const { signal, abort } = withAbort()
    const holder = hold(world.at(1), name, { signal })
    const lock = await holder.entered
    abort('too late')
    await quiet(world)
    expect((await stateOf(world, name)).held).toHaveLength(1)
    expect(lock.signal.aborted).toBe(false)
    expect(await holder.release('done')).toBe('done')
  })

  test('rule 18: no listener stays behind', async () => {
    const { signal } = withAbort()
    const listeners = new Set<unknown>()
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners.add(given[1])
      addEventListener.apply(signal, given)
    }
    signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners.delete(given[1])
      removeEventListener.apply(signal, given)
    }
    const name = fresh()
    const holder = hold(world.at(0), name)
    await holder.entered
    const second = hold(world.at(1), name, { signal })
    await quiet(world)
    expect(listeners.size).toBe(1)
    await holder.release()
    await second.entered
    expect(listeners.size).toBe(0)
    await second.release()
  })

  describe('traps', () => {
    test('trap (a): a writer that gives up blocks no reader behind it', async () => {
      const name = fresh()
      const reader = hold(world.at(0), name, { mode: 'shared' })
      await reader.entered
      const { signal, abort } = withAbort()
      const writer = hold(world.at(1), name, { signal })
      await quiet(world)
      const behind = [1, 2].map((node) => hold(world.at(node), name, { mode: 'shared' }))
      await quiet(world)
      expect(behind.some(({ isInside }) => isInside)).toBe(false)
      abort('no more')
      expect(await reasonOf(writer.settled)).toBe('no more')
      // Across nodes too: the first reader is still inside.
      await Promise.all(behind.map(({ entered }) => entered))
      expect((await stateOf(world, name)).held).toHaveLength(3)
      expect(await stateOf(world, name)).toMatchObject({ pending: [] })
      await Promise.all([reader, ...behind].map((each) => each.release()))
      expect(writer.isInside).toBe(false)
    })

    test('trap (b): a callback that throws at once has released', async () => {
      const name = fresh()
      const failure = new Error('at once')
      const failing = world.at(1).request(name, () => {
        throw failure
      })
      expect(await reasonOf(failing)).toBe(failure)
      expect(await stateOf(world, name, 1)).toEqual({ held: [], pending: [] })
      expect(await world.at(2).request(name, () => 'next')).toBe('next')
    })

    test('trap (c): an aborted signal is looked at after everything else', async () => {
      const signal = AbortSignal.abort('aborted')
      const refused = (given: object) => reasonOf(world.at(0).request('-', given, () => {}))
      expect(await refused({ signal })).toMatchObject({ name: 'NotSupportedError' })
      const both = world.at(0).request(fresh(), { signal, ifAvailable: true }, () => {})
      expect(await reasonOf(both)).toMatchObject({ name: 'NotSupportedError' })
      expect(await reasonOf(world.at(0).request(fresh(), { signal }, () => {}))).toBe('aborted')
    })

    test('trap (d): query tells of every node, whichever is asked', async () => {
      const name = fresh()
      const holder = hold(world.at(0), name)
      await holder.entered
      const waiting = [1, 2].map((node) => hold(world.at(node), name))
      await quiet(world)
      for (const asked of [0, 1, 2]) {
        const { held, pending } = await stateOf(world, name, asked)
        expect([held.length, pending.length]).toEqual([1, 2])
      }
      // Of two who ask at once at two nodes either may be first.
      const turns = [holder, ...waiting].map(async (each) => {
        await each.entered
        await each.release()
      })
      await Promise.all(turns)
    })

    test('trap (e): readers of a third node do not pass the writer of a second', async () => {
      const name = fresh()
      const reader = hold(world.at(0), name, { mode: 'shared' })
      await reader.entered
      const writer = hold(world.at(1), name)
      await quiet(world)
      const late = hold(world.at(2), name, { mode: 'shared' })
      await quiet(world)
      expect(late.isInside).toBe(false)
      await reader.release()
      await writer.entered
      expect(late.isInside).toBe(false)
      await writer.release()
      await late.entered
      await late.release()
    })

    test('trap (f): a thenable is held until it settles', async () => {
      const name = fresh()
      let finish: (value: string) => void = () => {}
      let begin: () => void = () => {}
      const begun = new Promise<void>((resolve) => {
        begin = resolve
      })
      const thenable: PromiseLike<string> = {
        // biome-ignore lint/suspicious/noThenProperty: that is what is tested
        // oxlint-disable-next-line unicorn/no-thenable
        then(resolve) {
          finish = (value) => {
            void resolve?.(value)
          }
          begin()
          return thenable as never
        },
      }
      const settled = world.at(0).request(name, () => thenable)
      await begun
      const next = hold(world.at(1), name)
      await quiet(world)
      expect(next.isInside).toBe(false)
      finish('settled')
      expect(await settled).toBe('settled')
      await next.entered
      await next.release()
    })

    test('trap (g): stolen, aborted and timed out can be told apart', async () => {
      const name = fresh()
      const victim = hold(world.at(0), name)
      await victim.entered
      const thief = hold(world.at(1), name, { steal: true })
      await thief.entered
      const { signal, abort } = withAbort()
      const aborted = hold(world.at(2), name, { signal })
      await quiet(world)
      abort()
      const [stolen, given, late] = [
        await reasonOf(victim.settled),
        await reasonOf(aborted.settled),
        await reasonOf(world.at(0).acquire(name, { timeout: 0 })),
      ]
      expect(stolen).toMatchObject({ name: 'AbortError', reason: 'stolen' })
      expect(stolen).toBeInstanceOf(LockStolenError)
      expect(stolen).toBeInstanceOf(DOMException)
      expect(given).toMatchObject({ name: 'AbortError' })
      expect(given).not.toBeInstanceOf(LockStolenError)
      expect(late).toBeInstanceOf(LockTimeoutError)
      expect(late).toMatchObject({ name: 'TimeoutError', code: 'LOCK_TIMEOUT' })
      await thief.release()
    })
  })
})

function withAbort(): { signal: AbortSignal; abort: (reason?: unknown) => void } {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason) => controller.abort(reason) }
}
