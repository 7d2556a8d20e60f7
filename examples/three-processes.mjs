// Three real processes take turns. The one that holds the lock is killed with SIGKILL, and the lock moves on.
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

if (membership !== null) await takeTurns(await join(membership))

async function takeTurns({ locks }) {
  const tell = (lock) => ask({ fence: String(lock.fence) }).then(() => pause(50))
  for (;;) await locks.request('invoices', tell)
}

let turns = 0
let last = 0n
const watch = (id, { fence }, { processes, end }) => {
  turns += 1
  console.log(`${id} holds the lock, fence ${fence}`)
  if (BigInt(fence) <= last) throw new Error('a fence did not rise')
  last = BigInt(fence)
  if (turns === 10) {
    console.log(`${id} is killed while it holds the lock`)
    processes[id].kill('SIGKILL')
  }
  if (turns === 20) end()
}
await runMembers(import.meta.url, ['a', 'b', 'c'], watch)
