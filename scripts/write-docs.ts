/**
 * `npm run docs` writes the generated parts of the documents; with `-- --check` it changes nothing and fails
 * if one is stale. A generated part stands between two comments that name it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'

const MEASURED_NODES = 13
const ENTRIES = 2000

function measured(algorithm: AnyAlgorithm, load: string): string {
  const config = simulationConfig(algorithm, { nodes: MEASURED_NODES, entries: ENTRIES, load })
  const simulation = new Simulation(config).runToEnd()
  const { messages, violations, unserved } = reportOf(simulation)
  if (violations.length > 0 || unserved > 0)
    throw new Error(`${algorithm.facts.name} does not hold at ${load} load`)
  return String(Number((messages.perEntry ?? 0).toFixed(2)))
}

function algorithmTable(): string {
  const heads = [
    'algorithm',
    'year',
    'family',
    'channels',
    'topology',
    'messages per entry',
    'light',
    'heavy',
    'delay',
  ]
  const rows = catalogue.map((algorithm) => {
    const { facts } = algorithm
    const link = `[${facts.name}](packages/algorithms/src/${facts.family}/${facts.name}.ts)`
    const light = measured(algorithm, 'light')
    const heavy = measured(algorithm, 'heavy')
    return [
      link,
      facts.year,
      facts.family,
      facts.channels,
      facts.topology,
      facts.messages.formula,
      light,
      heavy,
      facts.syncDelay.formula,
    ]
  })
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return [
    ...lines,
    '',
    `Light and heavy: measured messages per entry with ${MEASURED_NODES} nodes, ${ENTRIES} entries, one time unit per ` +
      'message and per stay (`npx turnwise compare --nodes 13 --entries 2000 --load light --load heavy`). Delay: message ' +
      'delays from an exit to the next entry when someone waits.',
  ].join('\n')
}

const GENERATED: readonly { file: string; part: string; write: () => string }[] = [
  { file: 'README.md', part: 'algorithms', write: algorithmTable },
]

const check = process.argv.includes('--check')
let stale = 0
for (const { file, part, write } of GENERATED) {
  const path = new URL(`../${file}`, import.meta.url)
  const text = readFileSync(path, 'utf8')
  const marks = new RegExp(`(<!-- begin ${part}[^>]*-->\n)[^]*?(<!-- end ${part} -->)`)
  if (!marks.test(text)) throw new Error(`${file} has no place for ${part}`)
  const fresh = text.replace(marks, (_, begin: string, end: string) => `${begin}${write()}\n${end}`)
  if (fresh === text) continue
  stale += 1
  if (check) process.stderr.write(`${file}: ${part} is stale; npm run docs writes it anew\n`)
  else writeFileSync(path, fresh)
}
process.stdout.write(`${GENERATED.length} generated parts, ${stale} ${check ? 'stale' : 'written anew'}\n`)
if (check && stale > 0) process.exit(1)
