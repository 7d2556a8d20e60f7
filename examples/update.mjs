// Read first, write only if it is needed. A caller that may write reads in mode "update", beside other readers. Of two of them one waits, so what
// the first has read is still true when it writes; and nobody waits for ever.
import { join } from 'turnwise'

const mesh = await join()
const stock = { apples: 3 }

const buy = (who, apples) =>
  mesh.locks.request('stock', { mode: 'update' }, async (lock) => {
    if (stock.apples < apples) return console.log(`${who} finds too few`)
    await lock.upgrade({ timeout: 5000 })
    stock.apples -= apples
    console.log(`${who} buys ${apples}`)
  })

const visitor = await mesh.locks.acquire('stock', { mode: 'shared' })
const sales = [buy('anna', 2), buy('ben', 2), buy('carla', 1)]
console.log(`a visitor sees ${stock.apples} apples`)
visitor.release()
await Promise.all(sales)
console.log(`${stock.apples} are left`)
await mesh.leave()
