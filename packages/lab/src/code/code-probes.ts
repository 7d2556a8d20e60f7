/** The stretches of code that run are noted here, of all files together: the stretch 3 of the second file has the number of its first one plus 3. */
import type { ProbedFile } from './probed-file.ts'

/** A file, and the number of its first stretch among those of all files. */
export interface EnlistedFile extends ProbedFile {
  readonly first: number
}

const files: EnlistedFile[] = []
let next = 0
let seen: Set<number> | null = null

/** Called by a probed file when it is loaded. What it gets is called whenever one of its stretches runs. */
export function enlist(file: ProbedFile): (stretch: number) => void {
  const first = next
  next += file.stretches.length
  files.push({ ...file, first })
  return (stretch) => {
    seen?.add(first + stretch)
  }
}

/** All files that are loaded. */
export function enlisted(): readonly EnlistedFile[] {
  return files
}

/** Notes what runs while this does, in the order in which it first ran. What it calls in the same way is noted with it. */
export function noting<Result>(into: Set<number>, run: () => Result): Result {
  if (seen !== null) return run()
  seen = into
  try {
    return run()
  } finally {
    seen = null
  }
}
