/** `mesh.once` of a node alone, of peers, where members meet in a directory, and of clients of daemons, in one process. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { present } from '../../../../test/present.ts'
import { joinNode } from '../../src/join.ts'
import { LockTimeoutError, RunUnknownError } from '../../src/locks/errors.ts'
import type { OnceRun } from '../../src/locks/once.ts'
import type { MeshNode } from '../../src/mesh.ts'
import { openDesk, visit } from '../daemon/desks.ts'
import { openDoorOf } from '../daemon/doors.ts'
import { meshes } from '../meshes.ts'

/** So long that no busy machine lets it lapse. */
const LEASE = 30_000

interface World {
  readonly all: Site[]
  end?(): Promise<void>
}

/** What begins it, and what ends what is behind it. */
const WORLDS: Readonly<Record<string, () => Promise<World>>> = {
  'one node': async () => {
    const mesh = await joinNode()
    return { all: [mesh, mesh, mesh] }
  },
  'three peers': async () => ({ all: await meshes(3) }),
  'members that meet in a directory': async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'tw-'))
    const all = await Promise.all([1, 2, 3].map(() => joinNode({ at: directory, lease: LEASE })))
    return { all, end: async () => rmSync(directory, { recursive: true }) }
  },

  'a member, and clients of two daemons, one of them through a door': async () => {
    const nodes = await meshes(3)
    const desks = await Promise.all(nodes.slice(1).map((node) => openDesk(node, LEASE)))
    const door = await openDoorOf(get(desks, 1))
    const all = [nodes[0], await visit(get(desks, 0)), await door.visit()]
    const end = async () => {
      await door.close()
      await Promise.all(desks.map((desk) => desk.close()))
      await Promise.all(nodes.slice(1).map((node) => node.leave()))
    }
    return { all, end }
  },
}

type Site = Pick<MeshNode, 'id' | 'once' | 'leave'>

const MINUTE = 60_000
let names = 0

function fresh(): string {
  names += 1
  return `job ${names}`
}

describe.each(Object.keys(WORLDS))('%s', (kind) => {
  let world: World
  let all: Site[]

  beforeAll(async () => {
    world = await present(WORLDS[kind])()
    all = world.all
  })

  afterAll(async () => {
    await Promise.all(all.map((mesh) => mesh.leave()))
    await world.end?.()
  })

  test('timers of all fire, at clocks that differ: one runs it, and the others are told by whom', async () => {
    const name = fresh()
    const time = Date.now() - MINUTE
    const runs: string[] = []
    const fire = (mesh: Site, off: number) =>
      mesh.once(name, time + off, async ({ fence, signal, time: fired }: OnceRun) => {
        runs.push(mesh.id)
        expect([typeof fence, signal.aborted, fired.getTime()]).toEqual(['bigint', false, time + off])
        await new Promise(setImmediate)
        return 'made'
      })
    const results = await Promise.all(all.map((mesh, i) => fire(mesh, 1000 * i)))
    expect(runs).toHaveLength(1)
    expect(results.filter(({ ran }) => ran)).toEqual([{ ran: true, value: 'made', remembered: true }])
    const late = await fire(get(all, 0), 500)
    expect(late).toEqual({ ran: false, by: runs[0], at: expect.any(Date), finished: true })
    expect((await fire(get(all, 1), 7001)).ran).toBe(true)
  })

  test('a job that throws has run at most once, or is to be run again', async () => {
    const time = new Date()
    for (const at of ['most', 'least'] as const) {
      const name = fresh()
      const failing = get(all, 0).once(name, time, { at }, () => {
        throw new Error('no paper')
      })
      await expect(failing).rejects.toThrow('no paper')
      const next = await get(all, 1).once(name, time, { at }, () => 'printed')
      if (at === 'most')
        expect(next).toEqual({ ran: false, by: get(all, 0).id, at: expect.any(Date), finished: false })
      else expect(next).toEqual({ ran: true, value: 'printed', remembered: true })
    }
  })

  test('what is forgotten is not run again at most once, and is at least once', async () => {
    const name = fresh()
    const [first, second] = [Date.now() - 2 * MINUTE, Date.now() - MINUTE]
    await get(all, 0).once(name, first, () => {})
    await new Promise((resolve) => void setTimeout(resolve, 5))
    await get(all, 1).once(name, second, { remember: 0 }, () => {})
    const again = get(all, 2).once(name, first, () => {})
    await expect(again).rejects.toThrow(RunUnknownError)
    await expect(again).rejects.toThrow(
      `it is unknown whether "${name}" ran for ${new Date(first).toISOString()}: runs for fire times up to ${new Date(first).toISOString()} are forgotten`,
    )
    expect(await get(all, 2).once(name, first, { at: 'least' }, () => 1)).toMatchObject({
      ran: true,
      value: 1,
    })
  })

  test('the wait for the one that runs it can be cut short', async () => {
    const name = fresh()
    let end = () => {}
    let isBegun = () => {}
    const begun = new Promise<void>((resolve) => {
      isBegun = resolve
    })
    const running = get(all, 0).once(name, Date.now(), () => {
      isBegun()
      return new Promise<void>((resolve) => {
        end = resolve
      })
    })
    await begun
    await expect(get(all, 1).once(name, Date.now(), { timeout: 1 }, () => {})).rejects.toThrow(
      LockTimeoutError,
    )
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(get(all, 1).once(name, Date.now(), { signal }, () => {})).rejects.toThrow('enough')
    end()
    expect((await running).ran).toBe(true)
  })
})

describe('bad input is told in one line', () => {
  const bad: readonly (readonly [unknown[], string])[] = [
    [['x', 0], 'once: expected a function as the job, got nothing'],
    [['x', '2026-01-01', () => {}], 'fire time "2026-01-01" is not a Date or milliseconds since 1970'],
    [['x', new Date('?'), () => {}], 'fire time an invalid Date is not a Date or milliseconds since 1970'],
    [['x', 0, { at: 'all' }, () => {}], 'at "all" is not "most" or "least"'],
    [['x', 0, { skew: -1 }, () => {}], 'skew -1 is not a number of milliseconds from 0 to 3600000'],
    [
      ['x', 0, { remember: 'day' }, () => {}],
      'remember "day" is not a number of milliseconds from 0 to 31622400000',
    ],
    [['x', 0, { skw: 1 }, () => {}], '"skw" is not an option of once: did you mean "skew"?'],
    [['-x', 0, () => {}], 'the name "-x" begins with "-": such names are reserved'],
    [['x', Date.now() + 3 * MINUTE, () => {}], 'ms ahead of the clock: a skew of 5000 ms is allowed'],
  ]
  test.each(bad)('%j', async (given, line) => {
    await using mesh = await joinNode()
    await expect(mesh.once(...given)).rejects.toThrow(line)
  })
})
