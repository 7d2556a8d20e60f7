/** A directory on disk that belongs to one process at a time and holds what a voter may not forget. */
import type { Disk } from './disk.ts'

export type { Disk } from './disk.ts'

/** Another process, or another node of this one, uses the directory. */
export class StateDirectoryInUse extends Error {
  override readonly name = 'StateDirectoryInUse'
}

/** What is in the directory cannot be used; it is never reset silently, because a voter that forgets is another voter. */
export class StateDirectoryDamaged extends Error {
  override readonly name = 'StateDirectoryDamaged'
}

export type OpenStateDirectory = (path: string) => Promise<Disk>
