// A counter in a file, and a process that is stopped while it holds the lock. When it wakes up its lease has ended, others
// have counted on, and it does what it was about to do: it writes. No lock can stop that; the fence can. Every write
// brings the fence of its lock, and the owner of the file refuses one that is lower than the highest it has seen. The
// check is done where the file is written: a process that checked by itself could be stopped after the check.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

/** The file and its guard. */
class CounterFile {
  #path
  #highest = -1n

  constructor(directory) {
    this.#path = path.join(directory, 'counter')
    writeFileSync(this.#path, '0')
  }

  read() {
    return Number(readFileSync(this.#path, 'utf8'))
  }

  write(count, fence) {
    if (fence < this.#highest) return `refused: ${this.#highest} has been seen`
    this.#highest = fence
    writeFileSync(this.#path, String(count))
    return 'written'
  }
}

if (membership === null) await watch()
else await countForEver()

async function countForEver() {
  const mesh = await join(membership)
  for (;;) {
    try {
      await mesh.locks.request('counter', async (lock) => {
        const { count } = await ask({ wants: 'read' })
        await ask({ wants: 'write', count: count + 1, fence: String(lock.fence) })
      })
    } catch (error) {
      if (error.code !== 'LOCK_LOST') throw error
      await ask({ wants: 'tell', text: error.message })
    }
    await pause(100)
  }
}

/** The parent owns the file, stops the process that reads a 6, and lets it go on when the others have come to 9. */
async function watch() {
  let file
  let stopped = null
  const refused = []
  await runMembers(import.meta.url, ['a', 'b', 'c'], (id, { wants, count, fence, text }, world) => {
    file ??= new CounterFile(world.directory)
    if (wants === 'tell') console.log(`${id}: ${text}`)
    if (wants === 'read') {
      if (file.read() === 6 && stopped === null) {
        stopped = id
        world.processes[id].kill('SIGSTOP')
        console.log(`${id} has read 6, and is stopped`)
      }
      return { count: file.read() }
    }
    if (wants !== 'write') return null
    const outcome = file.write(count, BigInt(fence))
    console.log(`${id} writes ${count} with fence ${fence}: ${outcome}`)
    if (outcome !== 'written') refused.push({ id, count })
    else if (count === 9) {
      console.log(`${stopped} goes on as if nothing had happened`)
      world.processes[stopped].kill('SIGCONT')
    } else if (id === stopped && count > 9) {
      console.log(`the counter is ${file.read()}: nothing that was counted is lost`)
      world.end()
    }
    return null
  })
  const [late, ...others] = refused
  if (others.length > 0 || late.id !== stopped || late.count !== 7)
    throw new Error('one write was to be refused')
}
