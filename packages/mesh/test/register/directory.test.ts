import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { get } from '@turnwise/core/bounds'
import { Program } from '@turnwise/fleet/program'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/cut-proxy.ts'
import { extent, isWhole } from '../../../../test/extent.ts'
import { program } from '../../../../test/program.ts'
import { registerContract } from '../../src/register/contract.ts'
import { type DirectoryRegister, openDirectory } from '../../src/register/directory.ts'
import { realFacts, unreadable } from '../../src/register/local-directory.ts'

let root = ''
let opened: DirectoryRegister[] = []
let programs: Program[] = []

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tw-'))
  opened = []
  programs = []
})

afterEach(async () => {
  for (const each of programs) each.kill('SIGKILL')
  await Promise.all(opened.map((register) => register.close()))
  rmSync(root, { recursive: true })
})

async function openHere(mesh = 'mesh'): Promise<DirectoryRegister> {
  const register = await openDirectory(join(root, 'locks'), mesh, LONG)
  opened.push(register)
  return register
}

interface Hammer {
  readonly program: Program
  readonly name: string
  /** What it put into the counter, with the versions. */
  readonly done: [number, string][]
  readonly unknown: string[]
  /** When it has put so many numbers there. */
  reached(count: number): Promise<unknown>
}

async function hammer(): Promise<Hammer> {
  const started = start([await program(new URL('hammer.ts', import.meta.url)), join(root, 'locks'), 'mesh'])
  const done: [number, string][] = []
  const unknown: string[] = []
  started.hear = (line) => {
    const [, number, version] = /^done (\d+) (\S+)$/.exec(line) ?? []
    if (number !== undefined && version !== undefined) done.push([Number(number), version])
    else if (!line.startsWith('open ')) unknown.push(line)
  }
  const name = get(await started.says(/^open (.*)\n/), 1)
  const reached = (count: number) =>
    started.until(`${count} numbers`, () => (done.length < count ? null : done.length))
  return { program: started, name, done, unknown, reached }
}

function start(args: readonly string[]): Program {
  const started = new Program(args)
  programs.push(started)
  return started
}

describe('a directory', () => {
  const place = mkdtempSync(join(tmpdir(), 'tw-'))
  registerContract((mesh) => openDirectory(place, mesh, LONG), { test, rounds: isWhole ? 200 : 20 })

  test('leaves nothing behind but empty directories', () => {
    const files = readdirSync(place, { recursive: true, withFileTypes: true })
    expect(files.filter((file) => !file.isDirectory()).map(({ name }) => name)).toEqual([])
    rmSync(place, { recursive: true })
  })
})

describe('a directory of others, or of several machines, is refused in one line', () => {
  const refusal = async (facts: object) => {
    const opening = openDirectory(join(root, 'locks'), 'mesh', { facts: { ...realFacts, ...facts } })
    return opening.then(
      () => 'opened',
      (error: Error) => `${error.name}: ${error.message.replace(root, '')}`,
    )
  }
  const WHERE = 'InvalidInput: processes cannot meet in the directory /locks'

  test('what is made is for its owner alone', async () => {
    await openHere()
    const register = get(opened, 0)
    await register.cas('view', null, '{}')
    const files = readdirSync(root, { recursive: true, withFileTypes: true })
    for (const file of files.filter((each) => !each.isSocket()))
      expect(statSync(join(file.parentPath, file.name)).mode & 0o777).toBe(file.isDirectory() ? 0o700 : 0o600)
    expect(files.filter((each) => each.isFile())).toHaveLength(2)
  })

  test('others may write there', async () => {
    mkdirSync(join(root, 'locks'))
    chmodSync(join(root, 'locks'), 0o775)
    expect(await refusal({})).toBe(
      `${WHERE}: others may write there, its mode is 775: chmod go-w ${join(root, 'locks')}`,
    )
    chmodSync(join(root, 'locks'), 0o755)
    expect(await refusal({})).toBe('opened')
  })

  test('another owner', async () => {
    const uid = realFacts.uid + 1
    expect(await refusal({ uid })).toBe(
      `${WHERE}: it belongs to user ${realFacts.uid}, but this process is user ${uid}`,
    )
  })

  test('a look at what cannot be read says whose it is', async () => {
    const error = Object.assign(new Error("EACCES: permission denied, scandir '/locks'"), { code: 'EACCES' })
    const uid = realFacts.uid + 1
    const facts = { ...realFacts, uid, stat: async () => ({ uid: realFacts.uid, mode: 0o700 }) }
    expect(String(await unreadable('/locks', error, facts))).toBe(
      `${WHERE}: it belongs to user ${realFacts.uid}, but this process is user ${uid}`,
    )
    const hidden = { ...facts, stat: () => Promise.reject(error) }
    expect(String(await unreadable('/locks', error, hidden))).toBe(`${WHERE}: ${error.message}`)
  })

  test('a network file system', async () => {
    const statfs = (type: number) => ({ statfs: async () => ({ type }), platform: 'linux' })
    const says = (name: string) =>
      `${WHERE}: it is on ${name}, which other machines can mount too: use a local disk`
    expect(await refusal(statfs(0x6969))).toBe(says('NFS'))
    // As a signed number of 32 bits.
    expect(await refusal(statfs(0xff534d42 | 0))).toBe(says('CIFS'))
    // Behind FUSE the kind tells.
    const fuse = (kind?: string) => ({ ...statfs(0x65735546), mountKind: async () => kind })
    expect(await refusal(fuse('fuse.sshfs'))).toBe(says('fuse.sshfs'))
    expect(await refusal(fuse())).toBe(says('FUSE'))
    expect(await refusal(fuse('fuse.fuse-overlayfs'))).toBe('opened')
    expect(await refusal(statfs(0xef53))).toBe('opened')
  })

  test.skipIf(process.platform !== 'linux')('Linux names the kind of a mounted disk', async () => {
    expect(await realFacts.mountKind('/proc')).toBe('proc')
  })

  test('Windows', async () => {
    expect(await refusal({ platform: 'win32' })).toBe(`${WHERE}: Windows has no sockets in directories`)
  })

  test.runIf(process.platform === 'linux')('where none can be made', async () => {
    await expect(openDirectory('/proc/none/locks', 'mesh')).rejects.toThrow(
      "processes cannot meet in the directory /proc/none/locks: ENOENT: no such file or directory, mkdir '/proc/none'",
    )
  })

  test('a file, and a path too long for sockets', async () => {
    writeFileSync(join(root, 'locks'), '')
    expect(await refusal({})).toMatch(
      /^InvalidInput: processes cannot meet in the directory \/locks: .*\/locks is not a directory$/,
    )
    const long = join(root, 'x'.repeat(90))
    await expect(openDirectory(long, 'mesh')).rejects.toThrow(
      `processes cannot meet in ${long}/mesh: the path has ${long.length + 5} bytes, at most 88 are allowed`,
    )
  })
})

describe('what is in the way', () => {
  test('a mesh "cells" in the directory of another mesh: its files would be cells of the other', async () => {
    await openHere('other')
    const other = join(root, 'locks', 'other')
    await expect(openDirectory(other, 'cells')).rejects.toThrow(
      `a mesh "cells" cannot meet in ${other}, which is the directory of another mesh`,
    )
    opened.push(await openDirectory(join(root, 'locks', 'later'), 'cells'))
    await expect(openHere('later')).rejects.toThrow(
      `processes cannot meet in ${join(root, 'locks', 'later')}: a mesh "cells" meets inside it`,
    )
    for (const mesh of ['cells', 'values', 'cells']) await openHere(mesh)
  })

  test('a file that the end of the machine cut short counts as absent', async () => {
    const register = await openHere()
    await register.cas('view', null, '{"epoch":1}')
    const file = onlyValue(register)
    const whole = readFileSync(file, 'utf8')
    for (const damaged of ['', whole.slice(0, 20), whole.slice(0, -1), whole.replace('1}', '2}')]) {
      writeFileSync(file, damaged)
      expect(await register.read('view')).toBeNull()
      expect(await register.list('')).toEqual(new Map())
    }
    expect(await register.cas('view', null, '{"epoch":2}')).toMatchObject({ kind: 'done' })
    expect(await register.read('view')).toMatchObject({ value: '{"epoch":2}' })
  })

  test('what is to be remembered is not taken for absent where it is damaged', async () => {
    const register = await openHere()
    await register.cas('once/a', null, '{}')
    writeFileSync(onlyValue(register), '')
    await expect(register.read('once/a')).rejects.toThrow('is damaged')
    const outcome = await register.cas('once/a', null, '{}')
    expect(outcome).toEqual({ kind: 'unknown', why: expect.stringContaining('is damaged') })
  })

  test('a directory that was removed does not answer', async () => {
    const register = await openHere()
    await register.cas('view', null, '{}')
    rmSync(register.directory, { recursive: true })
    await expect(register.read('view')).rejects.toThrow('is gone')
    await expect(register.list('')).rejects.toThrow('ENOENT')
    expect(await register.cas('view', null, '{}')).toMatchObject({ kind: 'unknown' })
  })

  test('cells of an earlier version, and strange files, are told', async () => {
    const register = await openHere()
    const at = (name: string) => join(register.directory, 'cells', name)
    mkdirSync(at('rows'))
    writeFileSync(join(at('rows'), 'notes.txt'), '')
    await expect(register.read('rows')).rejects.toThrow(
      `${at('rows')} has a file that is none of its own: notes.txt`,
    )
    rmSync(at('rows'), { recursive: true })
    writeFileSync(at('view'), 'turnwise-cell 1 …')
    const told = `${at('view')} was written by an earlier version of turnwise: end the processes that meet there, and remove the directory`
    await expect(register.read('view')).rejects.toThrow(told)
    await expect(openHere()).rejects.toThrow(told)
  })

  test('what the dead left is cleaned up when another opens, but for the witness that a cell names', async () => {
    const first = await openHere()
    const at = (name: string) => join(first.directory, name)
    await corpse(at('p1.aaaaaa'))
    await corpse(at('p2.bbbbbb'))
    await corpse(at('n3.cccccc'))
    writeFileSync(at('t1-p1.aaaaaa'), 'half of a ce')
    writeFileSync(at(`t99-${first.process}`), 'of one who lives')
    await first.cas('rows/b', null, JSON.stringify({ process: 'p2.bbbbbb' }))
    const second = await openHere()
    const names = readdirSync(first.directory).toSorted()
    expect(names).toEqual(
      ['cells', 'p2.bbbbbb', first.process, second.process, `t99-${first.process}`, 'values'].toSorted(),
    )
    expect(await second.isDead('p2.bbbbbb')).toBe(true)
    expect(await second.isDead('p1.aaaaaa')).toBe(false)
  })
})

/** The file with the value of the one cell. */
function onlyValue({ directory }: DirectoryRegister): string {
  const version = get(readdirSync(join(directory, 'values')), 0)
  return join(directory, 'values', version)
}

/** The socket of a process that was killed. */
async function corpse(path: string): Promise<string> {
  const script = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('open'))`
  const started = start(['-e', script])
  await started.says(/open/)
  await started.end()
  return path
}

describe('processes', () => {
  test('that hammer it and are killed in the middle lose nothing, and hold up nobody', async () => {
    const all: Hammer[] = []
    const next = async () => {
      const one = await hammer()
      all.push(one)
      return one
    }
    const witness = await openHere()
    const steady = [await next(), await next(), await next()]
    for (let round = 0; round < extent(2, 10, 40); round += 1) {
      const victim = await next()
      await victim.reached(1 + (round % 7))
      const before = steady.map(({ done }) => done.length)
      await victim.program.end()
      expect(await witness.isDead(victim.name)).toBe(true)
      for (const [place, each] of steady.entries()) {
        expect(await witness.isDead(each.name)).toBe(false)
        await each.reached(get(before, place) + 3)
      }
    }
    for (const each of steady) await each.program.end()
    expect(all.flatMap(({ unknown }) => unknown)).toEqual([])
    mustBeOneChain(all, Number((await witness.read('view'))?.value))
    const last = await openHere()
    const left = readdirSync(last.directory).filter((name) => /^[nt]/.test(name))
    expect(left).toEqual([])
  })

  test('a process that is stopped is not dead', async () => {
    const register = await openHere()
    const stopped = await hammer()
    await stopped.reached(1)
    stopped.program.kill('SIGSTOP')
    expect(await register.isDead(stopped.name)).toBe(false)
    await stopped.program.end()
    expect(await register.isDead(stopped.name)).toBe(true)
  })

  test('a watch tells of cells that come and go, and not of those that are replaced', async () => {
    const [register, other] = [await openHere(), await openHere()]
    let heard = 0
    const made = await other.cas('rows/a', null, '1')
    const end = register.watch('rows/', () => (heard += 1))
    const replaced = await other.cas('rows/a', made.kind === 'done' ? made.version : null, '2')
    expect(replaced.kind).toBe('done')
    // The system tells of it in this order.
    await other.cas('rows/b', null, '1')
    await expect.poll(() => heard).toBe(1)
    await other.cas('rows/a', replaced.kind === 'done' ? replaced.version : null, null)
    await expect.poll(() => heard).toBe(2)
    end()
  })

  test('a watch tells of what another process writes', async () => {
    const register = await openHere()
    const heard = new Promise<void>((resolve) => {
      const end = register.watch('rows/', () => {
        end()
        resolve()
      })
    })
    await hammer()
    await heard
  })
})

/** Every number was put there by one, and its version was never another's. A killed process may have put there what it could not say. */
function mustBeOneChain(all: readonly Hammer[], last: number): void {
  const said = all.flatMap(({ done }) => done)
  const numbers = new Set(said.map(([number]) => number))
  expect(numbers.size).toBe(said.length)
  expect(new Set(said.map(([, version]) => version)).size).toBe(said.length)
  expect(Math.max(...numbers)).toBeLessThanOrEqual(last)
  expect(last - said.length).toBeLessThanOrEqual(all.length)
}
