// A warehouse with four halls. An order takes goods from two or three of them, and needs these halls for itself. The halls are a
// group: an order gets all of its halls or none, and orders with different halls are at work together.
import { join } from 'turnwise'

const mesh = await join()
const halls = mesh.group('halls', ['east', 'north', 'south', 'west'])
const busy = new Set()
let most = 0

const order = (number, ...wanted) =>
  halls.request(wanted, { timeout: 10_000, info: { order: number } }, async (held) => {
    if (held.names.some((hall) => busy.has(hall))) throw new Error('two orders in one hall')
    for (const hall of held.names) busy.add(hall)
    most = Math.max(most, busy.size)
    await new Promise((resolve) => setTimeout(resolve, 10))
    held.assertHeld()
    for (const hall of held.names) busy.delete(hall)
    return held.fence
  })

const [first, , third] = await Promise.all([
  order(1, 'west', 'north'),
  order(2, 'south', 'east'),
  order(3, 'north', 'east', 'south'),
])
console.log(`${most} halls were busy together; the third order came after the first: ${third > first}`)
await mesh.leave()
