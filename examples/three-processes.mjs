// Three real processes take turns. The one that holds the lock is killed with SIGKILL, and the lock moves on.
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

if (membership === null) await watch()
else await takeTurns()

/** One process: takes turns for ever, and tells of each. */
async function takeTurns() {
  const mesh = await join(membership)
  for (;;) {
    await mesh.locks.request('invoices', async (lock) => {
      await ask({ fence: String(lock.fence) })
      await pause(50)
    })
  }
}

/** The parent: starts three of them, kills the holder in the tenth turn, and waits for ten more. */
async function watch() {
  const turns = []
  await runMembers(import.meta.url, ['a', 'b', 'c'], (id, { fence }, { processes, end }) => {
    turns.push({ id, fence: BigInt(fence) })
    console.log(`${id} holds the lock, fence ${fence}`)
    if (turns.length === 10) {
      console.log(`${id} is killed while it holds the lock`)
      processes[id].kill('SIGKILL')
    }
    if (turns.length === 20) end()
  })
  if (turns.some(({ fence }, i) => i > 0 && fence <= turns[i - 1].fence))
    throw new Error('a fence did not rise')
  if (turns.slice(10).some(({ id }) => id === turns[9].id)) throw new Error('the dead hold no locks')
}
