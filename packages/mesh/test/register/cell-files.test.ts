/** One process stops before any of its steps, and another does all that it likes meanwhile. Both see cells that change in one step. */
import * as disk from 'node:fs'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Program } from '@turnwise/fleet/program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../../../../test/extent.ts'
import { program } from '../../../../test/program.ts'
import type { Steps } from '../../src/register/cell-files.ts'
import { type DirectoryRegister, openDirectory } from '../../src/register/directory.ts'
import type { Change } from './stepper.ts'

let root = ''
let other: DirectoryRegister
let stepper: Stepper
const cells = () => join(other.directory, 'cells')
const values = () => join(other.directory, 'values')

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'tw-'))
  other = await openDirectory(root, 'mesh')
  stepper = await Stepper.start()
})

afterAll(async () => {
  await stepper.program.end()
  await other.close()
  rmSync(root, { recursive: true })
})

const STEPPER = await program(new URL('stepper.ts', import.meta.url))

class Stepper {
  readonly program = new Program([STEPPER, root, 'mesh'])
  readonly #said: string[] = []
  /** Its name in the directory. */
  process = ''

  static async start(): Promise<Stepper> {
    const started = new Stepper()
    started.program.hear = (line) => started.#said.push(line)
    started.process = (await started.hears()).slice('open '.length)
    return started
  }

  tell(line: string): void {
    this.program.child.stdin?.write(`${line}\n`)
  }

  /** The next line that it says. */
  async hears(): Promise<string> {
    await this.program.until('an answer', () => (this.#said.length === 0 ? null : true))
    return this.#said.shift() ?? ''
  }

  /** `meanwhile` runs if it stops on the way. Resolves with the outcome. */
  async does(
    change: Change,
    meanwhile: () => Promise<void>,
  ): Promise<{ stopped: boolean; outcome: unknown }> {
    this.tell(JSON.stringify(change))
    const first = await this.hears()
    if (first === 'at') {
      await meanwhile()
      this.tell('go on')
    }
    const end = first === 'at' ? await this.hears() : first
    return { stopped: first === 'at', outcome: JSON.parse(end.slice('end '.length)) }
  }
}

/** In which state a cell is found. Killed processes leave the last two. */
const FIRST = {
  absent: () => {},
  whole: () => {},
  damaged: (_, version) => writeFileSync(join(values(), version), 'half'),
  'without its value': (_, version) => rmSync(join(values(), version)),
  gone: (cell) => {
    mkdirSync(join(cells(), cell))
    writeFileSync(join(cells(), cell, 'gone'), '')
  },
  empty: (cell) => mkdirSync(join(cells(), cell)),
} satisfies Record<string, (cell: string, version: string) => void>
type First = keyof typeof FIRST

const OWN = ['read', 'create', 'replace', 'delete'] as const
const OTHERS = [
  ['read'],
  ['create'],
  ['replace'],
  ['delete'],
  ['delete', 'create'],
  ['create', 'delete'],
  ['replace', 'delete', 'create', 'replace'],
] as const
type Deed = (typeof OWN)[number]

/** A cell, where every deed is one step. `isFirst`: whether its version is still the first one. */
class Model {
  value: string | null
  isFirst = true

  constructor(first: First) {
    this.value = first === 'whole' ? '0' : null
  }

  /** `knows`: who reads the version right before. The stepper has the first one. */
  do(deed: Deed, value: string, knows: boolean): unknown {
    if (deed === 'read') return this.value
    const isMine = deed === 'create' ? this.value === null : this.value !== null && (knows || this.isFirst)
    if (!isMine) return 'refused'
    this.value = deed === 'delete' ? null : value
    this.isFirst = false
    return 'done'
  }
}

/** All that may be seen if the stepper's deed is one step, before, between or after those of the other. */
function allowed(first: First, own: Deed, others: readonly Deed[]): readonly string[] {
  return Array.from({ length: others.length + 1 }, (_, place) => {
    const model = new Model(first)
    const before = others.slice(0, place).map((deed) => model.do(deed, 'other', true))
    const mine = model.do(own, 'own', false)
    const after = others.slice(place).map((deed) => model.do(deed, 'other', true))
    return JSON.stringify([mine, [...before, ...after], model.value])
  })
}

async function doOther(cell: string, deed: Deed): Promise<unknown> {
  const found = await other.read(cell)
  if (deed === 'read') return found?.value ?? null
  const version = deed === 'create' ? null : (found?.version ?? 'none')
  return (await other.cas(cell, version, deed === 'delete' ? null : 'other')).kind
}

let made = 0

/** A new cell in that state, and the version that it had. */
async function cellIn(first: First): Promise<{ cell: string; version: string }> {
  const cell = `c${(made += 1)}`
  let version = 'none'
  if (!['absent', 'gone', 'empty'].includes(first)) {
    const put = await other.cas(cell, null, '0')
    version = put.kind === 'done' ? put.version : ''
  }
  FIRST[first](cell, version)
  return { cell, version: first === 'whole' ? version : 'none' }
}

function changeOf(own: Deed, cell: string, version: string, stopsAt: number): Change {
  const value = own === 'delete' ? null : 'own'
  return { cell, version: own === 'create' ? null : version, value, reads: own === 'read', stopsAt }
}

describe.each(Object.keys(FIRST) as First[])('a cell that is %s', (first) => {
  test.each(OWN)('one stops at any step of %s, and another goes on meanwhile', async (own) => {
    for (const others of OTHERS) {
      let isAtEnd = false
      for (let stopsAt = 1; !isAtEnd; stopsAt += 1) {
        const { cell, version } = await cellIn(first)
        const theirs: unknown[] = []
        const meanwhile = async () => {
          for (const deed of others) theirs.push(await doOther(cell, deed))
        }
        const { stopped, outcome } = await stepper.does(changeOf(own, cell, version, stopsAt), meanwhile)
        isAtEnd = !stopped
        if (isAtEnd) await meanwhile()
        const seen = JSON.stringify([outcome, theirs, (await other.read(cell))?.value ?? null])
        expect(allowed(first, own, others), `${others.join(', ')}: stopped before step ${stopsAt}`).toContain(
          seen,
        )
      }
    }
  })
})

describe('a process that is killed', () => {
  test.each([
    ['create', 'absent'],
    ['replace', 'whole'],
    ...(isLong
      ? ([
          ['create', 'damaged'],
          ['delete', 'whole'],
        ] as const)
      : []),
  ] as const)('at any step of %s of a cell that is %s', async (own, first) => {
    let isAtEnd = false
    for (let stopsAt = 1; !isAtEnd; stopsAt += 1) {
      const { cell, version } = await cellIn(first)
      stepper.tell(JSON.stringify(changeOf(own, cell, version, stopsAt)))
      isAtEnd = (await stepper.hears()) !== 'at'
      await stepper.program.end()
      const found = (await other.read(cell))?.value ?? null
      const [before, after] = [first === 'whole' ? '0' : null, own === 'delete' ? null : 'own']
      expect(isAtEnd ? [after] : [before, after]).toContain(found)
      const next = await doOther(cell, found === null ? 'create' : 'replace')
      expect([next, (await other.read(cell))?.value]).toEqual(['done', 'other'])
      expect(await doOther(cell, 'delete')).toBe('done')
      stepper = await Stepper.start()
    }
  })
})

test.each([
  ['create', 'absent'],
  ['replace', 'whole'],
] as const)('a process whose witness was cleaned away loses nothing: %s', async (own, first) => {
  rmSync(join(other.directory, stepper.process), { force: true })
  // The next process to open the directory sweeps it.
  const meanwhile = async () => (await openDirectory(root, 'mesh')).close()
  let isAtEnd = false
  for (let stopsAt = 1; !isAtEnd; stopsAt += 1) {
    const { cell, version } = await cellIn(first)
    const { stopped, outcome } = await stepper.does(changeOf(own, cell, version, stopsAt), meanwhile)
    isAtEnd = !stopped
    expect([outcome, (await other.read(cell))?.value], `stopped before step ${stopsAt}`).toEqual([
      'done',
      'own',
    ])
  }
})

test('a process whose directory is cleaned while it creates a cell gives up', async () => {
  const { cell, version } = await cellIn('absent')
  const meanwhile = async () => {
    for (const name of readdirSync(other.directory).filter((each) => each.startsWith('t')))
      rmSync(join(other.directory, name), { recursive: true })
  }
  // Its fourth step is the rename of what it prepared.
  const { stopped, outcome } = await stepper.does(changeOf('create', cell, version, 4), meanwhile)
  expect([stopped, outcome, await other.read(cell)]).toEqual([true, 'unknown', null])
})

test.each(['absent', 'whole'] as const)(
  'a rename that took place, and is reported as failed, loses no value: a cell that is %s',
  async (first) => {
    const { cell, version } = await cellIn(first)
    const renameSync: Steps['renameSync'] = (from, to) => {
      disk.renameSync(from, to)
      throw Object.assign(new Error('EIO: i/o error, rename'), { code: 'EIO' })
    }
    const unlucky = await openDirectory(root, 'mesh', { steps: { ...disk, renameSync } })
    expect(await unlucky.cas(cell, first === 'absent' ? null : version, 'own')).toMatchObject({
      kind: 'unknown',
    })
    expect((await other.read(cell))?.value).toBe('own')
    await unlucky.close()
  },
)

test('nothing is left in the end', async () => {
  for (const cell of (await other.list('')).keys()) expect(await doOther(cell, 'delete')).toBe('done')
  await stepper.program.end()
  await other.close()
  // Of openers that have left, only what is old is removed.
  for (const value of readdirSync(values())) utimesSync(join(values(), value), 0, 0)
  // One opener checks some files, the next one others.
  for (let i = 0; i < 50; i += 1) await (await openDirectory(root, 'mesh')).close()
  other = await openDirectory(root, 'mesh')
  expect(readdirSync(other.directory).toSorted()).toEqual(['cells', other.process, 'values'])
  expect([readdirSync(cells()), readdirSync(values())]).toEqual([[], []])
})
