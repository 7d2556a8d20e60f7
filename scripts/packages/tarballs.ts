/** The packages as they would be published. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root } from './npm.ts'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, unknown>>
}

export interface Packed {
  readonly name: string
  /** Its folder in the workspace. */
  readonly source: string
  readonly tarball: string
  readonly manifest: Manifest
  /** Paths in the tarball. */
  readonly files: readonly string[]
}

interface Report {
  readonly name: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Packs what is built. */
export function packAll(into: string): Packed[] {
  const asked = [
    'pack',
    '--workspaces',
    '--json',
    '--ignore-scripts',
    '--loglevel=error',
    '--pack-destination',
    into,
  ]
  const reports = JSON.parse(npm(asked, root)) as Report[]
  return reports.map(({ name, filename, files }) => {
    const source = join(root, 'packages', name.replace('@turnwise/', ''))
    const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Manifest
    return { name, source, manifest, tarball: join(into, filename), files: files.map(({ path }) => path) }
  })
}

/** A package with those of ours that it needs: none of them can come from the registry. */
export function withOurs(all: readonly Packed[], name: string): Packed[] {
  const needed = new Set([name])
  // A set that grows is walked to its end.
  for (const each of needed) {
    const { dependencies = {} } = named(all, each).manifest
    for (const dependency of Object.keys(dependencies)) {
      if (all.some((packed) => packed.name === dependency)) needed.add(dependency)
    }
  }
  return [...needed].map((each) => named(all, each))
}

export function named(all: readonly Packed[], name: string): Packed {
  const found = all.find((packed) => packed.name === name)
  if (found === undefined) throw new Error(`${name} is not a package of this workspace`)
  return found
}
