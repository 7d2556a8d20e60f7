/** What is wrong with a tarball, before anybody installs it. */
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import ts from 'typescript'
import { mutantsIn } from './mutants.ts'
import { root } from './npm.ts'
import type { Packed } from './tarballs.ts'

export async function complaintsAbout(packed: Packed): Promise<string[]> {
  const found = [
    ...filesOf(packed),
    ...importsOf(packed),
    ...mutantsIn(packed),
    ...(await shapeOf(packed)),
    ...(await typesOf(packed)),
  ]
  return found.map((complaint) => `${packed.name}: ${complaint}`)
}

function filesOf({ source, files }: Packed): string[] {
  const missing = ['README.md', 'LICENSE', 'package.json'].filter((file) => !files.includes(file))
  const unwanted = files.filter((file) => /\.(tsbuildinfo|map)$|\.test\./.test(file))
  const stale = files.filter((file) => /^dist\/.*\.js$/.test(file) && !hasSource(source, file))
  const license = (folder: string) => readFileSync(join(folder, 'LICENSE'), 'utf8')
  return [
    ...missing.map((file) => `${file} is missing`),
    ...unwanted.map((file) => `${file} is published`),
    ...stale.map((file) => `${file} has no source any more: remove packages/*/dist and build again`),
    ...(missing.includes('LICENSE') || license(source) === license(root) ? [] : ['its LICENSE is another']),
  ]
}

/** Where a folder beside `src` is built too, `dist` has the names of the folders. The page and the bundles have names of their own, and are made anew each time. */
function hasSource(folder: string, file: string): boolean {
  const stem = file.slice('dist/'.length, -'.js'.length)
  const places = [stem, `src/${stem}`].map((place) => join(folder, place))
  return (
    /^(?:page|bundle)\//.test(stem) ||
    places.some((place) => existsSync(`${place}.ts`) || existsSync(`${place}.tsx`))
  )
}

/** Modules that are imported by what is published, and are not. */
function importsOf({ source, files }: Packed): string[] {
  const modules = files.filter((file) => /^dist\/(?!page\/).*(\.js|\.d\.ts)$/.test(file))
  return modules.flatMap((file) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(join(source, file), 'utf8'), true, true)
    return importedFiles
      .filter(({ fileName }) => fileName.startsWith('.'))
      .map(({ fileName }) => posix.join(posix.dirname(file), fileName).replace(/(?<!\.d)\.ts$/, '.d.ts'))
      .filter((target) => !files.includes(target))
      .map((target) => `${file} imports ${target}, which is not published`)
  })
}

async function shapeOf({ tarball }: Packed): Promise<string[]> {
  const bytes = readFileSync(tarball)
  const pack = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) }
  const { messages, pkg } = await publint({ pack, strict: true })
  // Only tools of this workspace ask for the sources.
  const told = messages.filter(({ path }) => !path.includes('turnwise-source'))
  return told.map((message) => `publint: ${formatMessage(message, pkg, { color: false })}`)
}

async function typesOf({ tarball, manifest, files }: Packed): Promise<string[]> {
  const entries = Object.entries(manifest.exports)
    .flatMap(([name, target]) => entrypoints(name, target, files))
    // What is null is kept from everybody, whatever a pattern says.
    .filter((name) => manifest.exports[name] !== null)
  if (entries.length === 0) return []
  const packed = createPackageFromTarballData(readFileSync(tarball))
  const result = await checkPackage(packed, { entrypoints: entries })
  if (result.types === false) return ['arethetypeswrong: it has no types']
  return result.problems
    .filter((problem) => !isMeant(problem))
    .map((problem) => `arethetypeswrong: ${JSON.stringify(problem)}`)
}

/** Every module that an entry of `exports` makes public. */
function entrypoints(name: string, target: unknown, files: readonly string[]): string[] {
  if (typeof target !== 'object' || target === null || !('types' in target)) return []
  const [before = '', after] = String(target.types).slice('./'.length).split('*')
  if (after === undefined) return [name]
  return files
    .filter((file) => file.startsWith(before) && file.endsWith(after))
    .map((file) => name.replace('*', file.slice(before.length, -after.length)))
}

function isMeant(problem: Problem): boolean {
  // Node 20.19 can require such a module, and TypeScript knows it since 5.8.
  if (problem.kind === 'CJSResolvesToESM') return true
  // Resolution as before Node 12 knows no `exports`; only `turnwise` itself has a `main`.
  return problem.kind === 'NoResolution' && problem.resolutionKind === 'node10' && problem.entrypoint !== '.'
}
