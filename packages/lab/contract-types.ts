import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const PACKAGES = fileURLToPath(new URL('../', import.meta.url))
const COMPILER = dirname(createRequire(import.meta.url).resolve('typescript'))

/** Where each folder of declarations stands for the compiler on the page. */
const FOLDERS = [
  ['core/dist', '/core'],
  ['algorithms/dist/src', '/algorithms/src'],
  ['algorithms/dist/broken', '/algorithms/broken'],
] as const

/**
 * `virtual:contract-types`: what a text of a visitor may use, as declarations. They are those of the language without a browser or Node, of the
 * contract, and of every algorithm. `tsc -b` writes the latter before the page is built.
 */
export function contractTypesPlugin(): Plugin {
  return {
    name: 'turnwise-contract-types',
    resolveId: (id) => (id === 'virtual:contract-types' ? `\0${id}` : null),
    load: (id) =>
      id === '\0virtual:contract-types' ? `export default ${JSON.stringify(contractTypes())}` : null,
  }
}

/** By their path. */
export function contractTypes(): Record<string, string> {
  const own = FOLDERS.flatMap(([folder, at]) =>
    readdirSync(join(PACKAGES, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.d.ts'))
      .map((file) => [`${at}/${file.replaceAll('\\', '/')}`, declarations(join(PACKAGES, folder, file))]),
  )
  const language = readdirSync(COMPILER)
    .filter((file) =>
      /^lib\.(?:es5|es20(?:1\d|2[0-3])(?:\.[a-z]+)*|decorators(?:\.legacy)?)\.d\.ts$/.test(file),
    )
    .filter((file) => !file.includes('.full.'))
    .map((file) => [`/lib/${file}`, declarations(join(COMPILER, file))])
  return Object.fromEntries([...language, ...own]) as Record<string, string>
}

/** Nobody reads the comments there. */
function declarations(path: string): string {
  return readFileSync(path, 'utf8')
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/^\s+/gm, '')
}
