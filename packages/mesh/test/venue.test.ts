import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import os, { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { atLeast } from '../../../test/present.ts'
import { join } from '../src/join.ts'
import { rowOf } from '../src/protocol/meeting/cells.ts'
import { fileNameOf } from '../src/register/cell-text.ts'
import { MemoryEngine } from '../src/register/memory-engine.ts'
import type { Register } from '../src/register/register.ts'
import { type Venue, venueAt } from '../src/venue.ts'

const opened: Venue[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((venue) => venue.close()))
})

async function secretAt(register: Register): Promise<unknown> {
  const venue = await venueAt(register, { listen: '127.0.0.1:0' })
  opened.push(venue)
  return venue.wiring.security?.secret
}

test('an engine that does not answer the first questions is asked again for the secret', async () => {
  const engine = new MemoryEngine()
  const register = engine.open('mesh')
  let unanswered = 2
  const busy: Register = {
    ...register,
    read: (cell) => {
      unanswered -= 1
      return unanswered < 0 ? register.read(cell) : Promise.reject(new Error('busy'))
    },
  }
  const secret = await secretAt(busy)
  expect(unanswered).toBeLessThan(0)
  expect(secret).toEqual(await secretAt(engine.open('mesh')))
})

test('a secret whose writing has no answer is read again, and is the same for all', async () => {
  const engine = new MemoryEngine()
  const register = engine.open('mesh')
  let outcomes = 0
  // The first is never done, and the second is, without a word.
  const lossy: Register = {
    ...register,
    cas: async (...change) => {
      outcomes += 1
      if (outcomes === 2) await register.cas(...change)
      return { kind: 'unknown', why: 'cut' }
    },
  }
  const secret = await secretAt(lossy)
  expect(outcomes).toBe(2)
  expect(secret).toEqual(await secretAt(engine.open('mesh')))
})

describe('all cells were deleted', () => {
  const emptied = async () => {
    const register = new MemoryEngine().open('mesh')
    const venue = await venueAt(register, { listen: '127.0.0.1:0' })
    opened.push(venue)
    const before = await register.read('secret')
    await register.cas('secret', before?.version ?? null, null)
    return { register, venue, before: before?.value }
  }

  test('a further session puts the secret back', async () => {
    const { register, venue, before } = await emptied()
    await venue.renew()
    expect(venue.wiring.security?.secret).toBe(before)
    expect(await secretAt(register)).toBe(before)
  })

  test('or takes the one that a new member has made meanwhile', async () => {
    const { register, venue, before } = await emptied()
    const secret = await secretAt(register)
    expect(secret).not.toBe(before)
    await venue.renew()
    expect(venue.wiring.security?.secret).toBe(secret)
  })

  test('a secret of its own stays', async () => {
    const register = new MemoryEngine().open('mesh')
    const secret = 'known to all members'
    const venue = await venueAt(register, { listen: '127.0.0.1:0', secret })
    opened.push(venue)
    await venue.renew()
    expect(venue.wiring.security?.secret).toBe(secret)
    expect(await register.read('secret')).toBeNull()
  })
})

describe('the address that others are told', () => {
  const { networkInterfaces } = os
  const at = (address: string, family: string, scopeid = 0) => ({ address, family, scopeid, internal: false })
  const loopback = [
    { ...at('127.0.0.1', 'IPv4'), internal: true },
    { ...at('::1', 'IPv6'), internal: true },
  ]
  const local = at('fe80::1', 'IPv6', 2)

  /** On a machine with these addresses. */
  async function told(eth0: readonly object[], listen?: string): Promise<string> {
    os.networkInterfaces = () => ({ lo: loopback, eth0 }) as unknown as ReturnType<typeof networkInterfaces>
    syncBuiltinESMExports()
    try {
      const options = listen === undefined ? {} : { listen }
      const venue = await venueAt(new MemoryEngine().open('mesh'), options)
      opened.push(venue)
      return venue.next().address.replace(/:\d+$/, '')
    } finally {
      os.networkInterfaces = networkInterfaces
      syncBuiltinESMExports()
    }
  }

  test('is of IPv4 if there is one', async () => {
    expect(await told([local, at('2001:db8::7', 'IPv6'), at('10.0.0.7', 'IPv4')])).toBe('10.0.0.7')
  })

  const hasV6 = Object.values(networkInterfaces()).some((each) =>
    each?.some(({ family }) => family === 'IPv6'),
  )
  test.skipIf(!hasV6)('is of IPv6 otherwise, but none that counts within one network', async () => {
    expect(await told([local, at('2001:db8::7', 'IPv6')])).toBe('[2001:db8::7]')
    expect(await told([local, at('2001:db8::7', 'IPv6')], '[::]:0')).toBe('[2001:db8::7]')
  })

  test('is loopback without a network', async () => {
    expect(await told([local])).toBe('127.0.0.1')
  })
})

test('sockets are those of this directory, wherever their owners have mounted it', async () => {
  const register = { ...new MemoryEngine().open('mesh'), directory: '/here/locks/mesh' }
  const { next, readAddress } = await venueAt(register, {})
  const { address } = next()
  expect(readAddress(address).host).toBe(address)
  expect(path.dirname(address)).toBe('/here/locks/mesh')
  expect(readAddress('/there/locks/mesh/0123456789ab').host).toBe('/here/locks/mesh/0123456789ab')
})

test('a name of any length and any letters fits into the name of a file', async () => {
  const register = { ...new MemoryEngine().open('mesh'), directory: '/here/locks/mesh' }
  const { next } = await venueAt(register, { id: 'A'.repeat(64) })
  expect(fileNameOf(rowOf(next().id)).length).toBeLessThanOrEqual(255)
})

test.skipIf(process.platform === 'win32')(
  'who meets in a copy of the directory takes those of the original for dead, and leaves their sockets alone',
  { timeout: 60_000 },
  async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'tw-'))
    onTestFinished(() => rm(root, { recursive: true }))
    const [original, copy] = atLeast(
      2,
      ['locks', 'copy'].map((name) => path.join(root, name)),
    )
    const sockets = () =>
      readdirSync(path.join(original, 'mesh')).filter((name) => /^[0-9a-f]{12}$/.test(name))
    const lease = 60_000
    const first = await join(original, { lease })
    const before = sockets()
    expect(before).toHaveLength(1)
    execFileSync('cp', ['-a', original, copy])
    const elsewhere = await join(copy, { lease })
    const second = await join(original, { lease })
    expect(sockets()).toEqual(expect.arrayContaining(before))
    expect(second.status.members).toHaveLength(2)
    expect(elsewhere.status.members).toHaveLength(1)
    await Promise.all([first, second, elsewhere].map((mesh) => mesh.leave()))
  },
)
