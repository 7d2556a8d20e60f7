/**
 * The promises of every register, as tests for any test runner. A register that passes can serve a mesh. Two that pass may still
 * differ in what they survive: lost connections and restarted servers belong in the tests of each engine.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Cell, Outcome, Register, Version } from './register.ts'

/** How the contract of registers is run. */
export interface ContractOptions {
  /** Declares a test: `test` of node:test or Vitest, `it` of Mocha or Jest. */
  readonly test: (name: string, body: () => Promise<void>) => unknown
  /** How many openers the tests of races use at once. Default 5. */
  readonly openers?: number
  /** How often each race is run. Default 20. */
  readonly rounds?: number
}

/** Texts that an engine may misread. */
const TEXTS: readonly unknown[] = [
  {},
  '',
  0,
  null,
  { text: 'quotes \' " ` and $1 %s \\ \\n' },
  { text: '\u0000\u0001\n\r\t\u2028 and a lone half \ud800' },
  { text: 'ü 漢字 🔒 \u202e' },
  { list: [[], {}, [null, true, -1.5e300]] },
  { long: 'x'.repeat(200_000) },
]

interface Scene {
  readonly openers: readonly Register[]
  readonly first: Register
  readonly second: Register
  readonly rounds: number
}

/**
 * Declares the tests of the contract. `open` opens the register again for the mesh of this name, in the same engine each time.
 */
export function registerContract(open: (mesh: string) => Promise<Register>, options: ContractOptions): void {
  const { test, openers: count = 5, rounds = 20 } = options
  const inMesh = async (body: (scene: Scene, mesh: string) => Promise<void>) => {
    // Short, because it may be part of a path, and fresh, because the engine may be in use.
    const mesh = `try-${randomUUID().slice(0, 8)}`
    const openers: Register[] = []
    try {
      for (let i = 0; i < Math.max(2, count); i += 1) openers.push(await open(mesh))
      const [first, second] = openers as [Register, Register]
      await body({ openers, first, second, rounds }, mesh)
    } finally {
      const last = openers.at(-1)
      if (last !== undefined) await clear(last)
      await Promise.all(openers.map((each) => each.close()))
    }
  }
  for (const [name, body] of Object.entries({ ...PLAIN, ...RACES })) void test(name, () => inMesh(body))
  void test('meshes do not see each other', () => inMesh((scene, mesh) => apart(scene, mesh, open)))
}

async function clear(register: Register): Promise<void> {
  for (const [cell, { version }] of await register.list('')) await register.cas(cell, version, null)
}

/** The version, if the outcome is `done`. */
function mustBeDone(outcome: Outcome): Version {
  assert.equal(outcome.kind, 'done', JSON.stringify(outcome))
  return outcome.kind === 'done' ? outcome.version : ''
}

function mustBeRefused(outcome: Outcome): void {
  assert.deepEqual(outcome, { kind: 'refused' })
}

type Body = (scene: Scene) => Promise<void>

const PLAIN: Readonly<Record<string, Body>> = {
  'a cell that is absent is made once': async ({ first, second }) => {
    assert.equal(await first.read('view'), null)
    assert.deepEqual([...(await first.list(''))], [])
    const version = mustBeDone(await first.cas('view', null, '{"epoch":1}'))
    mustBeRefused(await second.cas('view', null, '{"epoch":2}'))
    assert.deepEqual(await second.read('view'), { value: '{"epoch":1}', version })
  },

  'a cell is replaced by a caller that names its version': async ({ first, second }) => {
    const one = mustBeDone(await first.cas('view', null, '1'))
    const other = mustBeDone(await first.cas('rows/a', null, '1'))
    const two = mustBeDone(await second.cas('view', one, '2'))
    mustBeRefused(await first.cas('view', one, '3'))
    if (other !== two) mustBeRefused(await first.cas('view', other, '3'))
    assert.deepEqual(await first.read('view'), { value: '2', version: two })
    assert.deepEqual(await second.read('rows/a'), { value: '1', version: other })
  },

  'a cell is deleted by a caller that names its version': async ({ first, second }) => {
    const one = mustBeDone(await first.cas('rows/a', null, '1'))
    const two = mustBeDone(await first.cas('rows/a', one, '2'))
    mustBeRefused(await second.cas('rows/a', one, null))
    assert.equal(mustBeDone(await second.cas('rows/a', two, null)), '')
    assert.equal(await first.read('rows/a'), null)
    mustBeRefused(await first.cas('rows/a', two, null))
    mustBeRefused(await first.cas('rows/a', two, '3'))
    assert.deepEqual([...(await first.list('rows/'))], [])
  },

  'no version comes twice, though a cell is deleted and made again with what it had': async ({
    openers,
    rounds,
  }) => {
    const versions: Version[] = []
    for (let round = 0; round < rounds; round += 1) {
      const register = openers[round % openers.length] as Register
      const one = mustBeDone(await register.cas('rows/a', null, '{}'))
      const two = mustBeDone(await register.cas('rows/a', one, '{}'))
      for (const old of versions) mustBeRefused(await register.cas('rows/a', old, '{"old":true}'))
      versions.push(one, two)
      mustBeDone(await register.cas('rows/a', two, null))
    }
    assert.equal(new Set(versions).size, versions.length)
  },

  'any JSON text is kept as it is': async ({ first, second }) => {
    let version: Version | null = null
    for (const text of TEXTS.map((each) => JSON.stringify(each))) {
      version = mustBeDone(await first.cas('view', version, text))
      assert.deepEqual(await second.read('view'), { value: text, version })
      assert.deepEqual([...(await second.list('view'))], [['view', { value: text, version }]])
    }
  },

  'a list has the cells of its prefix, and only those': async ({ first, second }) => {
    const names = ['view', 'rows/a_b', 'rows/axb', 'rows/a.b', 'rows/a-b', 'rows/A_b', 'rows/b']
    for (const name of names) mustBeDone(await first.cas(name, null, JSON.stringify(name)))
    const listed = async (prefix: string) =>
      [...(await second.list(prefix))].map(([name, { value }]) => [name, value]).toSorted()
    for (const prefix of ['', 'view', 'rows/', 'rows/a', 'rows/a_', 'rows/a.', 'rows/a_b', 'none/']) {
      const expected = names.filter((name) => name.startsWith(prefix))
      const pairs = expected.map((name) => [name, JSON.stringify(name)]).toSorted()
      assert.deepEqual(await listed(prefix), pairs, `with the prefix ${JSON.stringify(prefix)}`)
    }
  },

  'what is done is seen by the next who reads or lists': async ({ openers, rounds }) => {
    let version: Version | null = null
    // Each opener reads more than once, because it may cache what it read.
    for (let round = 0; round < Math.max(rounds, 2 * openers.length + 1); round += 1) {
      const at = (place: number) => openers[(round + place) % openers.length] as Register
      version = mustBeDone(await at(0).cas('view', version, String(round)))
      const expected: Cell = { value: String(round), version }
      assert.deepEqual(await at(1).read('view'), expected)
      assert.deepEqual((await at(2).list('')).get('view'), expected)
    }
  },

  'a watch can be begun and ended, and changes nothing': async ({ first, second }) => {
    const end = first.watch?.('rows/', () => {})
    const version = mustBeDone(await second.cas('rows/a', null, '1'))
    assert.deepEqual(await first.read('rows/a'), { value: '1', version })
    end?.()
    end?.()
    mustBeDone(await second.cas('rows/a', version, '2'))
  },

  'only a process that is gone is dead': async ({ first, second }) => {
    if (first.isDead === undefined) return
    for (const { process } of [first, second])
      if (process !== undefined) assert.equal(await first.isDead(process), false)
    for (const stranger of ['', 'nobody', '..', '../../etc/passwd'])
      assert.equal(await first.isDead(stranger), false)
  },

  'one who closes, twice even, ends nothing of the others': async ({ openers: [first, second, ...rest] }) => {
    const version = mustBeDone(await (first as Register).cas('view', null, '1'))
    await Promise.all([first?.close(), first?.close()])
    const left = [second as Register, ...rest]
    for (const register of left) assert.deepEqual(await register.read('view'), { value: '1', version })
  },
}

/** Several tried at once: at most one is done, and the cell has its value. `unknown` is resolved by reading. */
function mustHaveOneWinner(
  tried: readonly { outcome: Outcome; value: string | null }[],
  after: Cell | null,
): void {
  const told = `${JSON.stringify(tried)}, then ${JSON.stringify(after)}`
  const won = tried.filter(({ outcome }) => outcome.kind === 'done')
  const unsure = tried.filter(({ outcome }) => outcome.kind === 'unknown')
  assert.ok(won.length <= 1, `more than one was done: ${told}`)
  assert.ok(won.length + unsure.length > 0, `all were refused: ${told}`)
  const possible = (won.length > 0 ? won : unsure).map(({ value }) => value)
  assert.ok(possible.includes(after?.value ?? null), `the cell has a value that no one wrote: ${told}`)
  const [winner] = won
  if (winner?.outcome.kind === 'done') assert.equal(winner.outcome.version, after?.version ?? '', told)
}

/** All openers at once, from this version. */
async function race(
  openers: readonly Register[],
  cell: string,
  version: Version | null,
  valueOf: (place: number) => string | null,
): Promise<Cell | null> {
  const tried = await Promise.all(
    openers.map(async (register, place) => {
      const value = valueOf(place)
      return { outcome: await register.cas(cell, version, value), value }
    }),
  )
  const after = await (openers[0] as Register).read(cell)
  mustHaveOneWinner(tried, after)
  return after
}

const RACES: Readonly<Record<string, Body>> = {
  'of many who make, replace or delete a cell at once, one does': async ({ openers, rounds }) => {
    for (let round = 0; round < rounds; round += 1) {
      const cell = 'rows/raced'
      const made = await race(openers, cell, null, (place) => `"made by ${place}"`)
      const next = await race(openers, cell, made?.version ?? null, (place) => `"replaced by ${place}"`)
      const last = await race(openers, cell, next?.version ?? null, (place) =>
        place % 2 === 0 ? null : `"kept by ${place}"`,
      )
      if (last !== null) mustBeDone(await (openers[0] as Register).cas(cell, last.version, null))
    }
  },

  'no increment of a counter is lost': async ({ openers, first, rounds }) => {
    mustBeDone(await first.cas('view', null, '0'))
    const versions: Version[] = []
    let unsure = 0
    await Promise.all(
      openers.map(async (register) => {
        // Every refusal means an increment of another opener, so this is enough.
        let attempts = 2 * rounds * (openers.length + 1)
        for (let count = 0; count < rounds; attempts -= 1) {
          assert.ok(attempts > 0, 'refused repeatedly, although no one else wrote')
          const cell = await register.read('view')
          assert.ok(cell !== null)
          const outcome = await register.cas('view', cell.version, String(Number(cell.value) + 1))
          if (outcome.kind === 'refused') continue
          count += 1
          if (outcome.kind === 'done') versions.push(outcome.version)
          else unsure += 1
        }
      }),
    )
    const total = Number((await first.read('view'))?.value)
    assert.ok(versions.length <= total, `${versions.length} were done, and the counter is at ${total}`)
    assert.ok(
      total <= versions.length + unsure,
      `${versions.length + unsure} were tried, the counter is at ${total}`,
    )
    assert.equal(new Set(versions).size, versions.length)
  },

  'a list misses no cell that is there all the time, while others write': listsWhileOthersWrite,
}

const STEADY = 8

async function listsWhileOthersWrite({ openers, first, rounds }: Scene): Promise<void> {
  const [, ...writers] = openers
  const names = Array.from({ length: STEADY }, (_, i) => `rows/steady-${i}`)
  for (const name of names) mustBeDone(await first.cas(name, null, '0'))
  /** For each steady cell the number that was last done. */
  const reached = new Map(names.map((name) => [name, 0]))
  let isOver = false
  const write = async (register: Register, place: number) => {
    const own = names.filter((_, i) => i % writers.length === place)
    for (let count = 1; !isOver; count += 1) {
      await replaceAll(register, own, count, reached)
      const version = mustBeDone(await register.cas(`rows/passing-${place}`, null, '0'))
      mustBeDone(await register.cas(`rows/passing-${place}`, version, null))
    }
  }
  const writing = Promise.allSettled(writers.map(write))
  try {
    for (let round = 0; round < rounds; round += 1) {
      const before = new Map(reached)
      const cells = await first.list('rows/')
      for (const [name, least] of before) {
        const value = cells.get(name)?.value
        assert.ok(value !== undefined, `${name} is missing in a list`)
        assert.ok(Number(value) >= least, `${name} was at ${least} before the list, which has ${value}`)
      }
    }
  } finally {
    isOver = true
    await writing
  }
  for (const end of await writing) if (end.status === 'rejected') throw end.reason
}

async function replaceAll(
  register: Register,
  cells: readonly string[],
  count: number,
  reached: Map<string, number>,
): Promise<void> {
  for (const cell of cells) {
    const { version } = (await register.read(cell)) as Cell
    mustBeDone(await register.cas(cell, version, String(count)))
    reached.set(cell, count)
  }
}

async function apart(
  { first }: Scene,
  mesh: string,
  open: (mesh: string) => Promise<Register>,
): Promise<void> {
  const others: Register[] = []
  try {
    for (const name of [
      `${mesh}2`,
      `${mesh}/rows`,
      mesh.slice(0, -1),
      mesh.replace('try', 'Try'),
      `${mesh} %_"'`,
    ])
      others.push(await open(name))
    const version = mustBeDone(await first.cas('rows/a', null, '"ours"'))
    for (const [place, other] of others.entries()) {
      assert.deepEqual([...(await other.list(''))], [])
      mustBeRefused(await other.cas('rows/a', version, '"theirs"'))
      mustBeDone(await other.cas('rows/a', null, String(place)))
    }
    assert.deepEqual([...(await first.list(''))], [['rows/a', { value: '"ours"', version }]])
    for (const [place, other] of others.entries())
      assert.deepEqual(
        [...(await other.list('')).values()].map(({ value }) => value),
        [String(place)],
      )
  } finally {
    for (const other of others) await clear(other)
    await Promise.all(others.map((other) => other.close()))
  }
}
