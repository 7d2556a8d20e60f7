/** The contract finds what is wrong with a register: each mistake here is one that an engine invites. */
import { describe, expect, test } from 'vitest'
import { registerContract } from '../../src/register/contract.ts'
import { MemoryEngine } from '../../src/register/memory-engine.ts'
import { type Cell, done, REFUSED, type Register, unknown } from '../../src/register/register.ts'

/** What the contract says of a register: the names of the tests that fail. */
async function failuresOf(open: (mesh: string) => Promise<Register>): Promise<string[]> {
  const declared = new Map<string, () => Promise<void>>()
  registerContract(open, { test: (name, body) => declared.set(name, body), rounds: 5 })
  const failed: string[] = []
  for (const [name, body] of declared) {
    await body().catch(() => failed.push(name))
  }
  return failed
}

/** A register in memory of which some calls are replaced. */
function altered(alter: (sound: Register, mesh: string) => Partial<Register>) {
  const engine = new MemoryEngine()
  return async (mesh: string) => {
    const sound = engine.open(mesh)
    return { ...sound, ...alter(sound, mesh) }
  }
}

const ONCE = 'no version comes twice, though a cell is deleted and made again with what it had'
const RACED = 'of many who make, replace or delete a cell at once, one does'
const COUNTED = 'no increment of a counter is lost'
const LISTED = 'a list misses no cell that is there all the time, while others write'

/** Looks at the version, and writes in another turn of the event loop. */
function lookThenWrite(sound: Register): Partial<Register> {
  return {
    async cas(cell, version, value) {
      if (((await sound.read(cell))?.version ?? null) !== version) return REFUSED
      await new Promise((resolve) => void setImmediate(resolve))
      const now = await sound.read(cell)
      return sound.cas(cell, now?.version ?? null, value)
    },
  }
}

/** Values under their versions, counted for each cell from 1. */
function countsAnew() {
  const cells = new Map<string, Cell>()
  return async (mesh: string): Promise<Register> => ({
    read: async (cell) => cells.get(`${mesh}\n${cell}`) ?? null,
    list: async (prefix) =>
      new Map(
        [...cells]
          .filter(([key]) => key.startsWith(`${mesh}\n${prefix}`))
          .map(([key, cell]) => [key.slice(mesh.length + 1), cell]),
      ),
    async cas(cell, version, value) {
      const key = `${mesh}\n${cell}`
      if ((cells.get(key)?.version ?? null) !== version) return REFUSED
      const next = String(Number(version ?? '0') + 1)
      if (value === null) cells.delete(key)
      else cells.set(key, { value, version: next })
      return done(value === null ? '' : next)
    },
    close: async () => {},
  })
}

describe('the contract finds a register', () => {
  test('whose versions begin again', async () => {
    expect(await failuresOf(countsAnew())).toContain(ONCE)
  })

  test('that looks at the version before it writes', async () => {
    expect(await failuresOf(altered(lookThenWrite))).toEqual(expect.arrayContaining([RACED, COUNTED]))
  })

  test('that does nothing and says done', async () => {
    const failed = await failuresOf(altered(() => ({ cas: async () => done('1') })))
    expect(failed).toContain('a cell that is absent is made once')
  })

  test('that does not know what it did, or refuses everything', async () => {
    expect(await failuresOf(altered(() => ({ cas: async () => unknown('always') })))).toContain(
      'a cell that is absent is made once',
    )
    expect(await failuresOf(altered(() => ({ cas: async () => REFUSED })))).toContain(RACED)
  })

  test('whose lists miss a cell now and then', async () => {
    let lists = 0
    const failed = await failuresOf(
      altered((sound) => ({
        async list(prefix) {
          lists += 1
          const cells = [...(await sound.list(prefix))]
          return new Map(lists % 3 === 0 && cells.length > 5 ? cells.slice(1) : cells)
        },
      })),
    )
    expect(failed).toContain(LISTED)
  })

  test('whose lists are of a moment ago', async () => {
    const old = new Map<string, ReadonlyMap<string, Cell>>()
    const failed = await failuresOf(
      altered((sound, mesh) => ({
        async list(prefix) {
          const key = `${mesh} ${prefix}`
          const last = old.get(key)
          old.set(key, await sound.list(prefix))
          return last ?? sound.list(prefix)
        },
      })),
    )
    expect(failed).toEqual(
      expect.arrayContaining([LISTED, 'what is done is seen by the next who reads or lists']),
    )
  })

  test('that keeps what it read', async () => {
    const failed = await failuresOf(
      altered((sound) => {
        const kept = new Map<string, Cell | null>()
        return {
          async read(cell) {
            if (!kept.has(cell)) kept.set(cell, await sound.read(cell))
            return kept.get(cell) ?? null
          },
        }
      }),
    )
    expect(failed).toContain('what is done is seen by the next who reads or lists')
  })

  test('that takes a prefix for a pattern', async () => {
    const failed = await failuresOf(
      altered((sound) => ({
        async list(prefix) {
          const pattern = new RegExp(`^${prefix.replaceAll(/[_.]/g, '.')}`)
          return new Map([...(await sound.list(''))].filter(([cell]) => pattern.test(cell)))
        },
      })),
    )
    expect(failed).toContain('a list has the cells of its prefix, and only those')
  })

  test('that cannot keep a text', async () => {
    const failed = await failuresOf(
      altered((sound) => ({
        cas: (cell, version, value) => sound.cas(cell, version, value?.replaceAll('\\u0000', '') ?? null),
      })),
    )
    expect(failed).toContain('any JSON text is kept as it is')
  })

  test('of which all meshes are one', async () => {
    const engine = new MemoryEngine()
    expect(await failuresOf(async (mesh) => engine.open(mesh.slice(0, 5)))).toContain(
      'meshes do not see each other',
    )
  })

  test('that calls the living dead', async () => {
    const failed = await failuresOf(altered(() => ({ process: 'p', isDead: async () => true })))
    expect(failed).toContain('only a process that is gone is dead')
  })
})
