/** Directories that earlier versions wrote are opened, and what they promised counts: epochs become those of today. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { newKey } from '../../src/disk/marks.ts'
import { type Owner, ownerOf } from '../../src/disk/owner.ts'
import { openStateDirectory } from '../../src/disk/state-directory.ts'
import { readState, readStored, type Stored, writeState } from '../../src/disk/state-file.ts'
import { joinNode } from '../../src/join.ts'
import { fenceNumber, LAST_EPOCH } from '../../src/protocol/fence.ts'
import { viewOf } from '../../src/protocol/meeting/cells.ts'
import { blank, type Durable, type Roster } from '../../src/protocol/record.ts'
import { writeHello } from '../../src/transport/handshake.ts'
import { epoch } from '../transport/arbitrary-message.ts'
import { codec } from '../transport/transport-contract.ts'

let path = ''
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'tw-'))
})
afterEach(() => rm(path, { recursive: true }))

const KEY = newKey()
const OWNER: Owner = { id: 'a', mesh: 'mesh', directory: '/somewhere', fingerprint: 'f' }
const FORMATS = [1, 2, 3]

/** The voter of node a in view `accepted`, which has promised `promised`. */
function voter(promised: number, accepted: number): Durable {
  return {
    voterId: 'v',
    k: 3,
    promised: { epoch: promised, ballot: 'a/v.3/1' },
    longest: 2000,
    accepted: {
      epoch: accepted,
      voters: [{ id: 'a', voterId: 'v' }],
      oldVoters: null,
      members: [{ id: 'a', session: { voterId: 'v', k: 3 }, mark: 'of a session' }],
      settings: { algorithm: 'carvalho-roucairol', lease: 2000, drift: 0.002 },
    },
  }
}

/** As the versions of before wrote it: without an owner, with one, and with a key too. */
function writtenIn(format: number, durable: Durable, owner: Owner = OWNER): string {
  const more = { ...(format > 1 && { owner }), ...(format > 2 && { key: KEY }) }
  const body = `${JSON.stringify({ ...durable, ...more })}\n`
  return `turnwise-state ${format} sha256:${createHash('sha256').update(body).digest('hex')}\n${body}`
}

test('whatever epochs there are, a state is read as it was written', () => {
  fc.assert(
    fc.property(epoch, epoch, (promised, accepted) => {
      const durable = voter(promised, accepted)
      expect(readState(writeState(durable, OWNER, KEY))).toEqual(durable)
    }),
  )
})

test('the settings keep the names of their fields on disk, in cells and on the wire', () => {
  const durable = voter(17, 16)
  const record = { ...(durable.accepted as Roster), table: {} }
  const { settings } = record
  const written = '"settings":{"algorithm":"carvalho-roucairol","lease":2000,"drift":0.002}'
  expect(writeState(durable, OWNER, KEY)).toContain(written)
  expect(JSON.stringify(viewOf(record, 'n'))).toContain(written)
  const message = codec.encode({ type: 'install', record, ballot: 'a/v.3/1' })
  const hello = writeHello({
    mesh: 'mesh',
    from: 'a',
    to: 'b',
    life: 'x',
    terms: { ...settings, voters: 'a' },
  })
  // In MessagePack a short text follows the byte of its length.
  for (const frame of [message, hello])
    for (const name of ['\xa9algorithm', '\xa5lease', '\xa5drift'])
      expect(Buffer.from(frame).toString('latin1')).toContain(name)
})

test('members of format 4 state no zone; later ones may', () => {
  const durable = voter(17, 16)
  expect(readState(writtenIn(4, durable))).toEqual(durable)
  const accepted = durable.accepted as Roster
  const zoned = {
    ...durable,
    accepted: { ...accepted, members: accepted.members.map((member) => ({ ...member, zone: 'eu-west' })) },
  }
  expect(readState(writeState(zoned, OWNER, KEY))).toEqual(zoned)
})

test('of an earlier format everything stays but the epochs, and those keep their order', () => {
  const earlier = fc.oneof(fc.integer({ min: 1, max: 2 ** 23 - 1 }), fc.constant(2 ** 23 - 1))
  fc.assert(
    fc.property(fc.constantFrom(...FORMATS), earlier, earlier, (format, promised, accepted) => {
      const stored = readStored(writtenIn(format, voter(promised, accepted))) as Stored
      expect(stored).toEqual({
        durable: voter(8192 * promised + 8191, 8192 * accepted + 8191),
        owner: format > 1 ? OWNER : null,
        key: format > 2 ? KEY : null,
        remembers: false,
      })
    }),
  )
})

test('who had promised nothing has promised nothing', () => {
  for (const format of FORMATS) expect(readState(writtenIn(format, blank('v')))).toEqual(blank('v'))
})

test('the last epoch of before is the last of today, and beyond it there was none', () => {
  for (const format of FORMATS) {
    const last = 2 ** 23 - 1
    expect(readState(writtenIn(format, voter(last, last)))).toEqual(voter(LAST_EPOCH, LAST_EPOCH))
    for (const wrong of [voter(last + 1, last), voter(last, last + 1)])
      expect(readState(writtenIn(format, wrong))).toBe(
        'it has an epoch above 8388607, the last of its format',
      )
  }
})

for (const format of FORMATS) {
  test(`a directory of format ${format}: it is converted once, a node goes on with it, and its fences rise`, async () => {
    const directory = join(path, 'state')
    await mkdir(directory)
    const owner = await ownerOf('a', 'mesh', directory)
    await writeFile(join(directory, 'state'), writtenIn(format, voter(17, 16), owner))
    // Nothing was written between the first two: the file is still of the old format.
    for (const _ of [1, 2]) {
      const disk = await openStateDirectory(directory, { id: 'a', mesh: 'mesh' })
      expect(disk.durable).toEqual(voter(8192 * 17 + 8191, 8192 * 16 + 8191))
      await disk.close()
    }
    let last = BigInt(17) * 2n ** 40n + 2n ** 40n - 1n
    for (const _ of ['first', 'second']) {
      const node = await joinNode({ id: 'a', peers: { a: '127.0.0.1:0' }, stateDir: directory, lease: 50 })
      const held = await node.locks.acquire('L')
      expect(held.fence).toBeGreaterThan(last)
      last = held.fence
      await node.leave()
      expect(await readFile(join(directory, 'state'), 'utf8')).toMatch(/^turnwise-state 5 /)
    }
    // Converted again it would be beyond this.
    expect(last).toBeLessThan(fenceNumber({ epoch: 8192 * 18 + 100, counter: 0 }))
  })
}
