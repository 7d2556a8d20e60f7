import { InvalidInput } from '@turnwise/core/invalid-input'
import { joinNode } from '@turnwise/mesh/join'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { CONFIG_FIELDS, readNodeConfig } from '../../src/agent/config.ts'
import { duration, durationText } from '../../src/terminal/duration.ts'
import { expectRefusal, scratch, turnwise } from './in-process.ts'

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1981)
const files = scratch()
vi.stubEnv('TURNWISE_SOCKET', '')
const FIELDS =
  'at, waitOutLease, id, listen, advertise, peers, voters, stateDir, lease, drift, algorithm, mesh, zone, localTurns, quorumTimeout, deadlockAfter, mostNames, timeout, firstStart, thread, record, audit, secret, tls, insecure, telemetry, socket, metrics, page, door, logLevel'

describe('a configuration that cannot be used is refused in one line that names all that is wrong', () => {
  test.each([
    ['[]', `it is not an object with some of ${FIELDS}`],
    ['{"leese":1}', '"leese" is not an option of this file: did you mean "lease"?'],
    ['{"!?":1}', `"!?" is not an option of this file: the options are ${FIELDS}`],
    [
      '{"leese":1,"lease":"2s"}',
      '"leese" is not an option of this file: did you mean "lease"?; lease: "2s" is not a number from 50 to 600000',
    ],
    ['{"peers":["a"]}', 'peers: a list is not a map'],
    ['{"door":{"listen":"0.0.0.0:1"}}', 'door: tls: nothing is not an object'],
    [
      '{"door":{"listen":"0.0.0.0:1","tls":{"cert":"a","key":"b"},"clients":{"x":{"names":["a*b"]}}}}',
      'door: clients: "x": names: [0]: a star is allowed only at the end of a name',
    ],
    [
      '{"door":{"listen":"0.0.0.0:1","tls":{"cert":"a","key":"b"},"clients":{"x":{"token":"short","names":[]}}}}',
      'door: clients: "x": token: expected 16 to 255 letters, digits, - or _',
    ],
    ['{"peers":{"a":1}}', 'peers: "a": 1 is not a text of 1 to 255 characters'],
    ['{"firstStart":1,"voters":"a"}', 'voters: "a" is not a list; firstStart: 1 is not true or false'],
    [
      '{"secret":"too short","insecure":1}',
      'secret: expected 16 to 4096 characters, got 9; insecure: 1 is not true or false',
    ],
    ['{"tls":{"ca":"ca.crt","cert":"a.crt"}}', 'tls: key: expected a path or a text in PEM form'],
    ['{"metrics":"127.0.0.1:9464"}', 'metrics: "127.0.0.1:9464" is not an object with listen'],
    ['{"metrics":{}}', 'metrics: listen: nothing is not a text of 1 to 255 characters'],
    ['{"metrics":{"listen":"9464"}}', 'metrics.listen: "9464" is not an address like 127.0.0.1:7101'],
    ['{"metrics":{"listen":"::1:9464","port":1}}', 'metrics: expected 3 fields, got 4'],
    [
      '{"metrics":{"listen":"0.0.0.0:9464"}}',
      'metrics.listen: 0.0.0.0:9464 is beyond this machine, where anybody could read it: ' +
        'listen on 127.0.0.1, or set insecure: true in metrics',
    ],
    ['{"page":8080}', 'page: 8080 is not an object with listen'],
    ['{"page":{"token":"0123456789abcdef"}}', 'page: listen: nothing is not a text of 1 to 255 characters'],
    ['{"page":{"listen":"8080"}}', 'page.listen: "8080" is not an address like 127.0.0.1:7101'],
    [
      '{"page":{"listen":"127.0.0.1:0","token":"pass word"}}',
      'page: token: expected 16 to 255 letters, digits, - or _',
    ],
    [
      '{"page":{"listen":"0.0.0.0:8080"}}',
      'page.listen: 0.0.0.0:8080 is beyond this machine, where anybody could read it: ' +
        'listen on 127.0.0.1, or set a token in page in the file',
    ],
    [
      '{"page":{"listen":"0.0.0.0:8080","token":"0123456789abcdef"}}',
      'page.listen: 0.0.0.0:8080 is beyond this machine, and without TLS the token can be read on the network: ' +
        'set tls (cert and key) or insecure: true in page in the file',
    ],
    ['{"page":{"listen":"127.0.0.1:0","hosts":"a"}}', 'page: hosts: "a" is not a list'],
    [
      '{"metrics":{"listen":"127.0.0.1:0","hosts":[1]}}',
      'metrics: hosts: [0]: 1 is not a text of 1 to 255 characters',
    ],
    [
      '{"page":{"listen":"127.0.0.1:0","tls":{"cert":"-----BEGIN x","key":"-----BEGIN x"}}}',
      'page.tls: cert and key are not a certificate in PEM form and its key',
    ],
    ['{"telemetry":true}', 'telemetry: true is not "auto" or false'],
    ['{"logLevel":"loud"}', 'logLevel: "loud" is not one of debug, info, warn, error, silent'],
    ['{"peers":{"a":"h:1","b":"h:2"}}', 'id is missing: set it or give --id, one of a, b'],
    ['{"id":"c","peers":{"a":"h:1","b":"h:2"}}', 'id: "c" is not among the peers a, b'],
  ])('%s', async (content, complaint) => {
    const path = files.write('node.json', content)
    await expectRefusal('node --config <file>', `--config: <file>: ${complaint}`, path)
  })

  test('whatever JSON there is in it', () => {
    const names = fc.oneof(
      fc.constantFrom(...CONFIG_FIELDS),
      fc.constantFrom('__proto__', 'constructor', 'leese', 'a\nb', ''),
      fc.string(),
    )
    const values = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { listen: fc.jsonValue(), token: fc.jsonValue(), hosts: fc.jsonValue(), tls: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.record({ ca: fc.jsonValue(), cert: fc.jsonValue(), key: fc.jsonValue() }),
    )
    const content = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.tuple(names, values), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
    )
    fc.assert(
      fc.property(content, (value) => {
        const path = files.write('any.json', JSON.stringify(value))
        try {
          readNodeConfig(path)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInput)
          expect((error as Error).message).not.toContain('\n')
        }
      }),
      { seed: SEED, numRuns: 500 },
    )
  })

  test('no file, no JSON, no socket', async () => {
    expect((await turnwise(['node'])).err).toEqual(['turnwise: no mesh is given: give --at or --config'])
    await expectRefusal('node --config none', '--config: cannot read "none": no such file or directory')
    const { code, err } = await turnwise(['node', '--config', files.write('bad.json', '{')])
    expect([code, err.length]).toEqual([2, 1])
    expect(err[0]).toContain('bad.json is not JSON')
    await expectRefusal(
      'node --config <file>',
      'a node needs a control socket: give --socket, or set socket or stateDir in the file',
      files.write('bare.json', '{}'),
    )
  })

  test('an order of a first view (R26) with an epoch that cannot be one, or while a majority answers', async () => {
    const alone = files.write('alone.json', '{"id":"a","stateDir":"g","lease":50}')
    for (const epoch of ['0', '68719476736', 'now']) {
      await expectRefusal(
        `node --config <file> --genesis ${epoch}`,
        `--genesis: "${epoch}" is not an epoch: a whole number, 1 to 68719476735`,
        alone,
      )
    }
    const before = await joinNode({ id: 'a', stateDir: files.path('g'), lease: 50 })
    await before.leave()
    const { code, err } = await turnwise(['node', '--config', alone, '--genesis', '5000'])
    expect(code).toBe(2)
    expect(err.at(-1)).toMatch(
      /^turnwise: node a refuses a new first view: a majority of view \d+ still answers/,
    )
  })

  test('a page beyond this machine without a token, or with faults that a node has not to offer', async () => {
    const alone = files.write('paged.json', '{"id":"a","stateDir":"p"}')
    await expectRefusal(
      'node --config <file> --page 0.0.0.0:8080',
      '--page: 0.0.0.0:8080 is beyond this machine, where anybody could read it: ' +
        'listen on 127.0.0.1, or set a token in page in the file',
      alone,
    )
    await expectRefusal(
      'node --config <file> --page 8080',
      '--page: "8080" is not an address like 127.0.0.1:7101',
      alone,
    )
    await expectRefusal(
      'node --config <file> --page --allow-faults',
      "unknown option '--allow-faults'; see turnwise node --help",
      alone,
    )
  })

  test('a node that would let anybody in', async () => {
    const open = { id: 'a', peers: { a: '0.0.0.0:7101', b: 'h:2' }, stateDir: 'open' }
    const { code, err } = await turnwise(['node', '--config', files.write('open.json', JSON.stringify(open))])
    expect(code).toBe(2)
    expect(err.at(-1)).toBe(
      'turnwise: listening on 0.0.0.0:7101 without tls or secret would let anybody in: ' +
        'set one of them, or insecure: true',
    )
  })

  test('what join refuses', async () => {
    const path = files.write('join.json', '{"algorithm":"nobody","socket":"s/socket"}')
    const { code, err } = await turnwise(['node', '--config', path])
    expect(code).toBe(2)
    expect(err.at(-1)).toMatch(/^turnwise: .*nobody/)
  })

  test('paths are seen from where the file is, and --id counts before the file', () => {
    const path = files.write('paths.json', '{"id":"a","peers":{"a":"h:1","b":"h:2"},"stateDir":"s"}')
    const { join, socket, leaseMs } = readNodeConfig(path, 'b')
    expect({ id: join.id, stateDir: join.stateDir, socket, lease: leaseMs }).toEqual({
      id: 'b',
      stateDir: files.path('s'),
      socket: files.path('s/control/socket'),
      lease: 2000,
    })
    const cert = '-----BEGIN CERTIFICATE-----'
    const secured = { secret: 'of all nodes of the mesh', tls: { ca: 'keys/ca.crt', cert, key: '/a.key' } }
    expect(readNodeConfig(files.write('secured.json', JSON.stringify(secured))).join).toEqual({
      secret: secured.secret,
      tls: { ca: files.path('keys/ca.crt'), cert, key: '/a.key' },
    })
  })
})

test('a secret in the environment that is none is refused, and not repeated', async () => {
  vi.stubEnv('TURNWISE_SECRET', 'hush')
  onTestFinished(() => void vi.stubEnv('TURNWISE_SECRET', undefined))
  const file = files.write('env.json', JSON.stringify({ id: 'a', stateDir: 's' }))
  await expectRefusal('node --config <file>', 'TURNWISE_SECRET: expected 16 to 4096 characters, got 4', file)
})

describe('lock, status and locks', () => {
  test.each([
    ['lock', "missing required argument 'name'; see turnwise lock --help"],
    ['lock x --socket s', 'no command is given: turnwise lock NAME -- COMMAND …'],
    ['lock x --socket s --', 'no command is given: turnwise lock NAME -- COMMAND …'],
    ['lock x -- true', 'give --at, --socket (or TURNWISE_SOCKET), --config or --door'],
    [
      'lock x --at locks -- true',
      '"locks" is not a place to meet: ./directory, /directory, file:///directory, postgres://user@host/database or etcd://host:port,host:port/prefix',
    ],
    [
      'lock x --at redis://db -- true',
      '"redis://db" is not a place to meet: ./directory, /directory, file:///directory, postgres://user@host/database or etcd://host:port,host:port/prefix: a failover of Redis can lose what it acknowledged',
    ],
    ['lock x --lease 5s --socket s -- true', '--lease needs --at'],
    ['lock x --at ./l --lease 1ms -- true', '--lease: "1ms" is not a time from 50 ms to 10 min'],
    ['status', 'give --at, --socket (or TURNWISE_SOCKET), --config or --door'],
    ['locks', 'give --at, --socket (or TURNWISE_SOCKET), --config or --door'],
    ['metrics', 'give --socket (or TURNWISE_SOCKET) or --config'],
    [
      'locks --watch 5 --socket s',
      '--watch: "5" is not a time between two looks: a number with ms, s, m or h, such as 30s, at most 596h',
    ],
    [
      'locks --watch 10ms --socket s',
      '--watch: "10ms" is shorter than 100ms, the least time between two looks',
    ],
    [
      'status --ready --at ./x',
      "option '--ready' cannot be used with option '--at <place>'; see turnwise status --help",
    ],
    [
      'lock x --timeout 30 --socket s -- true',
      '--timeout: "30" is not a time to wait: a number with ms, s, m or h, such as 30s, at most 596h',
    ],
    [
      'lock x --priority high --socket s -- true',
      '--priority: "high" is not a priority: a whole number, -9007199254740991 or more',
    ],
    [
      'lock x --permits 0 --socket s -- true',
      '--permits: "0" is not a number of permits: a whole number, 1 to 64',
    ],
    [
      'lock x --steal --shared --socket s -- true',
      "option '--steal' cannot be used with option '--shared'; see turnwise lock --help",
    ],
    [
      'lock x --of a,b --take a --permits 2 --socket s -- true',
      "option '--of <names>' cannot be used with option '--permits <count>'; see turnwise lock --help",
    ],
    [
      'lock x --of a,b --take a --no-wait --socket s -- true',
      "option '--of <names>' cannot be used with option '--no-wait'; see turnwise lock --help",
    ],
    [
      'lock x --of a,b --take a --timeout 0 --socket s -- true',
      '--timeout 0 does not wait, and a request to a group (--of) waits',
    ],
    ['lock x --take a --socket s -- true', '--take needs --of, the names of the group'],
    ['lock x --of a,b --socket s -- true', '--of needs --take, the names to hold'],
    ['lock x --of a --take a --socket s -- true', '--of a: a group has 2 to 64 names, not 1'],
    [
      'lock x --of a,b,a --take a --socket s -- true',
      '--of a,b,a: "a" is twice among the names of the group "x"',
    ],
    ['lock x --of a,b, --take a --socket s -- true', '--of a,b,: a name is empty'],
    ['lock x --of a,b --take= --socket s -- true', '--take "": a name is empty'],
    [
      'lock x --of a,b --take b,c --socket s -- true',
      '--take b,c: "c" is not a name of the group "x": its names are a, b',
    ],
    ['lead x --socket s', 'no command is given: turnwise lead NAME -- COMMAND …'],
    [
      'lead --socket s -- -x true',
      '"-x" is not the name of an election: 1 to 250 characters, and not "-" first',
    ],
    ['lock --socket s -- -x true', '"-x" is not the name of a lock: 1 to 250 characters, and not "-" first'],
    ['lock x --frob -- true', "unknown option '--frob'; see turnwise lock --help"],
    ['lock x --config none -- true', '--config: cannot read "none": no such file or directory'],
  ])('%s', (line, complaint) => expectRefusal(line, complaint))

  test('a long list of names is not repeated', () =>
    expectRefusal(
      `lock x --of ${'a'.repeat(2000)},b --take b --socket s -- true`,
      `--of ${'a'.repeat(60)}…: a group and its names have at most 1024 characters in all, not 2005`,
    ))

  test('through a daemon or as a member, not both', async () => {
    expect(await turnwise('lock x --socket s --config c -- true'.split(' '))).toEqual({
      code: 2,
      out: '',
      err: [
        "turnwise: option '--config <file>' cannot be used with option '--socket <path>'; see turnwise lock --help",
      ],
    })
  })

  test.each(['status', 'locks', 'metrics'])('%s where nobody listens', async (name) => {
    const path = files.path('no-socket')
    expect(await turnwise([name, '--socket', path])).toEqual({
      code: 75,
      out: '',
      err: [`turnwise: no daemon can be reached at ${path}: no process listens there`],
    })
  })
})

test('durations, read and written', () => {
  expect(['30s', '1.5m', '200ms', '2h', '0s'].map((text) => duration(text, 'x'))).toEqual([
    30_000, 90_000, 200, 7_200_000, 0,
  ])
  for (const text of ['', '-1s', '30', 's', '1d', '597h', 'Infinitys'])
    expect(() => duration(text, 'x')).toThrow(`"${text}" is not x`)
  expect([340, 12_345, 300_000, 7_200_000, 400_000_000].map(durationText)).toEqual([
    '340 ms',
    '12.3 s',
    '5 min',
    '2 h',
    '4 days',
  ])
})
