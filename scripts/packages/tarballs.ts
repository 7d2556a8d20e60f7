/** The packages as they would be published. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root } from './npm.ts'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
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

/** Packs what is built. A private package is not published. */
export function packAll(into: string): Packed[] {
  const folders = readdirSync(join(root, 'packages'))
  const published = folders.filter((folder) => manifestIn(folder).private !== true)
  const asked = [
    'pack',
    ...published.map((folder) => `--workspace=packages/${folder}`),
    '--json',
    '--ignore-scripts',
    '--loglevel=error',
    '--pack-destination',
    into,
  ]
  const reports = JSON.parse(npm(asked, root)) as Report[]
  return reports.map(({ name, filename, files }) => {
    const folder = name.replace('@turnwise/', '')
    const source = join(root, 'packages', folder)
    return {
      name,
      source,
      manifest: manifestIn(folder),
      tarball: join(into, filename),
      files: files.map(({ path }) => path),
    }
  })
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')) as Manifest
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
