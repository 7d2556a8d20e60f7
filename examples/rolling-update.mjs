// A process ends in good order: a caller that is inside finishes, and one that waits goes to another process.
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'turnwise'

const mesh = await join()

const pay = (order) =>
  mesh.locks.request('payments', async () => {
    await pause(50)
    console.log(`order ${order} is paid`)
  })

const first = pay(1)
const second = pay(2).catch(({ name, message }) => console.log(`order 2 goes elsewhere: ${name}, ${message}`))

const left = once(process, 'SIGTERM').then(() => mesh.leave({ drain: true }))
process.emit('SIGTERM')
await Promise.all([first, second, left])
console.log('left')
