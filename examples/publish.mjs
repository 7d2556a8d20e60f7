// A writer that goes on as a reader. It publishes a catalogue, and then proofreads it beside the readers that waited. The next writer
// waits until all of them have left: what is proofread is what was published.
import { join } from 'turnwise'

const mesh = await join()
let catalogue = 'draft'

const lock = await mesh.locks.acquire('catalogue')
const readers = ['anna', 'ben'].map((who) =>
  mesh.locks.request('catalogue', { mode: 'shared' }, () => console.log(`${who} reads the ${catalogue}`)),
)
const correction = mesh.locks.request('catalogue', () => {
  catalogue = 'second edition'
})

catalogue = 'first edition'
lock.downgrade()
await Promise.all(readers)
console.log(`proofread: the ${catalogue}`)
lock.release()

await correction
console.log(`at last: the ${catalogue}`)
await mesh.leave()
