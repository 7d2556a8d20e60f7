/** Nodes join with the files that `turnwise keys` made, and are told at once what is wrong with theirs. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freeAddress, freeAddresses } from '@turnwise/fleet/ports'
import type { Mesh } from '@turnwise/mesh/surface'
import { type JoinOptions, join } from 'turnwise'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { makeAuthority, makeCertificate } from '../../src/keys/authority.ts'
import { turnwise } from '../cli/in-process.ts'

const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
const file = (name: string) => path.join(directory, 'keys', name)
const tlsOf = (id: string) => ({ ca: file('ca.crt'), cert: file(`${id}.crt`), key: file(`${id}.key`) })
const text = (name: string) => readFileSync(file(name), 'utf8')
let joined: Mesh[] = []
let directories = 0

beforeAll(async () => {
  const { code } = await turnwise(['keys', '--nodes', 'a,b,c', '--out', path.join(directory, 'keys')])
  expect(code).toBe(0)
})

afterEach(async () => {
  await Promise.all(joined.map((mesh) => mesh.leave()))
  joined = []
})

afterAll(() => rmSync(directory, { recursive: true }))

function options(id: string, peers: Record<string, string>, more: Partial<JoinOptions>): JoinOptions {
  directories += 1
  const stateDir = path.join(directory, `${id}${directories}`)
  return { id, peers, stateDir, lease: 10_000, firstStart: true, ...more }
}

describe('nodes with certificates', () => {
  const forms = [
    ['with the lease thread', true, {}],
    ['without the lease thread', false, {}],
    ['and a secret besides', true, { secret: 'of all nodes of the mesh' }],
  ] as const
  for (const [what, thread, more] of forms) {
    test(`make a mesh, ${what}`, async () => {
      const peers = await freeAddresses(['a', 'b'])
      joined = await Promise.all(
        ['a', 'b'].map((id) => join(options(id, peers, { ...more, tls: tlsOf(id), thread }))),
      )
      for (const mesh of joined) expect(await mesh.locks.request('x', () => mesh.id)).toBe(mesh.id)
    })
  }

  test('may give them as text, and listen anywhere', async () => {
    const port = (await freeAddress()).split(':')[1]
    const peers = { a: `127.0.0.1:${port}`, b: await freeAddress() }
    const tls = { ca: text('ca.crt'), cert: text('a.crt'), key: text('a.key') }
    joined = await Promise.all([
      join(options('a', peers, { tls, listen: `0.0.0.0:${port}` })),
      join(options('b', peers, { tls: tlsOf('b') })),
    ])
    expect(joined[0]?.status.members.toSorted()).toEqual(['a', 'b'])
  })
})

describe('join refuses', () => {
  const refusal = async (more: Partial<JoinOptions>) => {
    const peers = { a: '127.0.0.1:7101', b: '127.0.0.1:7102' }
    const error: unknown = await join(options('a', peers, more)).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'InvalidInput' })
    return (error as Error).message
  }

  test('the certificate of another node', async () => {
    expect(await refusal({ tls: tlsOf('b') })).toBe(
      'tls.cert is the certificate of turnwise://mesh/b, but this node is turnwise://mesh/a',
    )
  })

  test('the certificate of another mesh', async () => {
    expect(await refusal({ tls: tlsOf('a'), mesh: 'billing' })).toBe(
      'tls.cert is the certificate of turnwise://mesh/a, but this node is turnwise://billing/a',
    )
  })

  test('the key of another node', async () => {
    expect(await refusal({ tls: { ...tlsOf('a'), key: file('b.key') } })).toBe(
      'tls.key cannot be used: it is not the key of tls.cert',
    )
  })

  test('a certificate that has expired', async () => {
    const span = { from: new Date(Date.now() - 9e6), until: new Date(Date.now() - 1e6) }
    const { cert, key } = await makeCertificate(await makeAuthority('mesh', span), 'mesh', 'a', span)
    expect(await refusal({ tls: { ca: text('ca.crt'), cert, key } })).toMatch(
      /^tls\.cert has expired: it was valid until /,
    )
  })

  test('a certificate that the authority has not signed', async () => {
    const span = { from: new Date(Date.now() - 9e6), until: new Date(Date.now() + 1e6) }
    const { cert, key } = await makeCertificate(await makeAuthority('mesh', span), 'mesh', 'a', span)
    expect(await refusal({ tls: { ca: text('ca.crt'), cert, key } })).toBe(
      'tls.cert is not signed by an authority in tls.ca',
    )
  })

  test('a node for an authority, and files that are not what they should be', async () => {
    expect(await refusal({ tls: { ...tlsOf('a'), ca: file('b.crt') } })).toBe(
      'tls.ca is the certificate of CN=b, not of an authority',
    )
    expect(await refusal({ tls: { ...tlsOf('a'), cert: file('a.key') } })).toBe(
      'tls.cert contains no certificate in PEM form',
    )
    expect(await refusal({ tls: { ...tlsOf('a'), key: file('a.crt') } })).toMatch(
      /^tls\.key cannot be used: /,
    )
    expect(await refusal({ tls: { ...tlsOf('a'), key: file('z.key') } })).toMatch(
      /^tls\.key: cannot read ".*z\.key": ENOENT/,
    )
  })
})
