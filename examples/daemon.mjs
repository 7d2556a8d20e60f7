// Ten short-lived programs count in one file. None of them is a member: they use the locks of the daemon on their machine.
import { readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'turnwise/connect'
import { besideDaemon } from './support/daemon.mjs'

const [socket, file] = process.argv.slice(2)
if (socket === undefined) await besideDaemon(import.meta.url, watch)
else await count()

/** One of the ten. */
async function count() {
  const daemon = await connect({ socket })
  await daemon.locks.request('counter', ({ fence }) => {
    const next = Number(readFileSync(file, 'utf8')) + 1
    writeFileSync(file, String(next))
    console.log(`process ${process.pid} counts ${next}, fence ${fence}`)
  })
  await daemon.leave()
}

/** The parent: starts them all at once. */
async function watch({ start, directory }) {
  const counter = `${directory}/counter`
  writeFileSync(counter, '0')
  await Promise.all(Array.from({ length: 10 }, () => start(counter)))
  console.log(`the counter is ${readFileSync(counter, 'utf8')}`)
}
