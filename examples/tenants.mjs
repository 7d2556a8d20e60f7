// Two jobs at a time, for all tenants together. One tenant has a hundred, another two: they take turns, and the two do not wait for the hundred.
import { join } from 'turnwise'

const mesh = await join()
const jobs = mesh.limit('reports', { concurrent: 2 })
const done = []

const report = (tenant) =>
  jobs.request(tenant, async () => {
    await new Promise(setImmediate)
    done.push(tenant)
  })

await Promise.all([...Array.from({ length: 100 }, () => report('large')), report('small'), report('small')])
console.log(`${done.length} reports, the small tenant was served by number ${done.lastIndexOf('small') + 1}`)
await mesh.leave()
