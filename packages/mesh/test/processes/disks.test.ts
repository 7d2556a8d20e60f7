import { execFile, spawnSync } from 'node:child_process'
import { cp, readFile, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freeAddress } from '@turnwise/fleet/ports'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { readState } from '../../src/disk/state-file.ts'
import type { Durable } from '../../src/protocol/record.ts'
import { endAll, Fleet, LEASE, obstacle, until } from './fleet.ts'

let fleet: Fleet

afterEach(async () => expect(await fleet.end()).toEqual([]))
afterAll(endAll)

async function stateOf(id: string): Promise<Durable> {
  const state = readState(await readFile(join(fleet.stateDir(id), 'state'), 'utf8'))
  if (typeof state === 'string') throw new Error(state)
  return state
}

/** The disks of all three vote, and nothing that is gone does. */
async function votersAreThere(): Promise<boolean> {
  const states = await Promise.all(['a', 'b', 'c'].map(stateOf))
  const ids = states.map(({ voterId }) => voterId).toSorted()
  return states.every(({ accepted }) => {
    const voters = accepted?.voters.map(({ voterId }) => voterId).toSorted()
    return accepted?.oldVoters === null && voters?.join() === ids.join()
  })
}

const noDevFull = process.platform === 'linux' ? null : 'there is no /dev/full here'
const noLimits = spawnSync('prlimit', ['--version']).status === 0 ? null : 'there is no prlimit here'

function because(reason: string | null): string {
  return reason === null ? '' : ` (skipped: ${reason})`
}

describe.skipIf(obstacle !== null)(`state directories${because(obstacle)}`, () => {
  test('one that is lost with its process: another voter takes its place (R20)', LONG, async () => {
    fleet = await Fleet.joined()
    await fleet.everyoneServed(['a', 'b', 'c'])
    await fleet.kill('b')
    await rm(fleet.stateDir('b'), { recursive: true })
    await fleet.join('b')
    await until('the new voter in the place of the old', votersAreThere)
    await fleet.view(['a', 'b', 'c'])
    // Its vote counts: with one of the others gone it makes the majority.
    await fleet.kill('a')
    await fleet.view(['b', 'c'])
    await fleet.everyoneServed(['b', 'c'])
  })

  test('an old copy of one: the node stops and says so, and comes back as another voter without it', async () => {
    fleet = await Fleet.joined()
    await fleet.kill('b')
    const copy = `${fleet.stateDir('b')}.copy`
    await cp(fleet.stateDir('b'), copy, { recursive: true, filter: (file) => !file.includes('lock') })
    await fleet.join('b')
    await fleet.view(['a', 'b', 'c'])
    // Its answer follows its heartbeat. One that has not heard how far b came would help the copy to catch up.
    await Promise.all(['a', 'c'].map((id) => fleet.at(id).tell({ do: 'query' })))
    await fleet.kill('b')
    await rm(fleet.stateDir('b'), { recursive: true })
    await cp(copy, fleet.stateDir('b'), { recursive: true })
    await expect(fleet.join('b')).rejects.toThrow(/is an old copy.*Remove its state directory/)
    await fleet.kill('b')
    await rm(fleet.stateDir('b'), { recursive: true })
    await fleet.join('b')
    await until('the new voter in the place of the old', votersAreThere)
    await fleet.everyoneServed(['a', 'b', 'c'])
  })

  test('two processes with one: the second is refused', LONG, async () => {
    fleet = await Fleet.joined()
    const b = fleet.at('b')
    const { hold } = await b.tell({ do: 'acquire', name: 'L' })
    const second = fleet.join('b', { listen: await freeAddress() })
    await expect(second).rejects.toMatchObject({
      name: 'StateDirectoryInUse',
      message: `the state directory ${fleet.stateDir('b')} is in use by another process`,
    })
    await b.tell({ do: 'release', hold })
    await fleet.everyoneServed(['a', 'c'])
  })

  test('two processes with one id: at the same address the second cannot start, elsewhere it cannot steal', async () => {
    fleet = await Fleet.joined()
    const b = fleet.at('b')
    for (const life of [b, fleet.at('c')]) await life.tell({ do: 'work', name: 'L' })
    const own = { stateDir: `${fleet.stateDir('b')}.second` }
    await expect(fleet.join('b', own)).rejects.toThrow(/EADDRINUSE/)
    const second = fleet.enlist('b')
    const listen = await freeAddress()
    const joining = second.tell({
      do: 'join',
      options: fleet.options('b', { ...own, listen, timeout: 3 * LEASE }),
    })
    await expect(joining).rejects.toMatchObject({ name: 'NoQuorumError' })
    expect(second.logs.join('\n')).toContain('refused: "a" hears another process named "b"')
    // The first was not disturbed.
    await until('b in the view', async () => (await b.tell({ do: 'status' })).members.length === 3)
    for (const life of [b, fleet.at('c')]) expect(await life.tell({ do: 'rest' })).toBeGreaterThan(0)
  })

  test.skipIf(noDevFull !== null)(
    `full when a promise is to be written: nothing is said, the node stops, the others go on${because(noDevFull)}`,
    async () => {
      fleet = await Fleet.joined()
      const b = fleet.at('b')
      const lost = b.waitFor('the loss', ({ kind }) => kind === 'lost')
      await b.tell({ do: 'acquire', name: 'L' })
      const promised = (await stateOf('b')).promised.epoch
      await symlink('/dev/full', join(fleet.stateDir('b'), 'state.new'))
      // Another view is wanted, and so a promise.
      await fleet.kill('c')
      await fleet.join('c')
      await lost
      await expect(b.tell({ do: 'acquire', name: 'L' })).rejects.toThrow(/cannot be written: ENOSPC/)
      expect(b.logs.join('\n')).toMatch(/node b stops: .*ENOSPC/)
      await fleet.view(['a', 'c'])
      await fleet.everyoneServed(['a', 'c'])
      expect((await stateOf('b')).promised.epoch).toBe(promised)
      await b.kill()
      await rm(join(fleet.stateDir('b'), 'state.new'))
      await fleet.join('b')
      await fleet.everyoneServed(['a', 'b', 'c'])
    },
  )

  test.skipIf(noLimits !== null)(
    `full when a record is to be accepted: the view does not begin before it can be${because(noLimits)}`,
    LONG,
    async () => {
      fleet = await Fleet.of(['a', 'b', 'c'])
      const b = fleet.enlist('b')
      await b.loaded
      // Enough for a promise, too little for a record.
      await promisify(execFile)('prlimit', ['--fsize=500', '--pid', String(b.program.child.pid)])
      const others = Promise.all(['a', 'c'].map((id) => fleet.join(id)))
      const failing = b.tell({ do: 'join', options: fleet.options('b') })
      await expect(failing).rejects.toThrow(/cannot be written: EFBIG/)
      const { promised, accepted } = await stateOf('b')
      expect(promised.epoch).toBeGreaterThan(0)
      expect(accepted).toBeNull()
      await b.kill()
      await fleet.join('b')
      await others
      await fleet.everyoneServed(['a', 'b', 'c'])
    },
  )
})
