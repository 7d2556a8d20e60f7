// Readers and a writer. A price and its tax stand in two files, and belong together. Readers share the lock, so three of
// them read at the same time; the writer has it alone, so nobody ever sees a new price with an old tax. Readers never
// cease to come, and the writer has its turn nevertheless: a reader that comes now stands behind a writer that waits.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

const WRITES = 3

if (membership === null) await watch()
else if (membership.id === 'writer') await writeNowAndThen()
else await readForEver()

async function readForEver() {
  const mesh = await join(membership)
  for (;;) {
    await mesh.locks.request('catalogue', { mode: 'shared' }, async () => {
      const files = await ask({ says: 'comes in' })
      const price = readFileSync(files.price, 'utf8')
      await pause(30)
      const tax = readFileSync(files.tax, 'utf8')
      await ask({ says: 'goes', price, tax })
    })
  }
}

async function writeNowAndThen() {
  const mesh = await join(membership)
  await ask({ says: 'ready' })
  for (let version = 2; version < 2 + WRITES; version += 1) {
    await mesh.locks.request('catalogue', async () => {
      const files = await ask({ says: 'comes in' })
      writeFileSync(files.price, String(version))
      await pause(30)
      writeFileSync(files.tax, String(version))
      await ask({ says: 'goes' })
    })
    await pause(60)
  }
  await ask({ says: 'has finished' })
}

/** The parent notes who is inside. Nobody releases before it has heard that somebody goes, so what it sees is true. */
async function watch() {
  const readers = ['a', 'b', 'c']
  const inside = new Set()
  let files = null
  let meet = () => {}
  const together = new Promise((resolve) => {
    meet = resolve
  })
  await runMembers(import.meta.url, [...readers, 'writer'], async (id, said, { directory, end }) => {
    files ??= filesIn(directory)
    if (said.says === 'has finished') end()
    if (said.says === 'comes in') {
      if (id === 'writer' ? inside.size > 0 : inside.has('writer')) throw new Error(`${id} is not alone`)
      inside.add(id)
      if (inside.size === readers.length) meet()
      // The first time each of them stays until all are inside.
      if (id !== 'writer') await together
      console.log(`${id} ${id === 'writer' ? 'writes, alone' : `reads, ${inside.size} inside`}`)
    }
    if (said.says === 'goes') {
      inside.delete(id)
      if (said.price !== said.tax) throw new Error(`${id} saw price ${said.price} with tax ${said.tax}`)
    }
    // The writer asks for the lock when readers have it.
    if (said.says === 'ready') await together
    return files
  })
  console.log(`${WRITES} writes: every price was read with its own tax`)
}

function filesIn(directory) {
  const files = { price: path.join(directory, 'price'), tax: path.join(directory, 'tax') }
  for (const file of Object.values(files)) writeFileSync(file, '1')
  return files
}
