// Three processes meet in a directory and take turns. The holder is killed with SIGKILL, and the next one is inside at once.
import path from 'node:path'
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

if (membership === null) await watch()
else await takeTurns(membership)

/** One process: two lines are all that it takes. */
async function takeTurns(directory) {
  const mesh = await join(directory)
  for (;;) {
    await mesh.locks.request('invoices', async (lock) => {
      await ask({ fence: String(lock.fence) })
      await pause(20)
    })
  }
}

/** The parent: kills a holder when all three have had a turn, and waits for ten more. */
async function watch() {
  const place = (_, directory) => path.join(directory, 'locks')
  const seen = new Set()
  let last = 0n
  let killed = null
  let after = 0
  const answer = (id, { fence }, { processes, end }) => {
    const { pid } = processes[id].child
    console.log(`process ${pid} holds the lock, fence ${fence}`)
    if (BigInt(fence) <= last) throw new Error('a fence did not rise')
    last = BigInt(fence)
    seen.add(id)
    if (killed !== null) {
      after += 1
      if (after === 1) console.log(`the next was inside ${Math.round(performance.now() - killed)} ms later`)
      if (after === 10) end()
    } else if (seen.size === 3) {
      console.log(`process ${pid} is killed while it holds the lock`)
      killed = performance.now()
      processes[id].kill('SIGKILL')
    }
  }
  await runMembers(import.meta.url, ['a', 'b', 'c'], answer, place)
}
