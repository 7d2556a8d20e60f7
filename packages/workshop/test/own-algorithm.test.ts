import { readdirSync, readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { check } from '@turnwise/checker'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { compile } from '../src/compile.ts'
import { ownAlgorithm, standingAlone, thrownBy } from '../src/own-algorithm.ts'

const home = new URL('../../algorithms/', import.meta.url)
const read = (file: string) => readFileSync(new URL(file, home), 'utf8')
const load = (module: string) => import(module).catch(() => null)
const alone = (file: string) => standingAlone(read(file), file.replace(/\/[^/]*$/, ''))
const own = (text: string) => ownAlgorithm(text, load)
const TEMPLATE = read('src/template.ts')

describe('a text becomes an algorithm', () => {
  test.each([
    'src/permission/ricart-agrawala.ts',
    'src/quorum/sanders.ts',
    'src/token/token-queue.ts',
    'src/election/bully.ts',
  ])('%s is the one of the catalogue', async (file) => {
    const { algorithm, world } = await own(alone(file))
    const built = Object.values(await import(new URL(file, home).href)).find(
      (value) => typeof value === 'object' && value !== null && 'facts' in value,
    ) as typeof algorithm
    expect(world).toBeNull()
    expect(JSON.stringify(algorithm.facts)).toBe(JSON.stringify(built.facts))
    const found = (each: typeof algorithm) => {
      const { states, transitions, depth, holds } = check(each, { nodes: 2 })
      return { states, transitions, depth, holds }
    }
    expect(found(algorithm)).toEqual(found(built))
  })

  test('a broken variant brings its world', async () => {
    const { algorithm, world } = await own(alone('broken/ricart-agrawala-without-tie-break.ts'))
    expect(world).toEqual({ nodes: 2, requests: 1, channels: 'unordered' })
    expect(check(algorithm, { nodes: 2 }).failure?.name).toBe('exclusion')
  })

  test('lines stay where they are, and every file can be read', () => {
    const folder = extent('src/quorum/', 'src/')
    const files = readdirSync(new URL(folder, home), { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((name) => name.endsWith('.ts') && name !== 'texts.ts')) {
      const text = read(`${folder}${file}`)
      const { code } = compile(text)
      const at = (from: string) => from.split('\n').findIndex((line) => line.startsWith('  init('))
      expect(at(code), file).toBe(at(text))
      expect(() => new Script(`(require, exports) => {${code}\n}`), file).not.toThrow()
    }
  })
})

describe('syntax', () => {
  const run = (text: string) => {
    const exports: Record<string, unknown> = {}
    const run = new Script(`(require, exports) => {${compile(text).code}\n}`).runInThisContext()
    run(() => ({ b: 2, default: 3 }), exports)
    return exports
  }

  test('types are erased', () => {
    const text = `
      import { b as c, type D } from 'x'
      import e, * as f from 'x'
      export type { D }
      export type T = { a: 1 }
      ;[1].includes(1)
      export interface I { x?: number }
      (() => 1)()
      let later!: string
      function over(a: string): void
      function over(a: unknown, ...rest: number[]): number { return rest.length }
      class K<X> implements I {
        private readonly x?: number = 1
        declare y: string
        get(this_?: X): number { return this.x! }
      }
      const isOne = <X,>({ a }: { a: X }): a is X => a === 1
      const sum = (a: unknown, z?: number, w = <number>(4)): number => ((a as unknown) as number) + (w satisfies number)
      export const made = [sum(1), over('', 1, 2), new K<string>().get(), c, e, f.b, typeof later] as const
      export const one = isOne({ a: 1 })
      export const { p, q: [r] } = { p: 1, q: [2] }
      export function named<X extends object = {}>(this_: X): asserts this_ is X {}
      export default made!.length
      export { r as second }
      export { b as third } from 'x'
    `
    expect(run(text)).toMatchObject({
      made: [5, 2, 1, 2, 3, 2, 'undefined'],
      one: true,
      p: 1,
      r: 2,
      default: 7,
      second: 2,
      third: 2,
    })
  })

  test.each([
    ['enum A { B }', 'line 1: an enum is more than a type: use a union of literals'],
    ['const a = 1\nconst a = 2', "line 2: Identifier 'a' has already been declared"],
    ['const a = {\n  b: 1,\n  c 2 }', 'line 3: Unexpected token'],
    ['void import("./x.ts")', 'line 1: import() is not supported: import at the top'],
  ])('%s', (text, complaint) => {
    expect(() => compile(text)).toThrow(complaint)
  })
})

describe('what is wrong is told in one line, with its place', () => {
  test.each([
    ['const a = 1', 'it exports no algorithm: export const … : Algorithm<State, Message> = { facts, … }'],
    [
      "\nimport { preceeds } from '@turnwise/core/timestamp'",
      'line 2: "@turnwise/core/timestamp" has no export preceeds: did you mean precedes?',
    ],
    [
      "import { Algorithm } from '@turnwise/core/algorithm'",
      'line 1: "@turnwise/core/algorithm" has no export Algorithm: a type is imported by import type',
    ],
    [
      "import fs from 'node:fs'",
      'line 1: "node:fs" cannot be imported: an algorithm imports from @turnwise/core/… and @turnwise/algorithms/…',
    ],
    ["import { a } from '@turnwise/core/nothing'", 'line 1: there is no module "@turnwise/core/nothing"'],
    ['const a = 1\nnothing()', 'line 2: ReferenceError: nothing is not defined'],
    [TEMPLATE.replace('release(', 'releases('), 'the algorithm has no release'],
    [TEMPLATE.replace("    channels: 'unordered',\n", ''), 'the algorithm has no facts.channels'],
    [
      TEMPLATE.replace('messages: { request: {} }', 'messages: {}'),
      'the algorithm has no shape of the message request',
    ],
    [`${TEMPLATE}export const again = { ...template }`, 'it exports 2 algorithms: one file is one algorithm'],
  ])('%#', async (text, complaint) => {
    await expect(own(text).catch(({ message }: Error) => message)).resolves.toBe(complaint)
  })

  test('an error in a handler has the line of the handler', async () => {
    const text = TEMPLATE.replace('node.inside = true', 'node.outside.length = 1')
    const { algorithm } = await own(text)
    const line = text.split('\n').findIndex((each) => each.includes('outside')) + 1
    try {
      check(algorithm, { nodes: 1 })
      expect.unreachable()
    } catch (error) {
      expect(thrownBy(error).message).toBe(
        `line ${line}: TypeError: Cannot set properties of undefined (setting 'length')`,
      )
    }
  })
})
