// A leader that hands over. Three processes campaign, and one leads. It resigns, and another leads at once. That one is
// killed, and a third leads when its lease has ended. A fourth process campaigns for nothing and observes.
import { join } from 'turnwise'
import { ask, membership, runMembers } from './support/members.mjs'

if (membership === null) await watch()
else if (membership.id === 'observer') await observe()
else await campaignForEver()

async function campaignForEver() {
  const mesh = await join(membership)
  const election = mesh.election('scheduler')
  for (;;) {
    const lead = await election.campaign()
    await ask({ says: 'leads', fence: String(lead.fence) })
    // A leader whose lease ends hears of it by lead.signal; this one leads until it is told to resign.
    lead.release()
    // It stays out until another leads, or it might be the first to ask again.
    for await (const leader of election.observe()) {
      if (leader !== null && leader.id !== membership.id) break
    }
  }
}

async function observe() {
  const mesh = await join(membership)
  for await (const leader of mesh.election('scheduler').observe()) {
    await ask({ says: 'sees', leader: leader?.id ?? null })
  }
}

/** The parent: lets the first leader resign and kills the second, each when it has been observed. */
async function watch() {
  const leaders = []
  let seen = null
  let step = 0
  let resign = () => {}
  await runMembers(import.meta.url, ['a', 'b', 'c', 'observer'], (id, { says, fence, leader }, world) => {
    if (says === 'leads') {
      console.log(`${id} leads, fence ${fence}`)
      leaders.push({ id, fence: BigInt(fence) })
    } else {
      console.log(`the observer sees ${leader ?? 'nobody'}`)
      seen = leader
    }
    // Which of the two is heard of first is left to chance.
    if (seen !== null && seen === leaders.at(-1)?.id) interfere(seen, world)
    return says === 'leads' ? new Promise((resolve) => (resign = resolve)) : null
  })

  function interfere(leader, { processes, end }) {
    step += 1
    if (step === 1) {
      console.log(`${leader} resigns`)
      setImmediate(() => resign())
    } else if (step === 2) {
      console.log(`${leader} is killed`)
      processes[leader].kill('SIGKILL')
    } else end()
  }

  if (
    leaders.some(({ id, fence }, i) => i > 0 && (id === leaders[i - 1].id || fence <= leaders[i - 1].fence))
  )
    throw new Error('every leader is another than the one before, with a higher fence')
}
