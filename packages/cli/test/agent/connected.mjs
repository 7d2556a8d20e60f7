/** A client of a daemon that does what it is told, a word a line, and says what happens. */
import { createInterface } from 'node:readline'
import { connect } from 'turnwise'

const daemon = await connect({ socket: process.argv[2] })
let held = null

/** What is so at this moment, without a turn of the event loop. */
function look() {
  const isHeld = held.isHeld
  console.log(`looks ${isHeld} ${held.signal.aborted} ${held.signal.reason?.code}`)
}

const DEEDS = {
  async acquire(name) {
    held = await daemon.locks.acquire(name)
    held.signal.addEventListener('abort', () => console.log(`lost: ${held.signal.reason.message}`))
    console.log(`holds ${name} ${held.fence}`)
  },
  /** A job that never ends, for the fire time 0. */
  async once(name) {
    const job = () => new Promise(() => console.log(`runs ${name}`))
    const { by, finished } = await daemon.once(name, 0, { at: name }, job)
    console.log(`finds that ${by} ran it: ${finished}`)
  },
  release: () => held.release(),
  look,
  /** Looks as the first thing when it goes on. */
  stop() {
    console.log('stops')
    process.kill(process.pid, 'SIGSTOP')
    look()
  },
  leave: () => daemon.leave(),
}

console.log('connected')
for await (const line of createInterface({ input: process.stdin })) {
  const [deed, name] = line.split(' ')
  Promise.resolve(DEEDS[deed](name)).catch((error) => console.log(`fails: ${error.name}: ${error.message}`))
}
await daemon.leave()
