/**
 * The entry of a process that ends the others if the program that started them dies without a word (kill -9): a member that is stopped
 * could not end itself. It also removes their state.
 */
import { rmSync } from 'node:fs'
import type { GuardWord } from './crew.ts'

const [directory = ''] = process.argv.slice(2)
const alive = new Set<number>()

process.on('message', ({ pid, isAlive }: GuardWord) => void (isAlive ? alive.add(pid) : alive.delete(pid)))
process.on('disconnect', clean)
if (!process.connected) clean()

function clean(): void {
  for (const pid of alive) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  process.exit()
}
