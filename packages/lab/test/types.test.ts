import { readFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { exercises } from '@turnwise/workshop/exercises'
import { expect, test } from 'vitest'
import { LONG } from '../../../test/extent.ts'
import { contractTypes } from '../contract-types.ts'
import { algorithmSources } from '../sandbox.ts'
import { beginning } from '../src/rooms/write/beginnings.ts'
import { typeChecker } from '../src/rooms/write/type-checker.ts'
import { known, variants } from '../src/run/spec.ts'

const check = typeChecker(contractTypes())
const sources = algorithmSources()

async function faultsIn(from: string): Promise<string[]> {
  return check((await beginning(from, sources)) ?? 'missing').map(
    ({ line, what }) => `${from}:${line} ${what}`,
  )
}

test('a text to begin from fits the contract, and what does not is told with its place', async () => {
  const text = (await beginning('ricart-agrawala', sources)) ?? ''
  expect(check(text)).toEqual([])
  const wrong = text.replace("{ type: 'reply' })", "{ type: 'answer' })")
  expect(wrong).not.toBe(text)
  const fault = get(check(wrong), 0)
  expect(fault.what).toContain('\'"answer"\'')
  expect(wrong.slice(fault.from, fault.to)).toBe('type')
  expect(wrong.split('\n')[fault.line - 1]).toContain("type: 'answer'")
  expect(check(text)).toEqual([])
})

test('nothing of a browser or of Node is known, and no other package', () => {
  const told = (text: string) => check(text).map(({ what }) => what)
  expect(told('export const a = fetch')).toEqual(["Cannot find name 'fetch'."])
  expect(told('export const a = process.pid')[0]).toContain("Cannot find name 'process'")
  expect(told("import { join } from 'node:path'\nexport const a = join")[0]).toContain("'node:path'")
  expect(told("import { get } from '@turnwise/core/bounds'\nexport const a: string = get([1], 0)")).toEqual([
    "Type 'number' is not assignable to type 'string'.",
  ])
  expect(told('export const a = ')).toEqual(['Expression expected.'])
})

test('the options are those of a clone, but what is not used is no fault', () => {
  const base = new URL('../../../tsconfig.base.json', import.meta.url)
  const { compilerOptions } = JSON.parse(readFileSync(base, 'utf8')) as { compilerOptions: object }
  const strict = Object.keys(compilerOptions).filter((name) => /^(?:no|strict|exact)/.test(name))
  const own = readFileSync(new URL('../src/rooms/write/type-checker.ts', import.meta.url), 'utf8')
  expect(strict.filter((name) => !name.startsWith('noUnused') && !own.includes(`${name}: true`))).toEqual([])
})

test('every text to begin from fits', LONG, async () => {
  const all = [
    'template',
    ...exercises.map(({ slug }) => `exercise:${slug}`),
    ...[...known, ...variants.map(({ algorithm }) => algorithm)].map(({ facts }) => facts.name),
  ]
  for (const from of all) expect(await faultsIn(from)).toEqual([])
})
