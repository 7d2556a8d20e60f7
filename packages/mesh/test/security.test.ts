/** What `join` takes and refuses of a secret, and that it reaches the sockets, with the lease thread and without. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { get } from '@turnwise/core/bounds'
import { freeAddress, freeAddresses } from '@turnwise/fleet/ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type JoinOptions, join } from '../src/join.ts'
import type { Mesh } from '../src/surface.ts'
import { until } from './transport/transport-contract.ts'

const SECRET = 'of all nodes of the mesh'

let directory = ''
let log: string[] = []
let joined: Mesh[] = []

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  log = []
  joined = []
})

afterEach(async () => {
  await Promise.all(joined.map((mesh) => mesh.leave()))
  // A node that did not join in time lets go of its directory after that, and the next to join waits for it.
  await (await join()).leave()
  rmSync(directory, { recursive: true })
})

function options(id: string, peers: Record<string, string>, more: Partial<JoinOptions>): JoinOptions {
  const stateDir = path.join(directory, id)
  return {
    id,
    peers,
    stateDir,
    lease: 400,
    firstStart: true,
    log: (line) => log.push(`${id}: ${line}`),
    ...more,
  }
}

for (const thread of [true, false]) {
  describe(thread ? 'with the lease thread' : 'without the lease thread', () => {
    test('nodes with one secret make a mesh', async () => {
      const peers = await freeAddresses(['a', 'b'])
      const common = { secret: SECRET, thread, timeout: 30_000 }
      joined = await Promise.all(['a', 'b'].map((id) => join(options(id, peers, common))))
      const inside = await get(joined, 0).locks.request('x', () => 'inside')
      expect(inside).toBe('inside')
      expect(await get(joined, 1).locks.request('x', () => 'inside too')).toBe('inside too')
    })

    test('a node with another secret finds no majority, and both logs say why', async () => {
      const peers = await freeAddresses(['a', 'b'])
      // Long enough that they meet on a busy machine too: who has given up does not ask why any more.
      const abort = (id: string, secret: string) =>
        join(options(id, peers, { secret, thread, timeout: 8000 })).then(
          () => 'joined',
          (error: Error) => error.name,
        )
      const ends = await Promise.all([abort('a', SECRET), abort('b', `${SECRET}?`)])
      expect(ends).toEqual(['NoQuorumError', 'NoQuorumError'])
      const said = (line: string) => log.some((each) => each.includes(line))
      await until(() => said('b: refused: "b" and "a" have different secrets'), 'b knows')
      await until(() => said('refused: "a" and "b" have different secrets'), 'a knows')
      expect(log.join('\n')).not.toContain(SECRET)
    })
  })
}

describe('what join refuses', () => {
  const near = '127.0.0.1:7101'
  const bad: [string, Partial<JoinOptions>, string][] = [
    ['a short secret', { secret: 'too short' }, 'secret: expected 16 to 4096 characters, got 9'],
    ['a secret that is no text', { secret: 7 as never }, 'secret: expected a text, got number'],
    [
      'to listen everywhere',
      { listen: '0.0.0.0:7101' },
      'listening on 0.0.0.0:7101 without tls or secret would let anybody in: set one of them, or insecure: true',
    ],
    ['to listen everywhere, IPv6', { listen: '[::]:7101' }, 'listening on :::7101 without tls or secret'],
    [
      'an address of the network',
      { listen: '10.0.0.7:7101' },
      'listening on 10.0.0.7:7101 without tls or secret',
    ],
    ['a host by its name', { listen: 'node-a:7101' }, 'listening on node-a:7101 without tls or secret'],
    [
      'what only looks like loopback',
      { listen: '127.0.0.1.example.org:7101' },
      'listening on 127.0.0.1.example.org:7101 without',
    ],
    [
      'half of what TLS needs',
      { tls: { ca: 'ca.pem' } as never },
      'tls: an object is not an object with all of ca, cert and key',
    ],
    [
      'TLS with what is no certificate',
      { tls: { ca: '-----BEGIN X', cert: '-----BEGIN X', key: '-----BEGIN X' } },
      'tls.ca contains no certificate in PEM form',
    ],
  ]
  for (const [what, more, says] of bad) {
    test(what, async () => {
      const attempt = join(options('a', { a: near, b: '127.0.0.1:7102' }, more))
      await expect(attempt).rejects.toMatchObject({ name: 'InvalidInput' })
      await expect(attempt).rejects.toThrow(says)
    })
  }

  test('not: loopback in all its forms, or the word insecure', async () => {
    for (const more of [
      { listen: '127.0.0.9:0' },
      { listen: 'localhost:0' },
      { listen: '0.0.0.0:0', insecure: true },
      { listen: '0.0.0.0:0', secret: SECRET },
    ]) {
      const peers = { a: near, b: await freeAddress() }
      const attempt = join(options('a', peers, { ...more, timeout: 1, thread: false }))
      await expect(attempt).rejects.toMatchObject({ name: 'NoQuorumError' })
    }
  })
})
