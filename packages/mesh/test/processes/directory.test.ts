/** Real processes that meet in a directory: no address, no port, no list of peers. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ProcessFailure } from '@turnwise/fleet/program'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isLong, LONG } from '../../../../test/extent.ts'
import type { JoinOptions } from '../../src/join.ts'
import { Life, obstacle, PATIENCE, until } from './fleet.ts'
import { now } from './talk.ts'
import { Witness } from './witness.ts'

/** So long that no busy machine lets it lapse, and that a waiter for its end is told from one that does not wait. */
const LEASE = 30_000

let directory: string
let witness: Witness
let lives: Life[] = []

beforeEach(() => {
  directory = path.join(mkdtempSync(path.join(tmpdir(), 'tw-')), 'locks')
  witness = new Witness()
  lives = []
})

afterEach(async () => {
  for (const life of lives) {
    await life.kill()
    witness.died(life.number, life.diedAt ?? now())
  }
  rmSync(path.dirname(directory), { recursive: true })
  expect(witness.findings()).toEqual([])
})

async function member(lease = LEASE, options: Partial<JoinOptions> = {}): Promise<Life> {
  const life = new Life()
  lives.push(life)
  life.hear = (line) => {
    if ('hold' in line) witness.saw(life.number, line)
  }
  await life.tell({ do: 'join', options: { at: directory, lease, keepAlive: true, ...options } })
  return life
}

async function members(life: Life): Promise<number> {
  const { members } = await life.tell({ do: 'status' })
  return members.length
}

describe.skipIf(obstacle !== null)(`a directory${obstacle === null ? '' : `: ${obstacle}`}`, () => {
  test('processes that join it are a mesh, and take turns', async () => {
    const all = await Promise.all([member(), member(), member()])
    await until('all are members', async () => (await members(all[0])) === 3)
    for (const life of all) await life.tell({ do: 'work', name: 'L' })
    const others = all.map((life) => life.waitFor('a turn', ({ kind }) => kind === 'releasing'))
    await Promise.all(others)
    const turns = await Promise.all(all.map((life) => life.tell({ do: 'rest' })))
    expect(turns.every((count) => count > 0)).toBe(true)
  })

  test('a holder that is killed is known to be gone: the next waiter does not wait for the lease', async () => {
    const [a, b, c] = await Promise.all([member(), member(), member()])
    await until('all are members', async () => (await members(a)) === 3)
    for (const [holder, waiter] of [
      [a, b],
      [b, c],
    ] as const) {
      await holder.tell({ do: 'acquire', name: 'L' })
      const next = waiter.tell({ do: 'acquire', name: 'L' })
      await holder.kill()
      const killedAt = holder.diedAt ?? now()
      witness.died(holder.number, killedAt)
      const { hold } = await next
      // By its lease it would have been two thirds of it at least: a row is renewed every third.
      expect(witness.grants('L').at(-1)?.from).toBeLessThan(killedAt + LEASE / 2)
      await waiter.tell({ do: 'release', hold })
    }
    await until('the dead are gone', async () => (await members(c)) === 1)
  })

  test('a member that leaves lets the others go on at once, and its files are gone', LONG, async () => {
    const [a, b] = await Promise.all([member(), member()])
    await until('both are members', async () => (await members(b)) === 2)
    await a.tell({ do: 'acquire', name: 'L' })
    const next = b.tell({ do: 'acquire', name: 'L' })
    await a.tell({ do: 'leave' })
    await next
    await until('one is left', async () => (await members(b)) === 1)
    const sockets = readdirSync(path.join(directory, 'mesh')).filter((name) => /^[0-9a-f]{12}$/.test(name))
    expect(sockets).toHaveLength(1)
  })

  test('one that is stopped for longer than its lease loses its lock, and comes back as another session', async () => {
    const LEASE = 4000
    // On a busy machine the others may lose their lease for a while too: then they wait.
    const options = { waitForQuorum: true }
    const [a, b] = await Promise.all([member(LEASE), member(LEASE)])
    await until('both are members', async () => (await members(b)) === 2)
    const { fence } = await a.tell({ do: 'acquire', name: 'L', options })
    a.stop()
    const next = await b.tell({ do: 'acquire', name: 'L', options })
    expect(BigInt(next.fence)).toBeGreaterThan(BigInt(fence))
    const lost = a.waitFor('its loss', ({ kind }) => kind === 'lost')
    a.goOn()
    await lost
    await b.tell({ do: 'release', hold: next.hold })
    const { hold } = await a.tell({ do: 'acquire', name: 'L', options })
    await a.tell({ do: 'release', hold })
  })

  test.runIf(isLong)(
    'what one of them holds may be longer than any message: others come and go all the same, and it loses none',
    async () => {
      // More bytes than the longest frame has: a letter is three.
      const NAMES = 24_000
      const LETTERS = 250
      const [a, b] = await Promise.all([member(), member()])
      expect(await b.tell({ do: 'gather', names: NAMES, letters: LETTERS }, 5 * PATIENCE)).toBe(NAMES)
      const c = await member()
      await until('the third is a member', async () => (await members(a)) === 3)
      await c.kill()
      await until('the dead are gone', async () => (await members(a)) === 2)
      expect(await b.tell({ do: 'gathered' })).toBe(NAMES)
      const { hold } = await a.tell({ do: 'acquire', name: 'L' })
      await a.tell({ do: 'release', hold })
    },
    10 * PATIENCE,
  )

  test('a member with other settings is told which, and does not join', LONG, async () => {
    await member()
    const other = member(LEASE, { algorithm: 'raymond' })
    await expect(other).rejects.toThrow(ProcessFailure)
    await expect(other).rejects.toThrow(
      /this mesh uses algorithm token-queue.*this node has algorithm raymond/,
    )
  })
})
