/** Hands on the disks of nodes. */
import { copyFileSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const STATE = 'state'
/** What callers asked to be remembered. The state says whether there is one. */
const MEMORY = 'memory'
/** Where the next state is written, before it takes the place of the last. */
const NEXT = 'state.new'
const FULL = '/dev/full'
const ATTEMPTS = 100

/** Replaces one directory by what a voter has written into another. False if that is nothing. */
export function copyState(from: string, to: string): boolean {
  if (!existsSync(join(from, STATE))) return false
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to)
  // In this order: a voter writes its memory before the state that mentions it.
  for (const file of [STATE, MEMORY])
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file))
  return true
}

/** Nothing can be written into it any more. Where there is no such device (it is Linux's) nothing is done. */
export async function fill(directory: string): Promise<void> {
  for (let i = 0; i < ATTEMPTS && existsSync(FULL) && existsSync(directory); i += 1) {
    try {
      // While a state is being written this fails: a link in its place would become the state.
      return symlinkSync(FULL, join(directory, NEXT))
    } catch {
      await sleep(5)
    }
  }
}

/** There is room again. */
export function empty(directory: string): void {
  rmSync(join(directory, NEXT), { force: true })
}
