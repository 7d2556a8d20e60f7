/** A program that forgets `leave()`: two nodes take a lock by turns, and that is all. Says "still here" if they keep it alive. */
import { get } from '@turnwise/core/bounds'
import { atLeast } from '../../../../test/present.ts'
import { join } from '../../src/join.ts'

const [how, patience, directory, ...addresses] = atLeast(3, process.argv.slice(2))
const peers = Object.fromEntries(addresses.map((address, i) => ['ab'[i], address]))
const nodes = await Promise.all(
  Object.keys(peers).map((id) =>
    join({
      id,
      peers,
      stateDir: `${directory}/${id}`,
      firstStart: true,
      lease: 4000,
      ...(['ends', 'asks'].includes(how) && { keepAlive: false }),
    }),
  ),
)
for (const node of nodes) await node.locks.request('L', () => {})
if (how === 'asks') {
  // Longer than a tick, after which nothing keeps it alive.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  await get(nodes, 0).locks.query()
}
if (how === 'leaves') await Promise.all(nodes.map((node) => node.leave()))
console.log('done')
// It is run only if something else keeps the process alive.
setTimeout(() => {
  console.log('still here')
  process.exit(3)
}, Number(patience)).unref()
