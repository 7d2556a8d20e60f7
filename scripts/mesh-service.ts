/**
 * `npm run mesh:service` prints for how long a lock serves nobody after a fault, in leases and in virtual time: median, 90th
 * percentile and maximum over seeds. `--seed N --fault NAME` tells one run, event by event. With `--no-stamps` a restarted voter
 * owes a lease from its start.
 */
import { get } from '@turnwise/core/bounds'
import { decimal, wholeNumber } from '@turnwise/core/invalid-input'
import { FAULTS, withoutService } from '../packages/mesh/test/simulation/service.ts'
import { parseOptions, read } from './options.ts'

const { values } = read(() =>
  parseOptions({
    options: {
      seeds: { type: 'string', default: '200' },
      seed: { type: 'string' },
      fault: { type: 'string' },
      nodes: { type: 'string', default: '7' },
      stand: { type: 'string', default: '0.3' },
      'no-stamps': { type: 'boolean', default: false },
    },
  }),
)
const nodes = read(() => wholeNumber(values.nodes, 'a number of nodes', 3, 7))
const stand = read(() => decimal(values.stand, 'a time for --stand', { min: 0 }))
const seeds = read(() => wholeNumber(values.seeds, 'a number of seeds', 1))
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
    const waits = Array.from({ length: seeds }, (_, seed) => ({
      seed,
      wait: withoutService({ seed, nodes, fault, stand, isUnstamped }) ?? Number.POSITIVE_INFINITY,
    })).toSorted((one, other) => one.wait - other.wait)
    const at = (share: number) => get(waits, Math.floor(share * (waits.length - 1))).wait.toFixed(2)
    print(`${fault}\t${at(0.5)}\t${at(0.9)}\t${at(1)}\t${waits.at(-1)?.seed}`)
  }
}
