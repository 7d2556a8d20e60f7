// Two transfers take the accounts one after the other, in opposite orders, and wait for each other. The younger request is rejected with the
// circle as its message; that transfer gives back what it holds and begins again.
import { DeadlockError, join } from 'turnwise'

const mesh = await join({ nesting: true, deadlockAfter: 100 })
const pause = () => new Promise((resolve) => setTimeout(resolve, 20))

async function transfer(from, to) {
  try {
    await mesh.locks.request(from, { info: `${from} to ${to}` }, async () => {
      await pause()
      await mesh.locks.request(to, pause)
    })
    console.log(`${from} to ${to}: done`)
  } catch (error) {
    if (!(error instanceof DeadlockError)) throw error
    console.log(`${from} to ${to}: ${error.message}`)
    await transfer(from, to)
  }
}

await Promise.all([transfer('alice', 'bob'), transfer('bob', 'alice')])
await mesh.leave()
