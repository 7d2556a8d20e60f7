/** The files of the repository, as the documents link to them. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** All files that belong to the repository, new ones too; a build has others beside them. */
export function repositoryFiles(): string[] {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 } as const
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], options)
    .split('\n')
    .filter((file) => file !== '')
    .toSorted()
}

export function readText(file: string): string {
  return readFileSync(`${root}${file}`, 'utf8')
}

/** Folders with what is directly in them, folders end in a slash. */
export function foldersOf(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const folders = new Map<string, Set<string>>()
  for (const file of files) {
    let child = file
    for (let folder = posix.dirname(file); folder !== '.'; folder = posix.dirname(folder)) {
      folders.set(folder, (folders.get(folder) ?? new Set()).add(child))
      child = `${folder}/`
    }
  }
  return new Map([...folders].map(([folder, children]) => [folder, [...children].toSorted()]))
}
