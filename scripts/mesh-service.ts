/**
 * `npm run mesh:service` prints for how long a lock serves nobody after a fault, in leases and in virtual time: median, 90th
 * percentile and maximum over seeds. `--seed N --fault NAME` tells one run, event by event. With `--no-stamps` a restarted voter
 * owes a lease from its start.
 */
import { parseArgs } from 'node:util'
import { get } from '@turnwise/core/bounds'
import { FAULTS, withoutService } from '../packages/mesh/test/simulation/service.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    seed: { type: 'string' },
    fault: { type: 'string' },
    nodes: { type: 'string', default: '7' },
    stand: { type: 'string', default: '0.3' },
    'no-stamps': { type: 'boolean', default: false },
  },
})
const nodes = Number(values.nodes)
const stand = Number(values.stand)
const isUnstamped = values['no-stamps']
const faults = values.fault === undefined ? FAULTS : FAULTS.filter((name) => name === values.fault)
if (faults.length === 0) {
  process.stderr.write(`--fault "${values.fault}" is not one of ${FAULTS.join('; ')}\n`)
  process.exit(2)
}
const print = (line: string) => void process.stdout.write(`${line}\n`)

if (values.seed !== undefined) {
  const run = { seed: Number(values.seed), nodes, stand, fault: faults[0], isUnstamped }
  print(`served after ${withoutService(run, print)?.toFixed(2) ?? 'never'}`)
} else {
  print(`fault\tmedian\tp90\tmax\tseed of the longest`)
  for (const fault of faults) {
    const waits = Array.from({ length: Number(values.seeds) }, (_, seed) => ({
      seed,
      wait: withoutService({ seed, nodes, fault, stand, isUnstamped }) ?? Number.POSITIVE_INFINITY,
    })).toSorted((one, other) => one.wait - other.wait)
    const at = (share: number) => get(waits, Math.floor(share * (waits.length - 1))).wait.toFixed(2)
    print(`${fault}\t${at(0.5)}\t${at(0.9)}\t${at(1)}\t${waits.at(-1)?.seed}`)
  }
}
