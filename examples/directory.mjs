// Three processes meet in a directory and take turns. The holder is killed with SIGKILL, and the next one is inside at once.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join as pathOf } from 'node:path'
import { fileURLToPath } from 'node:url'
import { join } from 'turnwise'

const [directory] = process.argv.slice(2)
if (directory === undefined) await watch(pathOf(await mkdtemp(pathOf(tmpdir(), 'tw-')), 'locks'))
else await takeTurns()

/** One process: two lines are all that it takes. */
async function takeTurns() {
  const mesh = await join(directory)
  for (;;) {
    await mesh.locks.request('invoices', async (lock) => {
      process.send({ fence: String(lock.fence) })
      await new Promise((resolve) => setTimeout(resolve, 20))
    })
  }
}

/** The parent: kills a holder when all three have had a turn, and waits for ten more. */
async function watch(place) {
  const processes = Array.from({ length: 3 }, () =>
    spawn(process.execPath, [fileURLToPath(import.meta.url), place], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
  const seen = new Set()
  let last = 0n
  let killed = null
  let after = 0
  await new Promise((resolve, reject) => {
    for (const each of processes) {
      each.on('error', reject)
      each.on('message', ({ fence }) => {
        if (each === killed?.process) return
        console.log(`process ${each.pid} holds the lock, fence ${fence}`)
        if (BigInt(fence) <= last) reject(new Error('a fence did not rise'))
        last = BigInt(fence)
        seen.add(each)
        if (killed !== null) {
          after += 1
          if (after === 1)
            console.log(`the next was inside ${Math.round(performance.now() - killed.at)} ms later`)
          if (after === 10) resolve()
        } else if (seen.size === 3) {
          console.log(`process ${each.pid} is killed while it holds the lock`)
          killed = { process: each, at: performance.now() }
          each.kill('SIGKILL')
        }
      })
    }
  })
  for (const each of processes) {
    if (each.kill('SIGKILL')) await once(each, 'exit')
  }
  await rm(dirname(place), { recursive: true })
}
