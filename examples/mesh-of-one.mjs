// Locks before there are peers: a mesh of one needs no configuration, and the code stays as it is when others join.
import { join } from 'turnwise'

const mesh = await join()
try {
  const balance = { cents: 0 }
  const deposit = (cents) =>
    mesh.locks.request('account', async (lock) => {
      const before = balance.cents
      await new Promise(setImmediate)
      lock.assertHeld()
      balance.cents = before + cents
    })
  await Promise.all([deposit(1), deposit(20), deposit(300)])
  console.log(`${balance.cents} cents: nobody overwrote anybody`)
  if (balance.cents !== 321) throw new Error('a deposit was lost')
} finally {
  await mesh.leave()
}
