import { createHash } from 'node:crypto'
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { program } from '../../../../test/program.ts'
import { lockDirectory } from '../../src/disk/directory-lock.ts'
import { memoryDisk } from '../../src/disk/disk.ts'
import { type Files, realFiles } from '../../src/disk/files.ts'
import { newKey } from '../../src/disk/marks.ts'
import type { Owner } from '../../src/disk/owner.ts'
import {
  type Disk,
  openStateDirectory,
  StateDirectoryDamaged,
  StateDirectoryInUse,
} from '../../src/disk/state-directory.ts'
import { readState, writeState } from '../../src/disk/state-file.ts'
import { blank, type Durable } from '../../src/protocol/record.ts'
import { ACCEPTED } from './accepted.ts'

let root = ''
let path = ''
let disks: Disk[] = []
let programs: Program[] = []

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tw-'))
  path = join(root, 'deep', 'state')
  disks = []
  programs = []
})

afterEach(async () => {
  await Promise.all(disks.map((disk) => disk.close()))
  for (const each of programs) each.kill('SIGKILL')
  await rm(root, { recursive: true })
})

async function openHere(files?: Files): Promise<Disk> {
  const disk = await openStateDirectory(path, MINE, files)
  disks.push(disk)
  return disk
}

const MINE = { id: 'a', mesh: 'mesh' }
const OWNER: Owner = { ...MINE, directory: '/somewhere', fingerprint: 'f' }

describe('what is put on it', () => {
  test('is there when it is opened again; the first time it is a voter of its own', async () => {
    const first = await openHere()
    expect(first.durable).toEqual({ ...blank(first.durable.voterId) })
    expect(first.durable.voterId).toMatch(/^[0-9a-f-]{36}$/)
    await first.persist({ ...ACCEPTED, voterId: first.durable.voterId })
    expect(first.durable.k).toBe(3)
    await first.close()
    const second = await openHere()
    expect(second.durable).toEqual({ ...ACCEPTED, voterId: first.durable.voterId })
  })

  test('is written in turn; of what waits for a write the last counts', async () => {
    const written: number[] = []
    const disk = await openHere(watching((content) => void written.push(content.k)))
    const resolved: number[] = []
    const put = (k: number) => disk.persist({ ...ACCEPTED, k }).then(() => void resolved.push(k))
    // A persist right after another has ended must not overtake one that waits.
    await Promise.all([put(1).then(() => put(5)), put(2), put(3), put(4)])
    expect(written).toEqual([0, 1, 4, 5])
    expect(disk.durable.k).toBe(5)
    expect(resolved.toSorted()).toEqual([1, 2, 3, 4, 5])
  })

  test('is finished before it is closed, and nothing after', async () => {
    const disk = await openHere()
    const writing = disk.persist({ ...ACCEPTED, k: 8 })
    await Promise.all([disk.close(), disk.close()])
    await writing
    await expect(disk.persist(ACCEPTED)).rejects.toThrow('is closed')
    expect((await openHere()).durable.k).toBe(8)
  })

  test('is for nobody else to read', async () => {
    await mkdir(path, { recursive: true, mode: 0o755 })
    await openHere()
    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect((await stat(join(path, 'state'))).mode & 0o777).toBe(0o600)
  })
})

describe('a file that cannot be used is named, and left as it is', () => {
  const text = writeState(ACCEPTED, OWNER, newKey())
  const damaged: readonly (readonly [what: string, content: string, says: string])[] = [
    ['empty', '', 'it is empty'],
    ['cut short', text.slice(0, -20), 'its checksum is wrong'],
    ['cut in its first line', text.slice(0, 12), 'its beginning is lost'],
    ['altered', text.replace('"epoch":4', '"epoch":5'), 'its checksum is wrong'],
    ['of another program', '{"voterId":"v"}\n', 'it is not a state file of turnwise'],
    [
      'of a newer version',
      text.replace(' 5 ', ' 6 '),
      'it has format 6, but this version reads formats up to 5',
    ],
    ['sound, with what no voter writes', unreadable({ ...ACCEPTED, k: -1 }), 'k: -1 is not a whole number'],
  ]
  for (const [what, content, says] of damaged) {
    test(what, async () => {
      await mkdir(path, { recursive: true })
      await writeFile(join(path, 'state'), content)
      await expect(openHere()).rejects.toMatchObject({
        name: 'StateDirectoryDamaged',
        code: 'STATE_DIRECTORY_DAMAGED',
      })
      await expect(openHere()).rejects.toThrow(says)
      expect(await readFile(join(path, 'state'), 'utf8')).toBe(content)
    })
  }

  test('whatever one changes in it', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(255), (at, byte) => {
        const bytes = Buffer.from(text)
        bytes[at % bytes.length] = byte
        const read = readState(bytes.toString('utf8'))
        expect(typeof read === 'string' || bytes.toString() === text).toBe(true)
      }),
    )
    for (let end = 0; end < text.length; end += 1) expect(readState(text.slice(0, end))).toBeTypeOf('string')
  })

  test('that is missing beside a lock: it was there, so it is no new voter', async () => {
    await (await openHere()).close()
    await rm(join(path, 'state'))
    await expect(openHere()).rejects.toThrow(StateDirectoryDamaged)
    await expect(openHere()).rejects.toThrow('state is missing, but lock.1 beside it shows that it existed')
    expect(await readdir(path)).toEqual(['lock.1'])
  })

  test('of a first start that was killed before the state was there: it begins again', async () => {
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'state-0a1b2c3d'), text.slice(0, 20))
    expect((await openHere()).durable.k).toBe(0)
  })

  test('a volume of its own has a lost+found', async () => {
    await mkdir(join(path, 'lost+found'), { recursive: true })
    expect((await openHere()).durable.k).toBe(0)
  })

  test('a directory of somebody else', async () => {
    await mkdir(path, { recursive: true, mode: 0o755 })
    await writeFile(join(path, 'thesis.txt'), '')
    await expect(openHere()).rejects.toThrow('is not a state directory of turnwise: it contains "thesis.txt"')
    expect(await readdir(path)).toEqual(['thesis.txt'])
    expect((await stat(path)).mode & 0o777).toBe(0o755)
  })

  test('a path that is a file, and one that is too long', async () => {
    await mkdir(join(root, 'deep'))
    await writeFile(path, '')
    await expect(openHere()).rejects.toThrow(`the state directory ${path} cannot be used`)
    path = join(root, 'x'.repeat(90))
    await expect(openHere()).rejects.toThrow('at most 88 are allowed')
  })
})

describe('a disk that fails', () => {
  test('full: it rejects, then and for ever, and the old state is there', async () => {
    let isFull = false
    const disk = await openHere({
      ...watching(() => {
        if (isFull) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      }),
    })
    await disk.persist({ ...ACCEPTED, k: 4 })
    isFull = true
    const attempts = [disk.persist({ ...ACCEPTED, k: 5 }), disk.persist({ ...ACCEPTED, k: 6 })]
    for (const attempt of attempts) await expect(attempt).rejects.toThrow('cannot be written: ENOSPC')
    isFull = false
    await expect(disk.persist({ ...ACCEPTED, k: 7 })).rejects.toThrow('ENOSPC')
    expect(disk.durable.k).toBe(4)
    await disk.close()
    expect((await openHere()).durable.k).toBe(4)
  })

  test('what could not be read again is not written, and the node stops with the old state', async () => {
    const disk = await openHere()
    const beyond = { ...ACCEPTED, promised: { epoch: 2 ** 36, ballot: '' } }
    await expect(disk.persist(beyond)).rejects.toThrow(
      'cannot be written: it could not be read again: promised: epoch: 68719476736 is not a whole number',
    )
    await disk.close()
    expect((await openHere()).durable.k).toBe(0)
  })

  test('of a write only the syncs wait for another turn of the event loop', async () => {
    let syncs = 0
    const sync = () => {
      syncs += 1
      return Promise.resolve()
    }
    const disk = await openHere({ ...realFiles, sync })
    syncs = 0
    let hasTurned = false
    setImmediate(() => {
      hasTurned = true
    })
    await disk.persist({ ...ACCEPTED, k: 4 })
    expect(hasTurned).toBe(false)
    expect(syncs).toBe(process.platform === 'win32' ? 1 : 2)
    await disk.close()
    expect((await openHere()).durable.k).toBe(4)
  })

  test('at each step of a write: nothing is answered for, and the old or the new state is there', async () => {
    for (const step of ['open', 'write', 'sync', 'rename', 'sync directory']) {
      path = join(root, step.replace(' ', '-'))
      let failing = ''
      const disk = await openHere(failingAt(() => failing))
      await disk.persist({ ...ACCEPTED, k: 4 })
      failing = step
      await expect(disk.persist({ ...ACCEPTED, k: 5 })).rejects.toThrow(`EIO at ${step}`)
      await disk.close()
      expect((await openHere()).durable.k).toBe(step === 'sync directory' ? 5 : 4)
    }
  })
})

describe('one at a time', () => {
  test('within a process', async () => {
    const disk = await openHere()
    await expect(openHere()).rejects.toMatchObject({
      name: 'StateDirectoryInUse',
      code: 'STATE_DIRECTORY_IN_USE',
    })
    await expect(openHere()).rejects.toThrow(`the state directory ${path} is in use`)
    await disk.close()
    await openHere()
  })

  test('of many that want a directory whose owner has died, one gets it, every time', async () => {
    await (await openStateDirectory(path, MINE)).close()
    for (let round = 0; round < 10; round += 1) {
      const attempts = await Promise.allSettled(
        Array.from({ length: 8 }, () => openStateDirectory(path, MINE)),
      )
      const owners = attempts.filter((attempt) => attempt.status === 'fulfilled')
      expect(owners.length).toBe(1)
      await get(owners, 0).value.close()
    }
    expect((await readdir(path)).toSorted()).toEqual(['lock.11', 'state'])
  })

  test('who stopped between its look and its step finds the place it looked at long cleared, and looks again', async () => {
    for (const _ of ['lock.1', 'lock.2']) await (await openStateDirectory(path, MINE)).close()
    await openHere()
    expect((await readdir(path)).toSorted()).toEqual(['lock.3', 'state'])
    const linked: string[] = []
    let looks = 0
    const late = await lockDirectory(path, {
      unlink,
      readdir: async (directory) => {
        looks += 1
        return looks === 1 ? ['lock.1', 'state'] : await readdir(directory)
      },
      link: async (from, to) => {
        linked.push(basename(to))
        await link(from, to)
      },
    })
    expect(linked).toEqual(['lock.2'])
    expect(late).toBeNull()
    expect((await readdir(path)).toSorted()).toEqual(['lock.3', 'state'])
  })

  test('between processes, and at once free when its owner is killed', async () => {
    const holder = start('hold')
    expect(await firstLine(holder)).toBe('open')
    await expect(openHere()).rejects.toThrow(StateDirectoryInUse)
    expect(await firstLine(start('hold'))).toBe('StateDirectoryInUse')
    holder.kill('SIGSTOP')
    await expect(openHere()).rejects.toThrow(StateDirectoryInUse)
    await holder.end()
    await openHere()
  })

  test('on a disk that two machines can mount, neither gets it: each would take the other one for dead', async () => {
    const on = (type: number) => openHere({ ...realFiles, platform: 'linux', statfs: async () => ({ type }) })
    await expect(on(0x6969)).rejects.toThrow(
      `the state directory ${path} cannot be used: it is on NFS, which other machines can mount too: use a local disk`,
    )
    expect(await readdir(path)).toEqual([])
    await on(0xef53)
  })

  test('of several processes that start together one gets it', async () => {
    const lines = await Promise.all(Array.from({ length: 4 }, () => firstLine(start('hold'))))
    expect(lines.toSorted()).toEqual([...Array.from({ length: 3 }, () => 'StateDirectoryInUse'), 'open'])
  })
})

test('killed while it writes, it holds what was acknowledged last, or the one after that', async () => {
  let before = 0
  for (const writes of [1, 7, 40, 83]) {
    const writer = start('write')
    expect(await firstLine(writer)).toBe('open')
    const lines = () => writer.out.trimEnd().split('\n')
    await writer.until(`${writes} writes`, () => (lines().length > writes ? true : null))
    await writer.end()
    const acknowledged = Number(lines().at(-1))
    expect(acknowledged).toBeGreaterThanOrEqual(before + writes)
    const disk = await openHere()
    expect([acknowledged, acknowledged + 1]).toContain(disk.durable.k)
    before = disk.durable.k
    await disk.close()
  }
})

test('in memory: each is a voter of its own', async () => {
  const disk = memoryDisk()
  expect(disk.durable.voterId).not.toBe(memoryDisk().durable.voterId)
  await disk.persist(ACCEPTED)
  expect(disk.durable).toEqual(ACCEPTED)
  await disk.close()
})

/** The real files, with a look at every state before it is written. */
function watching(look: (content: Durable) => void): Files {
  return {
    ...realFiles,
    write: (file, content) => {
      look(readState(content) as Durable)
      realFiles.write(file, content)
    },
  }
}

function failingAt(step: () => string): Files {
  const directories = new Set<number>()
  const fail = (at: string) => {
    if (step() === at) throw new Error(`EIO at ${at}`)
  }
  return {
    ...realFiles,
    rename: (from, to) => {
      fail('rename')
      realFiles.rename(from, to)
    },
    open: (path, flags) => {
      if (flags === 'w') fail('open')
      const file = realFiles.open(path, flags)
      if (flags === 'r') directories.add(file)
      else directories.delete(file)
      return file
    },
    write: (file, content) => {
      fail('write')
      realFiles.write(file, content)
    },
    sync: async (file) => {
      fail(directories.has(file) ? 'sync directory' : 'sync')
      await realFiles.sync(file)
    },
  }
}

/** What a writer would have to be broken for: the checksum is right. */
function unreadable(durable: Durable): string {
  const body = `${JSON.stringify({ ...durable, owner: OWNER })}\n`
  return `turnwise-state 2 sha256:${createHash('sha256').update(body).digest('hex')}\n${body}`
}

const CHILD = await program(new URL('child.ts', import.meta.url))

/** Runs `child.ts` on the directory. */
function start(task: 'hold' | 'write'): Program {
  const started = new Program([CHILD, task, path])
  programs.push(started)
  return started
}

async function firstLine(started: Program): Promise<string> {
  const [line] = await started.says(/.*(?=\n)/)
  return line
}
