// What the examples with several processes have in common. Each of them is one file that runs as two kinds of process:
// the one that you start, and the members that it starts, which run the same file with options to join with.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freeAddresses } from '../../packages/cli/dist/fleet/ports.js'

/** In a member: what it joins with. Null in the process that you started. */
export const membership = process.argv[2] === undefined ? null : JSON.parse(process.argv[2])

/** The default, which is right for three processes on a machine; on one that does much else a longer one does not lapse. */
const LEASE = Number(process.env.EXAMPLE_LEASE ?? 2000)

/** Much longer than any example takes: one that hangs is to fail. */
const DEADLINE = 60_000

/**
 * Starts a process for each id, with a port and a state directory of its own, and resolves when all of them are gone.
 * What a member asks goes to `answer(id, question, { processes, directory, end })`, which may take its time.
 */
export async function runMembers(url, ids, answer) {
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const peers = await freeAddresses(ids)
  const processes = {}
  const end = () => {
    for (const child of Object.values(processes)) child.kill('SIGKILL')
  }
  process.on('exit', () => {
    end()
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  })
  const deadline = setTimeout(() => {
    throw new Error(`nothing came of it in ${DEADLINE} ms`)
  }, DEADLINE)
  const gone = ids.map((id) => {
    const options = {
      id,
      peers,
      stateDir: path.join(directory, id),
      firstStart: true,
      lease: LEASE,
      quorumTimeout: DEADLINE,
    }
    const child = fork(fileURLToPath(url), [JSON.stringify(options)])
    processes[id] = child
    child.on('message', ({ ticket, question }) => {
      const answered = answer(id, question, { processes, directory, end })
      void reply(child, ticket, answered)
    })
    return new Promise((ended) => {
      child.on('exit', (code) => {
        if (code !== null) throw new Error(`member ${id} ended with ${code}`)
        ended()
      })
    })
  })
  await Promise.all(gone)
  clearTimeout(deadline)
}

async function reply(child, ticket, answered) {
  const answer = await answered
  // Whoever was killed since hears nothing.
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
