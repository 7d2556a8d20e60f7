// Three real processes take turns. The one that holds the lock is killed with SIGKILL, and the lock moves on.
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { join } from 'turnwise'

const LEASE = 1000

if (process.argv[2] === undefined) await watch()
else await member(JSON.parse(process.argv[2]))

/** One process: takes turns for ever, and tells of each. */
async function member(options) {
  const mesh = await join(options)
  for (;;) {
    await mesh.locks.request('invoices', async (lock) => {
      process.send({ id: options.id, fence: String(lock.fence) })
      await new Promise((done) => setTimeout(done, 50))
    })
  }
}

/** The parent: starts three of them, kills the holder after ten turns, and waits for ten more. */
async function watch() {
  const directory = mkdtempSync(path.join(tmpdir(), 'turnwise-'))
  const peers = Object.fromEntries(
    await Promise.all(['a', 'b', 'c'].map(async (id) => [id, await freeAddress()])),
  )
  const children = {}
  const turns = []
  await new Promise((done) => {
    for (const id of Object.keys(peers)) {
      const options = { id, peers, stateDir: path.join(directory, id), lease: LEASE, firstStart: true }
      children[id] = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)])
      children[id].on('message', (turn) => {
        turns.push(turn)
        console.log(`${turn.id} holds the lock, fence ${turn.fence}`)
        if (turns.length === 10) {
          console.log(`${turn.id} is killed while it holds the lock`)
          children[turn.id].kill('SIGKILL')
        }
        if (turns.length === 20) done()
      })
    }
  })
  for (const child of Object.values(children)) child.kill('SIGKILL')
  rmSync(directory, { recursive: true })
  const fences = turns.map(({ fence }) => BigInt(fence))
  if (fences.some((fence, i) => i > 0 && fence <= fences[i - 1])) throw new Error('a fence did not rise')
  if (turns.slice(10).some(({ id }) => id === turns[9].id)) throw new Error('the dead hold no locks')
}

function freeAddress() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => done(`127.0.0.1:${port}`))
    })
  })
}
