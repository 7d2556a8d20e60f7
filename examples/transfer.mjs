// Two accounts at once. One transfer names them in one order, the other in the other: with one lock after the other they
// would wait for each other for ever. A list of names is taken as a whole.
import { join } from 'turnwise'

const mesh = await join()
const cents = new Map([
  ['alice', 100],
  ['bob', 100],
])

const transfer = (from, to, amount) =>
  mesh.locks.request([from, to], async (locks) => {
    const before = [cents.get(from), cents.get(to)]
    await new Promise(setImmediate)
    locks.assertHeld()
    cents.set(from, before[0] - amount).set(to, before[1] + amount)
  })

await Promise.all([transfer('alice', 'bob', 30), transfer('bob', 'alice', 50), transfer('alice', 'bob', 5)])
console.log(`alice has ${cents.get('alice')}, bob has ${cents.get('bob')}: nobody waits for ever`)
await mesh.leave()
