import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { freeAddress } from '@turnwise/fleet/ports'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { present } from '../../../test/present.ts'
import { assemble } from '../src/assemble.ts'
import { memoryDisk } from '../src/disk/disk.ts'
import { defaultVoters, type JoinOptions, join, joinNode } from '../src/join.ts'
import { NoQuorumError } from '../src/locks/errors.ts'
import { isZone } from '../src/protocol/zones.ts'
import type { Mesh } from '../src/surface.ts'
import { isObject } from '../src/transport/checks.ts'
import { memoryHub } from './meshes.ts'
import { reasonOf } from './web-locks/worlds.ts'

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1981)
const isText = (value: unknown) => typeof value === 'string'
const isNumber = (value: unknown) => typeof value === 'number'
const isFlag = (value: unknown) => typeof value === 'boolean'

async function refusedInOneLine(options: object, text: string): Promise<void> {
  const error = await reasonOf(joinNode(options))
  expect(error).toBeInstanceOf(InvalidInput)
  const { message } = error as Error
  expect(message).toContain(text)
  expect(message).not.toContain('\n')
  expect(message.length).toBeLessThan(500)
}

test('of more than five peers the first five by name vote, in whatever order they are listed', async () => {
  expect(defaultVoters(['g', 'b', 'a', 'f', 'e', 'd', 'c'])).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(defaultVoters(['c', 'a', 'b'])).toEqual(['c', 'a', 'b'])
  const address = await freeAddress()
  const peers = Object.fromEntries(['g', 'b', 'a', 'f', 'e', 'd', 'c'].map((id) => [id, address]))
  let voters: readonly string[] = []
  const stateDir = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const joining = joinNode({ id: 'g', peers, stateDir, timeout: 1, thread: false }, ({ status }) => {
    voters = status.voters
  })
  await expect(joining).rejects.toThrow(NoQuorumError)
  expect(voters).toEqual(['a', 'b', 'c', 'd', 'e'])
})

describe('what join is given', () => {
  test.each([
    ['a text that is no place', 'x', '"x" is not a place to meet: ./directory'],
    [
      'peers at a place',
      { at: './x', peers: { a: '127.0.0.1:1' } },
      `peers cannot be set where the mesh meets at "${path.resolve('x')}"`,
    ],
    [
      'a lease thread at a place',
      { at: './x', thread: true },
      `thread cannot be set where the mesh meets at "${path.resolve('x')}": no lease thread runs there`,
    ],
    [
      'a port in a directory',
      { at: './x', listen: '127.0.0.1:1' },
      `listen cannot be set where the mesh meets at "${path.resolve('x')}"`,
    ],
    ['null', null, 'join expects a place or an object of options, got null'],
    ['a list', ['a'], 'join expects a place or an object of options, got a list'],
    // Each of these was a mesh of one, in every process.
    ['undefined', undefined, 'join got undefined for a place or options: only join() is a mesh of one'],
    [
      'a map',
      new Map([['at', './x']]),
      'join expects a place or an object of options, got an object of a class ("Map")',
    ],
    ['a promise', Promise.resolve('./x'), 'got an object of a class ("Promise")'],
    ['a place that is undefined', { at: undefined }, 'at: undefined is not a text'],
    ['a place that is a URL', { at: new URL('file:///x') }, 'at: an object of a class ("URL") is not a text'],
    [
      'peers that are undefined',
      { id: 'a', peers: undefined },
      'peers: undefined is not an object with an address',
    ],
    ['no peers', { id: 'a', peers: {} }, 'peers is empty: name the nodes, or leave it out for a mesh of one'],
    [
      'a map of peers',
      { id: 'a', peers: new Map([['a', '127.0.0.1:1']]) },
      'peers: an object of a class ("Map") is not',
    ],
    ['a port, and nobody who would call', { listen: '127.0.0.1:1' }, 'listen needs peers or a place'],
    ['a secret without others', { id: 'a', secret: 'x'.repeat(16) }, 'secret needs peers or a place'],
    ['certificates without others', { tls: { ca: '', cert: '', key: '' } }, 'tls needs peers or a place'],
    ['an address without others', { id: 'a', advertise: '10.0.0.1:1' }, 'advertise needs peers or a place'],
    [
      'a mesh without others',
      { mesh: 'orders' },
      'mesh needs peers or a place: only join() is a mesh of one',
    ],
    ['a directory alone, told to wait', { waitOutLease: true }, 'waitOutLease needs peers or a place'],
    ['open to nobody', { insecure: true }, 'insecure needs peers or a place'],
    [
      'itself as its only peer, without a directory',
      { id: 'a', peers: { a: '127.0.0.1:1' } },
      'join with peers needs a stateDir',
    ],
    ['a mistyped option', { leese: 500 }, '"leese" is not an option of join: did you mean "lease"?'],
    ['a text for an object', { peers: 'a' }, 'peers: "a" is not an object with an address for each node'],
    ['a number for an address', { peers: { a: 7101 } }, 'peers: an object is not an object with an address'],
    ['a text for a flag', { firstStart: 'no' }, 'firstStart: "no" is not true or false'],
    ['a text for a time', { timeout: '300' }, 'timeout: "300" is not a number of milliseconds'],
    ['a voter that is no list', { voters: 'a' }, 'voters: "a" is not a list of nodes'],
    ['a zone with a space', { zone: 'eu west' }, 'zone: "eu west" is not 1 to 63 letters, digits,'],
    ['an empty zone', { zone: '' }, 'zone: "" is not 1 to 63 letters, digits,'],
    [
      'a name every object knows',
      { constructor: 1 },
      '"constructor" is not an option of join: the options are at,',
    ],
  ])('%s is refused', async (_, options, text) => {
    const error = await reasonOf(join(options as JoinOptions))
    expect(error).toBeInstanceOf(InvalidInput)
    expect(error).toMatchObject({ name: 'InvalidInput', code: 'INVALID_INPUT' })
    expect((error as Error).message).toContain(text)
    expect((error as Error).message).not.toContain('\n')
  })

  test('a second place or second options are refused', async () => {
    const calls: [unknown, unknown, string][] = [
      ['./x', { at: './y' }, 'join got two places: leave out "at"'],
      [
        { lease: 500 },
        { at: './y' },
        'join expects a place and options, or options alone, got two objects of options',
      ],
      ['./x', null, 'join expects a place or an object of options, got null'],
      ['./x', 500, 'join expects a place or an object of options, got 500'],
    ]
    const call = join as (...given: unknown[]) => Promise<Mesh>
    for (const [first, second, text] of calls)
      expect(await reasonOf(call(first, second))).toMatchObject({ code: 'INVALID_INPUT', message: text })
  })

  test('a URL is a place: two that join it take turns', { timeout: 60_000 }, async () => {
    const place = pathToFileURL(path.join(mkdtempSync(path.join(tmpdir(), 'turnwise-')), 'locks'))
    const [a, b] = await Promise.all([
      join(place, { lease: 60_000 }),
      join({ at: place.href, lease: 60_000 }),
    ])
    await a.locks.request('x', async () => {
      expect(await b.locks.request('x', { ifAvailable: true }, (lock) => lock)).toBe(null)
    })
    await Promise.all([a.leave(), b.leave()])
  })

  const known: Readonly<Record<string, (value: unknown) => boolean>> = {
    id: isText,
    listen: isText,
    peers: isObject,
    voters: Array.isArray,
    stateDir: isText,
    lease: isNumber,
    drift: isNumber,
    algorithm: isText,
    mesh: isText,
    zone: isZone,
    localTurns: Number.isInteger,
    quorumTimeout: isNumber,
    mostNames: isNumber,
    timeout: isNumber,
    firstStart: isFlag,
    genesis: () => false,
    thread: isFlag,
    keepAlive: isFlag,
    record: () => false,
    log: (value) => typeof value === 'function' || isObject(value),
    telemetry: (value) => value === 'auto' || value === false,
    // It counts where there are peers.
    secret: () => true,
    tls: () => false,
    insecure: isFlag,
  }
  const odd = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true, withMap: true }),
    fc.constantFrom<unknown>(Symbol('x'), () => 1, Number.NaN, Number.POSITIVE_INFINITY, ['a', 1], '\n', 10n),
  )

  test('so many turns in a row are whole, because others are told how many', async () => {
    await refusedInOneLine({ localTurns: 1.5 }, 'localTurns 1.5 is not a whole number from 1 to 16')
  })

  test('whatever has the wrong type is refused with one line', async () => {
    const wrong = fc
      .tuple(fc.constantFrom(...Object.keys(known)), odd)
      .filter(([name, value]) => value !== undefined && !present(known[name])(value))
    await fc.assert(
      fc.asyncProperty(wrong, async ([name, value]) => {
        await refusedInOneLine({ [name]: value }, name)
      }),
      { seed: SEED, numRuns: 300 },
    )
  })

  test('whatever has an unknown name is refused with one line, by the node of the command line too', async () => {
    const names = fc
      .oneof(
        fc.string({ minLength: 1 }),
        fc.constantFrom('constructor', 'toString', '__proto__', 'leese', 'a\nb', ' '.repeat(5000)),
      )
      .filter((name) => !Object.hasOwn(known, name))
    await fc.assert(
      fc.asyncProperty(names, odd, async (name, value) => {
        const options = Object.defineProperty({}, name, { value, enumerable: true })
        await refusedInOneLine(options, 'is not an option of join')
      }),
      { seed: SEED, numRuns: 300 },
    )
  })

  test('an option that is undefined counts as not given', async () => {
    const options: object = { lease: undefined, stateDir: undefined }
    const mesh = await join(options)
    await mesh.leave()
  })
})

describe('the time that join has', () => {
  test('ends when it is over, not at the next tick', { timeout: 20_000 }, async () => {
    const config = {
      peers: ['a', 'b'],
      voters: ['a', 'b'],
      // A tick a minute.
      settings: { algorithm: 'token-queue', lease: 600_000, drift: 0.002 },
      roundTrip: 5,
    }
    const transport = memoryHub(['a', 'b']).transport('a')
    const joining = assemble({ id: 'a', config, transport, disk: memoryDisk(), timeout: 50 })
    const error = await reasonOf(joining)
    expect(error).toBeInstanceOf(NoQuorumError)
    expect((error as Error).message).toContain('in 50 ms')
  })

  test('the directory can be used again by the next try', async () => {
    const [a, b] = await Promise.all([freeAddress(), freeAddress()])
    const stateDir = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
    const options: JoinOptions = { id: 'a', peers: { a, b }, stateDir, timeout: 20 }
    expect(await reasonOf(join(options))).toBeInstanceOf(NoQuorumError)
    expect(await reasonOf(join(options))).toBeInstanceOf(NoQuorumError)
  })
})

test('a read-only disk is called one', async ({ skip }) => {
  const disk = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    skip('a read-only disk needs the right to mount one')
  }
  try {
    const address = await freeAddress()
    const stateDir = path.join(disk, 'of', 'a')
    const error = await reasonOf(join({ id: 'a', peers: { a: address }, stateDir }))
    expect(error).toBeInstanceOf(InvalidInput)
    expect((error as Error).message).toContain('read-only file system')
  } finally {
    execFileSync('umount', [disk])
  }
})

describe('what is our own refuses what it does not know', () => {
  test('acquire, semaphores and elections do; request takes it, as Web Locks do', async () => {
    const mesh = await join()
    const typo = { timeoot: 5 } as object
    const text = (whose: string) => `"timeoot" is not an option of ${whose}: did you mean "timeout"?`
    expect(await reasonOf(mesh.locks.acquire('L', typo))).toMatchObject({ message: text('acquire') })
    const pool = mesh.semaphore('S', 2)
    expect(await reasonOf(pool.acquire(typo))).toMatchObject({ message: text('a semaphore') })
    expect(await reasonOf(mesh.election('E').campaign(typo))).toMatchObject({ message: text('an election') })
    expect(await mesh.locks.request('L', typo, () => 'inside')).toBe('inside')
    await mesh.leave()
  })
})
