// Three processes campaign, and one leads. It resigns and observes: the second leader is killed, and the third leads.
import { join } from 'turnwise'
import { ask, membership, runMembers } from './support/members.mjs'

if (membership !== null) await campaign((await join(membership)).election('scheduler'))

async function campaign(election) {
  const lead = await election.campaign()
  await ask({ fence: String(lead.fence) })
  lead.release()
  for await (const leader of election.observe()) await ask({ sees: leader?.id ?? 'nobody' })
}

const leaders = []
let seen = null
const watch = (id, { fence, sees }, { processes, end }) => {
  console.log(sees ? `${id} has resigned, and sees ${sees}` : `${id} leads, fence ${fence}`)
  if (sees) seen = sees
  else leaders.push(id)
  if (leaders.length === 2 && seen === leaders[1]) {
    console.log(`${seen} is killed`)
    processes[seen].kill('SIGKILL')
  }
  if (seen === leaders[2]) end()
  return id === leaders[0] ? 'resign' : new Promise(() => {})
}
await runMembers(import.meta.url, ['a', 'b', 'c'], watch)
