// What the examples with several processes have in common. Each of them is one file that runs as two kinds of process:
// the one that you start, and the members that it starts, which run the same file with options to join with.
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Crew } from '@turnwise/fleet/crew'
import { freeAddresses } from '@turnwise/fleet/ports'
import { Program } from '@turnwise/fleet/program'

/** In a member: what it joins with. Null in the process that you started. */
export const membership = process.argv[2] === undefined ? null : JSON.parse(process.argv[2])

/** The default, which is right for three processes on a machine; on one that does much else a longer one does not lapse. */
const LEASE = Number(process.env.EXAMPLE_LEASE ?? 2000)

/** Much longer than any example takes: one that hangs is to fail. */
const DEADLINE = 60_000

/**
 * Starts a process for each id, which joins with what `joining` says, and resolves when all of them are gone.
 * What a member asks goes to `answer(id, question, { processes, directory, end })`, which may take its time.
 */
export async function runMembers(url, ids, answer, joining = byName) {
  const crew = new Crew('turnwise-')
  const { directory } = crew
  const peers = await freeAddresses(ids)
  const processes = {}
  const end = () => {
    for (const each of Object.values(processes)) each.kill('SIGKILL')
  }
  const deadline = setTimeout(() => {
    throw new Error(`the members have not ended after ${DEADLINE} ms`)
  }, DEADLINE)
  const gone = ids.map(async (id) => {
    const options = JSON.stringify(joining(id, directory, peers))
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc']
    const member = new Program([fileURLToPath(url), options], { stdio })
    crew.take(member)
    processes[id] = member
    member.child.on('message', ({ ticket, question }) => {
      void reply(member.child, ticket, answer(id, question, { processes, directory, end }))
    })
    const code = await member.code
    if (!member.isKilled) throw new Error(`member ${id} ended with ${code}`)
  })
  await Promise.all(gone)
  clearTimeout(deadline)
  await crew.close()
}

/** Each has a port and a state directory of its own. */
function byName(id, directory, peers) {
  const stateDir = path.join(directory, id)
  return { id, peers, stateDir, firstStart: true, lease: LEASE, quorumTimeout: DEADLINE }
}

async function reply(child, ticket, answered) {
  const answer = await answered
  // A process that was killed since hears nothing.
  if (child.connected) child.send({ ticket, answer }, () => {})
}

const waiting = new Map()
let tickets = 0

/** In a member: asks the process that started it, and waits for the answer. */
export function ask(question) {
  tickets += 1
  process.send({ ticket: tickets, question })
  return new Promise((answered) => waiting.set(tickets, answered))
}

if (membership !== null) {
  process.on('message', ({ ticket, answer }) => {
    waiting.get(ticket)(answer)
    waiting.delete(ticket)
  })
  process.on('disconnect', () => process.exit())
}

export function pause(milliseconds) {
  return new Promise((over) => setTimeout(over, milliseconds))
}
