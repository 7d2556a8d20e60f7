/** Up to when the last life of a voter acknowledged (R19): what counts, and all that must not. */
import { execFile, execFileSync } from 'node:child_process'
import { closeSync } from 'node:fs'
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { byteAt, get } from '@turnwise/core/bounds'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { machineTime } from '../../src/lease/clock.ts'
import { Stamp, stampPath } from '../../src/lease/stamp.ts'
import { makeFile, type Reach, readRecords, recordOfThread, whyNoMemory } from '../../src/lease/stamp-file.ts'
import type { Durable } from '../../src/protocol/record.ts'
import { ACCEPTED } from '../disk/accepted.ts'

const obstacle = process.platform === 'linux' ? whyNoMemory('/dev/shm') : 'only Linux has stamps'

/** So long that no pause of a busy machine looks like a jump of the clock. */
const LEASE = 100_000

let folder = ''
let lives: Stamp[] = []

beforeEach(async () => {
  if (obstacle !== null) return
  folder = await mkdtemp('/dev/shm/tw-')
  lives = []
})

afterEach(async () => {
  if (obstacle !== null) return
  for (const life of lives) life.close()
  await rm(folder, { recursive: true })
})

const stateOf = (k: number): Durable => ({ ...ACCEPTED, voterId: 'v1', k })

/** A life of the voter that finds this session on its disk. */
function life(k: number, of: { voterId?: string; directory?: string; path?: string } = {}): Stamp {
  const stamp = new Stamp({ voterId: 'v1', directory: 'd1', path: folder, leaseMs: LEASE, k, ...of }, folder)
  lives.push(stamp)
  return stamp
}

/** It has started with session `k`, acknowledges, and ends without a word. */
function lived(k: number): Stamp {
  const stamp = life(k - 1)
  stamp.quietFor()
  stamp.follow(stateOf(k))
  expect(stamp.cover()).toBe(true)
  return stamp
}

async function path(): Promise<string> {
  const name = get(await readdir(folder), 0)
  return join(folder, name)
}

type Found = Reach & Record<string, unknown>

async function records(): Promise<readonly [Found, Found]> {
  const found = readRecords(await path())
  if (typeof found === 'string') throw new Error(found)
  return found
}

/** The file, as another would have written it. */
async function rewrite(change: (program: Found, thread: Found) => readonly [object, object]): Promise<void> {
  const [program, thread] = change(...(await records()))
  closeSync(makeFile(await path(), JSON.stringify(program), JSON.stringify(thread)))
}

function earlier(ms: number): (program: Found, thread: Found) => readonly [Found, Found] {
  const until = machineTime() - ms
  return (program, thread) => [
    { ...program, until },
    { ...thread, until },
  ]
}

function owesWhole(stamp: Stamp, why: string | RegExp): void {
  expect(stamp.quietFor()).toBe(0)
  expect(stamp.why).toMatch(why)
}

describe.skipIf(obstacle !== null)('the stamp of a voter', () => {
  test('all processes of a machine have one clock', async () => {
    const script = 'console.log(Number(process.hrtime.bigint()) / 1e6)'
    const before = machineTime()
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script])
    expect(Number(stdout)).toBeGreaterThan(before)
    expect(Number(stdout)).toBeLessThan(machineTime())
  })

  test('is written ahead of the first ack, and again only when time has reached it', async () => {
    const stamp = lived(3)
    const [{ until }] = await records()
    expect(until).toBeGreaterThan(machineTime())
    expect(stamp.cover()).toBe(true)
    expect((await records())[0].until).toBe(until)
  })

  test('tells the next life for how long nothing was acknowledged', async () => {
    lived(3)
    await rewrite(earlier(700))
    const next = life(3)
    const quietFor = next.quietFor()
    expect(next.why).toBeNull()
    expect(quietFor).toBeGreaterThanOrEqual(700)
    expect(quietFor).toBeLessThan(LEASE)
  })

  test('that is ahead of the time counts as now', () => {
    lived(3)
    const next = life(3)
    expect(next.quietFor()).toBe(0)
    expect(next.why).toBeNull()
  })

  test('the later of its two records counts', async () => {
    lived(3)
    const [long, short] = [0.9 * LEASE, 400]
    for (const [one, other] of [
      [long, short],
      [short, long],
    ] as const) {
      await rewrite((program, thread) => [
        earlier(one)(program, thread)[0],
        earlier(other)(program, thread)[1],
      ])
      expect(life(3).quietFor()).toBeLessThan(long)
    }
  })

  test('a life that is killed before its first ack passes on what it found', async () => {
    lived(3)
    await rewrite(earlier(700))
    const second = life(3)
    second.quietFor()
    const [before] = await records()
    second.follow(stateOf(4))
    for (const record of await records())
      expect(record).toMatchObject({ until: before.until, apart: before.apart })
    const third = life(4)
    expect(third.quietFor()).toBeGreaterThanOrEqual(700)
    expect(third.why).toBeNull()
  })

  test('a life that found none counts from its own start', async () => {
    const first = life(3)
    owesWhole(first, 'no stamp was found')
    const before = machineTime()
    first.follow(stateOf(4))
    expect((await records())[0].until).toBeGreaterThanOrEqual(before)
  })

  test('a session that begins anew in one life (R7) keeps it', async () => {
    const stamp = lived(3)
    const [{ until, apart }] = await records()
    stamp.follow(stateOf(4))
    expect((await records())[0]).toMatchObject({ session: 4, until, apart })
    const next = life(4)
    next.quietFor()
    expect(next.why).toBeNull()
  })

  test('a node that has never voted has none', async () => {
    life(0).follow({ ...stateOf(1), accepted: null })
    expect(await readdir(folder)).toEqual([])
  })

  test('ends with a life that ends in good order', async () => {
    lived(3).close()
    expect(await readdir(folder)).toEqual([])
  })

  test('is swept an hour after its last write if the state directory is gone', async () => {
    const path = join(folder, 'gone')
    for (const of of [{ voterId: 'v2', path }, { voterId: 'v3' }, { voterId: 'v4', path }]) {
      const stamp = life(1, of)
      stamp.follow({ ...stateOf(2), voterId: of.voterId })
    }
    const hours = Date.now() / 1000 - 2 * 3600
    for (const voterId of ['v2', 'v3']) await utimes(stampPath(voterId, folder), hours, hours)
    lived(3)
    const left = ['v1', 'v3', 'v4'].map((voterId) => basename(stampPath(voterId, folder)))
    expect((await readdir(folder)).toSorted()).toEqual(left.toSorted())
  })

  describe('does not count', () => {
    test.each([
      ['an old copy of the directory', 2],
      ['a life in between that left none', 4],
    ])('with %s', async (_, k) => {
      lived(3)
      await rewrite(earlier(700))
      owesWhole(life(k), 'it is of another session')
    })

    test('in another directory', async () => {
      lived(3)
      owesWhole(life(3, { directory: 'd2' }), 'it is of another directory')
    })

    test.each(['boot', 'clock', 'voter', 'format'])('with another %s', async (field) => {
      lived(3)
      await rewrite((program, thread) => [{ ...program, [field]: 'x' }, thread])
      owesWhole(life(3), `it is of another ${field}`)
    })

    test('for another voter', () => {
      lived(3)
      owesWhole(life(3, { voterId: 'v2' }), 'no stamp was found')
    })

    test.each([0.2, -0.2])('after one of the clocks jumped by %d of a lease', async (share) => {
      lived(3)
      await rewrite((program, thread) => [
        program,
        { ...thread, until: program.until + 1, apart: thread.apart + share * LEASE },
      ])
      owesWhole(life(3), /^a clock jumped by \d+ ms$/)
    })

    test.each([{ until: 'soon' }, { until: null }, { apart: null }])(
      'with %j in a record',
      async (change) => {
        lived(3)
        await rewrite((program, thread) => [program, { ...thread, ...change }])
        owesWhole(life(3), 'it is damaged')
      },
    )

    test('wherever it was cut, and whatever byte has changed', async () => {
      lived(3)
      const whole = await readFile(await path())
      const end = whole.lastIndexOf('\n')
      for (let length = 0; length <= end; length += 97) {
        await writeFile(await path(), whole.subarray(0, length))
        owesWhole(life(3), 'it is damaged')
      }
      for (const at of [0, 40, 60, whole.indexOf('"until"') + 10, 2050, 2100]) {
        const other = Buffer.from(whole)
        other[at] = byteAt(other, at) ^ 1
        await writeFile(await path(), other)
        owesWhole(life(3), 'it is damaged')
      }
    })

    test('if a write of it was torn anywhere: it is the old record, the new one, or none', async () => {
      lived(3)
      await rewrite(earlier(900))
      const before = await readFile(await path())
      const [old] = await records()
      await rewrite(earlier(300))
      const after = await readFile(await path())
      const [next] = await records()
      let torn = 0
      for (let cut = 0; cut < 600; cut += 7) {
        await writeFile(await path(), Buffer.concat([after.subarray(0, cut), before.subarray(cut)]))
        const found = readRecords(await path())
        if (typeof found === 'string') torn += 1
        else expect([old.until, next.until]).toContain(found[0].until)
      }
      expect(torn).toBeGreaterThan(0)
    })

    test.each([
      ['others can read or write it', async (at: string) => chmod(at, 0o660)],
      ['it has another name too', async (at: string) => link(at, `${at}-2`)],
      ['it is a link', async (at: string) => rename(at, `${at}-2`).then(() => symlink(`${at}-2`, at))],
      ['it is a directory', async (at: string) => rm(at).then(() => mkdir(at))],
      [
        'it is a pipe',
        async (at: string) => rm(at).then(() => void execFileSync('mkfifo', ['-m', '600', at])),
      ],
    ])('if %s', async (_, disguise) => {
      lived(3)
      await disguise(await path())
      const next = life(3)
      expect(next.quietFor()).toBe(0)
      expect(next.why).not.toBeNull()
      next.follow(stateOf(4))
      expect(next.cover()).toBe(true)
    })

    test.skipIf(process.getuid?.() !== 0)('if it belongs to another user', async () => {
      lived(3)
      await chown(await path(), 65534, 65534)
      owesWhole(life(3), 'it may be of another user')
    })
  })

  describe('that cannot be written', () => {
    test('is gone before the ack leaves', async () => {
      const stamp = lived(3)
      const at = await path()
      await rewrite(earlier(700))
      closeSync(stamp.place?.file ?? -1)
      // The record is due when the session changes, too.
      stamp.follow(stateOf(4))
      expect(await readdir(folder)).toEqual([])
      expect(stamp.cover()).toBe(true)
      expect(readRecords(at)).toBe('no stamp was found')
      lives = lives.filter((each) => each !== stamp)
    })

    test('given up by one thread, it does not count whatever the other writes', async () => {
      const stamp = lived(3)
      const { place } = stamp
      if (place === null) throw new Error('there is no file')
      await truncate(place.path)
      expect(recordOfThread(place).cover()).toBe(true)
      owesWhole(life(3), 'it is damaged')
    })

    test('holds the ack back if it cannot be taken away either', async () => {
      const stamp = life(2)
      stamp.follow(stateOf(3))
      const { place } = stamp
      if (place === null) throw new Error('there is no file')
      await rm(place.path)
      await mkdir(join(place.path, 'x'), { recursive: true })
      const record = recordOfThread({ ...place, file: -1 })
      expect(record.cover()).toBe(false)
      await rm(place.path, { recursive: true })
      expect(record.cover()).toBe(true)
    })
  })
})
