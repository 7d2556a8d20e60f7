/** The declarations of a package whose code is bundled: those of the packages that were bundled too are copied beside them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import ts from 'typescript'
import { source } from './sources.ts'

/** Copies declarations and all that they need. `entries` are files without their ending, by their names in `folder`. */
export function copyTypes(
  entries: Readonly<Record<string, string>>,
  folder: string,
  bundled: readonly string[],
): void {
  const copies = new Map(
    Object.entries(entries).map(([name, file]) => [`${file}.d.ts`, join(folder, `${name}.d.ts`)]),
  )
  for (const [file, copy] of copies) {
    const text = readFileSync(file, 'utf8')
    const { importedFiles } = ts.preProcessFile(text, true, true)
    let written = ''
    let at = 0
    for (const { fileName, pos } of importedFiles) {
      const target = declarationOf(fileName, file, bundled)
      if (target === null) continue
      if (!copies.has(target))
        copies.set(
          target,
          join(folder, 'types', relative(source(''), target).replace(`${sep}dist${sep}`, sep)),
        )
      const from = text.indexOf(fileName, pos)
      written += text.slice(at, from) + pathBetween(copy, copies.get(target) ?? '')
      at = from + fileName.length
    }
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, written + text.slice(at))
  }
}

/** The declarations that an import names; null if they stay where they are installed. */
function declarationOf(imported: string, from: string, bundled: readonly string[]): string | null {
  if (imported.startsWith('.')) return join(dirname(from), imported.replace(/\.[jt]s$/, '.d.ts'))
  const [, name, path] = /^@turnwise\/([^/]+)\/(.+)$/.exec(imported) ?? []
  if (name === undefined || path === undefined || !bundled.includes(name)) return null
  return source(`${name}/dist/${name === 'algorithms' ? 'src/' : ''}${path}.d.ts`)
}

/** As the compiler writes it: declarations name declarations by their source. */
function pathBetween(from: string, to: string): string {
  const path = relative(dirname(from), to)
    .replaceAll(sep, '/')
    .replace(/\.d\.ts$/, '.ts')
  return path.startsWith('.') ? path : `./${path}`
}
