/**
 * `npm run grid` asks of every algorithm and election what becomes of each property when one assumption is dropped, and writes
 * `packages/algorithms/assumptions.json`. Names after it restrict the work to these. `npm run docs` makes `docs/assumptions.md` of it.
 */
import { writeFileSync } from 'node:fs'
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Cell, DROPPED } from '@turnwise/workshop/dropped-assumptions'
import { assumptionGrid, cellOf, GRID } from './grid/cells.ts'
import { read } from './options.ts'

const everyone = [...catalogue, ...elections]
const only = read(() => process.argv.slice(2).map(known))
const before = only.length === 0 ? {} : assumptionGrid()
const grid: Record<string, Record<string, Cell>> = { ...before }
for (const algorithm of everyone) {
  const { name } = algorithm.facts
  if (only.length > 0 && !only.includes(name)) continue
  const started = performance.now()
  grid[name] = Object.fromEntries(
    DROPPED.flatMap((dropped) => {
      const cell = cellOf(algorithm, dropped)
      return cell === null ? [] : [[dropped.name, cell]]
    }),
  )
  process.stdout.write(`${name} ${((performance.now() - started) / 1000).toFixed(1)} s\n`)
  writeFileSync(GRID, `${JSON.stringify(grid, null, 2)}\n`)
}

function known(name: string): string {
  if (everyone.some(({ facts }) => facts.name === name)) return name
  throw new InvalidInput(`"${name}" is not an algorithm: npx turnwise algorithms lists all`)
}
