// Readers are inside together, the writer is alone. Readers never cease to come, and the writer has its turn nevertheless.
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

if (membership !== null) await visitForEver(await join(membership), membership.id === 'writer')

async function visitForEver({ locks }, isWriter) {
  const visit = async () => {
    await ask('comes in')
    await pause(30)
    await ask('goes')
  }
  for (;;) {
    await locks.request('catalogue', { mode: isWriter ? 'exclusive' : 'shared' }, visit)
    if (isWriter) await pause(100)
  }
}

const inside = new Set()
let [most, writes] = [0, 0]
const watch = (id, says, { end }) => {
  if (says === 'goes') return inside.delete(id)
  console.log(`inside: ${[...inside.add(id)].join(', ')}`)
  if (inside.has('writer') && inside.size > 1) throw new Error('the writer is not alone')
  if (id === 'writer') writes += 1
  most = Math.max(most, inside.size)
  if (writes >= 3 && most === 3) end()
}
await runMembers(import.meta.url, ['a', 'b', 'c', 'writer'], watch)
