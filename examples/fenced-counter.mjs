// The holder is stopped, its lease ends, and others count on. It wakes up and writes what it had in mind: its fence is too low.
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

if (membership !== null) await countForEver(await join(membership))

async function countForEver({ locks }) {
  const addOne = async (lock) => {
    const count = await ask({ reads: true })
    await ask({ writes: count + 1, fence: String(lock.fence) })
  }
  for (;;) await locks.request('counter', addOne).catch(({ message }) => ask({ hears: message }))
}

let [counter, highest, sleeper] = [0, 0n, null]
const guard = (id, { reads, writes, fence, hears }, { processes, end }) => {
  if (hears) return console.log(`${id} hears: ${hears}`)
  if (reads && sleeper === null) {
    console.log(`${id} has read ${counter}, and is stopped`)
    processes[id].kill('SIGSTOP')
    sleeper = id
  }
  if (reads) return pause(100).then(() => counter)
  const isLate = BigInt(fence) < highest
  console.log(`${id} writes ${writes} with fence ${fence}: ${isLate ? 'refused' : 'written'}`)
  if (!isLate) [counter, highest] = [writes, BigInt(fence)]
  if (counter === 3) processes[sleeper].kill('SIGCONT')
  if (counter > 3 && id === sleeper && !isLate) end()
}
await runMembers(import.meta.url, ['a', 'b', 'c'], guard)
