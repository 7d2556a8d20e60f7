/** A state directory is that of one node, in one place: promises and sessions of a copy would count as its own. */
import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Disk, openStateDirectory } from '../../src/disk/state-directory.ts'
import { readStored, type Stored } from '../../src/disk/state-file.ts'
import { blank, type Durable } from '../../src/protocol/record.ts'
import { ACCEPTED } from './accepted.ts'

let root = ''
let path = ''
let disks: Disk[] = []

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tw-'))
  path = join(root, 'state')
  disks = []
})

afterEach(async () => {
  await Promise.all(disks.map((disk) => disk.close()))
  await rm(root, { recursive: true })
})

describe('what belongs to another', () => {
  async function copied(to: string): Promise<string> {
    const disk = await opening(path)
    await disk.persist({ ...ACCEPTED, voterId: disk.durable.voterId })
    await disk.close()
    const copy = join(root, to)
    await cp(path, copy, { recursive: true, filter: (file) => !file.includes('lock') })
    return copy
  }
  const opening = (at: string, id = 'a', mesh = 'mesh', warn?: (line: string) => void) =>
    openStateDirectory(at, { id, mesh, ...(warn !== undefined && { warn }) })

  test('a node: a copy of its directory is not opened under another id', async () => {
    const copy = await copied('b')
    await expect(opening(copy, 'b')).rejects.toMatchObject({
      name: 'StateDirectoryOfAnother',
      code: 'STATE_DIRECTORY_OF_ANOTHER',
    })
    await expect(opening(copy, 'b')).rejects.toThrow(
      `the state directory ${copy} cannot be used: it belongs to node "a", not to node "b"`,
    )
    // Not even where it is.
    await expect(opening(path, 'b')).rejects.toThrow('it belongs to node "a", not to node "b"')
  })

  test('a mesh', async () => {
    const copy = await copied('b')
    await expect(opening(copy, 'a', 'staging')).rejects.toThrow(
      'it belongs to the mesh "mesh", not to "staging"',
    )
  })

  test('a copy is not opened under the same id either while the original is there', async () => {
    const copy = await copied('b')
    await expect(opening(copy)).rejects.toThrow(
      `the state directory ${copy} is a copy of ${path}, which is still there: remove one of the two`,
    )
    await rm(path, { recursive: true })
    const warnings: string[] = []
    disks.push(await opening(copy, 'a', 'mesh', (line) => void warnings.push(line)))
    expect(warnings).toEqual([expect.stringContaining(`it was last written as ${path}.`)])
  })

  test('one that was moved within its file system, or is seen by another path, is the same', async () => {
    await copied('unused')
    await rename(path, join(root, 'moved'))
    await symlink(join(root, 'moved'), path)
    for (const at of [join(root, 'moved'), path]) {
      const warnings: string[] = []
      const disk = await opening(at, 'a', 'mesh', (line) => void warnings.push(line))
      expect(warnings).toEqual([])
      await disk.close()
    }
  })

  describe('written before directories had owners', () => {
    /** Format 1, as the first versions wrote it. */
    async function ofOld(durable: Durable): Promise<void> {
      const body = `${JSON.stringify(durable)}\n`
      const sum = createHash('sha256').update(body).digest('hex')
      await mkdir(path, { recursive: true })
      await writeFile(join(path, 'state'), `turnwise-state 1 sha256:${sum}\n${body}`)
    }

    test('opens, and has one when it is next written', async () => {
      await ofOld(ACCEPTED)
      const disk = await opening(path)
      expect(disk.durable).toMatchObject({ voterId: ACCEPTED.voterId, k: ACCEPTED.k })
      await disk.persist({ ...ACCEPTED, k: 4 })
      await disk.close()
      const stored = readStored(await readFile(join(path, 'state'), 'utf8')) as Stored
      expect(stored.owner).toMatchObject({ id: 'a', mesh: 'mesh', directory: path })
      expect(stored.durable.k).toBe(4)
    })

    test('marks its words from the next life on, and so does every copy of it', async () => {
      await ofOld(ACCEPTED)
      const said = { k: 4, promised: 7, accepted: 4 }
      const first = await opening(path)
      expect(first.marks).toBeUndefined()
      await first.persist({ ...ACCEPTED, k: 4 })
      await first.close()
      const one = await opening(path)
      const mark = one.marks?.of(said) ?? ''
      await one.persist({ ...ACCEPTED, k: 5 })
      await one.close()
      const later = await opening(path)
      disks.push(later)
      expect(later.marks?.isOwn({ ...said, mark })).toBe(true)
      expect(later.marks?.isOwn({ ...said, k: 5, mark })).toBe(false)
      expect(later.marks?.isOwn({ ...said, mark: '' })).toBe(false)
    })

    test('its record tells whose voter it is', async () => {
      await ofOld(ACCEPTED)
      await expect(opening(path, 'b')).rejects.toThrow('it belongs to node "a", not to node "b"')
    })

    test('whose it is cannot be told of one that has voted on nothing', async () => {
      await ofOld({ ...blank('v'), k: 1 })
      const disk = await opening(path, 'b')
      disks.push(disk)
      expect(disk.durable.k).toBe(1)
    })
  })
})
