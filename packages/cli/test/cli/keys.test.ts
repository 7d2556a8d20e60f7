import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { command, expectRefusal, scratch } from './in-process.ts'

const files = scratch()
const DAY = 86_400_000

const read = (file: string) => readFileSync(files.path(file), 'utf8')
const certificate = (file: string) => new X509Certificate(read(file))

describe('keys', () => {
  test('makes an authority and a certificate per node that it signed, for their owner alone', async () => {
    const { code, out, err } = await command('keys --nodes a,b --days 30 --out <file>', files.path('new'))
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(readdirSync(files.path('new'))).toEqual(['a.crt', 'a.key', 'b.crt', 'b.key', 'ca.crt', 'ca.key'])
    expect(statSync(files.path('new')).mode & 0o777).toBe(0o700)
    for (const file of readdirSync(files.path('new')))
      expect(statSync(files.path(`new/${file}`)).mode & 0o777).toBe(0o600)
    const authority = certificate('new/ca.crt')
    for (const id of ['a', 'b']) {
      const own = certificate(`new/${id}.crt`)
      expect(own.checkIssued(authority) && own.verify(authority.publicKey)).toBe(true)
      expect(own.subjectAltName).toBe(`URI:turnwise://mesh/${id}`)
      expect(own.ca).toBe(false)
      expect((new Date(own.validTo).getTime() - Date.now()) / DAY).toBeCloseTo(30, 1)
    }
    expect(out).toContain('An authority and 2 certificates for the mesh "mesh", good until ')
    expect(out).toContain('ca.key')
    expect(out).toContain("join({ id: 'a', mesh: 'mesh', tls: { ca: ")
  })

  test('makes what OpenSSL takes for both sides of a connection', async () => {
    await command('keys --nodes a --out <file>', files.path('openssl'))
    for (const purpose of ['sslclient', 'sslserver']) {
      const args = ['verify', '-x509_strict', '-purpose', purpose, '-CAfile', files.path('openssl/ca.crt')]
      expect(String(execFileSync('openssl', [...args, files.path('openssl/a.crt')]))).toContain(': OK')
    }
  })

  test('adds nodes with the authority that is there', async () => {
    await command('keys --nodes a --mesh billing --out <file>', files.path('more'))
    const before = read('more/ca.crt')
    const { code, out } = await command('keys --nodes b/c --mesh billing --out <file>', files.path('more'))
    expect(code).toBe(0)
    expect(out).toContain('1 certificate for the mesh "billing"')
    expect(read('more/ca.crt')).toBe(before)
    const own = certificate('more/b%2Fc.crt')
    expect(own.checkIssued(certificate('more/ca.crt'))).toBe(true)
    expect(own.subjectAltName).toBe('URI:turnwise://billing/b%2Fc')
  })

  test('makes certificates for a door and its clients, which make no node', async () => {
    const line = 'keys --door locks.example,10.0.0.1 --clients billing --out <file>'
    const { code, out } = await command(line, files.path('door'))
    expect(code).toBe(0)
    expect(readdirSync(files.path('door')).filter((file) => file.endsWith('.crt'))).toEqual([
      'ca.crt',
      'client-billing.crt',
      'door.crt',
    ])
    expect(certificate('door/door.crt').subjectAltName).toBe('DNS:locks.example, IP Address:10.0.0.1')
    expect(certificate('door/client-billing.crt').subjectAltName).toBe('URI:turnwise-client://mesh/billing')
    expect(out).toContain('to client billing only')
    expect(out).not.toContain('join(')
  })

  test('writes nothing over, and then writes nothing at all', async () => {
    await command('keys --nodes a --out <file>', files.path('twice'))
    const before = readdirSync(files.path('twice')).map((file) => read(`twice/${file}`))
    await expectRefusal(
      'keys --nodes b,a --out <file>',
      '"<file>/a.crt" exists and is not overwritten',
      files.path('twice'),
    )
    expect(readdirSync(files.path('twice')).map((file) => read(`twice/${file}`))).toEqual(before)
  })

  test('uses no authority that is incomplete, another, or not one', async () => {
    await command('keys --nodes a --out <file>', files.path('one'))
    await command('keys --nodes a --out <file>', files.path('other'))
    const expectComplaint = async (
      directory: string,
      cert: string,
      key: string | null,
      complaint: string,
    ) => {
      mkdirSync(files.path(directory))
      copyFileSync(files.path(cert), files.path(`${directory}/ca.crt`))
      if (key !== null) copyFileSync(files.path(key), files.path(`${directory}/ca.key`))
      await expectRefusal('keys --nodes b --out <file>', complaint, files.path(directory))
    }
    await expectComplaint(
      'no key',
      'one/ca.crt',
      null,
      'cannot read "<file>/ca.key": no such file or directory',
    )
    await expectComplaint(
      'wrong key',
      'one/ca.crt',
      'other/ca.key',
      '"<file>/ca.key" is not the key of "<file>/ca.crt"',
    )
    await expectComplaint(
      'no key in it',
      'one/ca.crt',
      'one/a.crt',
      '"<file>/ca.key" is not the key of "<file>/ca.crt"',
    )
    await expectComplaint(
      'a node',
      'one/a.crt',
      'one/a.key',
      '"<file>/ca.crt" is not the certificate of an authority',
    )
    await expectComplaint(
      'no cert',
      'one/a.key',
      'one/a.key',
      '"<file>/ca.crt" is not the certificate of an authority',
    )
    mkdirSync(files.path('only key'))
    copyFileSync(files.path('one/ca.key'), files.path('only key/ca.key'))
    await expectRefusal(
      'keys --nodes b --out <file>',
      '"<file>/ca.key" exists and is not overwritten',
      files.path('only key'),
    )
  })

  test('uses no authority with a key of another kind', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    mkdirSync(files.path('rsa'))
    files.write('rsa/ca.key', String(privateKey.export({ type: 'pkcs8', format: 'pem' })))
    const args = [
      'req',
      '-x509',
      '-new',
      '-key',
      files.path('rsa/ca.key'),
      '-subj',
      '/CN=x',
      '-days',
      '2',
      '-out',
      files.path('rsa/ca.crt'),
    ]
    execFileSync('openssl', args)
    await expectRefusal(
      'keys --nodes b --out <file>',
      '"<file>/ca.key" is not a key on P-256, as this command makes them',
      files.path('rsa'),
    )
  })

  test('refuses what it cannot make', async () => {
    await expectRefusal('keys --nodes a,,b', '--nodes a,,b: "" is not the id of a node: 1 to 255 characters')
    await expectRefusal('keys --nodes a,b,a', '--nodes a,b,a: "a" is given twice')
    await expectRefusal('keys --nodes a,ca', '--nodes a,ca: "ca" is reserved for the files of the authority')
    await expectRefusal(
      'keys --nodes a --days 0',
      '--days: "0" is not a number of days: a whole number, 1 to 3650',
    )
    await expectRefusal(
      'keys --nodes a --out <file>',
      '--out: cannot make "<file>": <file> is not a directory',
      files.write('a file', ''),
    )
    expect((await command('keys')).err).toEqual(['turnwise: give --nodes, --door or --clients'])
  })
})
