// Three processes meet in a directory and take turns. The holder is killed with SIGKILL, and the next one is inside at once.
import path from 'node:path'
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

if (membership !== null) await takeTurns(await join(membership))

async function takeTurns({ locks }) {
  const tell = (lock) => ask({ fence: String(lock.fence) }).then(() => pause(20))
  for (;;) await locks.request('invoices', tell)
}

const seen = new Set()
let [killed, after] = [null, 0]
const watch = (id, { fence }, { processes, end }) => {
  const { pid } = processes[id].child
  console.log(`process ${pid} holds the lock, fence ${fence}`)
  if (killed === null && seen.add(id).size === 3) {
    console.log(`process ${pid} is killed while it holds the lock`)
    killed = performance.now()
    processes[id].kill('SIGKILL')
  } else if (killed !== null) {
    after += 1
    if (after === 1) console.log(`the next was inside ${Math.round(performance.now() - killed)} ms later`)
    if (after === 10) end()
  }
}
const place = (_, directory) => path.join(directory, 'locks')
await runMembers(import.meta.url, ['a', 'b', 'c'], watch, place)
