/**
 * How a file is written to disk. Only syncing, which waits for the disk, leaves the program's thread. Every step that leaves it
 * comes back in a later turn of the event loop. In a busy program, or when processes compete for a core, a turn may take a good
 * part of a lease, and a view needs three writes one after the other.
 */
import * as disk from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { type DiskFacts, diskFacts } from './shared-disk.ts'

/** The file operations, so that tests can make them fail. */
export interface Files extends DiskFacts {
  readFile(path: string, encoding: 'utf8'): Promise<string>
  open(path: string, flags: 'w' | 'r'): number
  write(file: number, content: string): void
  sync(file: number): Promise<void>
  close(file: number): void
  rename(from: string, to: string): void
}

export const realFiles: Files = {
  ...diskFacts,
  readFile,
  open: (path, flags) => disk.openSync(path, flags, 0o600),
  write: (file, content) => disk.writeFileSync(file, content),
  sync: promisify(disk.fsync),
  close: disk.closeSync,
  rename: disk.renameSync,
}

export async function writeSynced(path: string, content: string, files: Files): Promise<void> {
  const file = files.open(path, 'w')
  try {
    files.write(file, content)
    await files.sync(file)
  } finally {
    files.close(file)
  }
}

/** A file name is on disk when its directory has been synced. */
export async function syncDirectory(directory: string, files: Files): Promise<void> {
  // Windows cannot sync a directory. NTFS journals names, and can only lose the newest ones.
  if (process.platform === 'win32') return
  const handle = files.open(directory, 'r')
  try {
    await files.sync(handle)
  } finally {
    files.close(handle)
  }
}
