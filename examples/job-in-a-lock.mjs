// A caller says what it holds a lock for. `query()` shows the job, since when it is inside, and which jobs wait.
import { join } from 'turnwise'

const mesh = await join()
const inside = await mesh.locks.acquire('invoices', { info: { job: 4711 } })
const next = mesh.locks.acquire('invoices', { info: { job: 4712 } })

const { held, pending } = await mesh.locks.query()
for (const { name, info, age } of held)
  console.log(`"${name}": job ${info.job} is inside, for ${Math.round(age)} ms`)
for (const { name, info } of pending) console.log(`"${name}": job ${info.job} waits`)

inside.release()
const second = await next
second.release()
await mesh.leave()
