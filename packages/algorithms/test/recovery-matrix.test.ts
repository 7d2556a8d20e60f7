/** Every token algorithm with a recovery, against every way to need it: `docs/recovery.md` shows the same table. */

import { readFileSync } from 'node:fs'
import { brokenAssumptions } from '@turnwise/simulator/broken-assumptions'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { describe, expect, test } from 'vitest'
import { play } from '../../../scripts/recovery/cell.ts'
import { matrix } from '../../../scripts/recovery/matrix.ts'
import { RANDOM_SEEDS, SITUATIONS, type Situation } from '../../../scripts/recovery/rows.ts'
import { Watch } from '../../../scripts/recovery/watch.ts'
import { extent } from '../../../test/extent.ts'
import { algorithmNamed, catalogue } from '../src/catalogue.ts'

const situations = Object.keys(SITUATIONS) as Situation[]

for (const row of matrix) {
  describe(row.algorithm, () => {
    for (const situation of situations) {
      const cell = row.cells[situation]
      if (typeof cell === 'string') continue
      test(SITUATIONS[situation], () => {
        for (const seed of extent(RANDOM_SEEDS.slice(0, 3), RANDOM_SEEDS.slice(3), RANDOM_SEEDS)) {
          const outcome = play(row, situation, cell, seed)
          const { violations, served, mostTokens, cost, asMeant, wishes } = outcome
          expect({ violations, served, asMeant }, outcome.command).toEqual({
            violations: [],
            served: true,
            asMeant: true,
          })
          expect(mostTokens, outcome.command).toBeLessThanOrEqual(1)
          expect(cost, outcome.command).toBeLessThanOrEqual(cell.most.of(wishes.nodes ?? 0))
          if (situation === 'two') expect(outcome.startedAtOnce, outcome.command).toBeGreaterThanOrEqual(2)
        }
      })

      test(`${SITUATIONS[situation]}: within what it assumes`, () => {
        const { wishes } = play(row, situation, cell, 1)
        const broken = brokenAssumptions(simulationConfig(algorithmNamed(row.algorithm), wishes))
        const beyond = row.claimsLess === undefined ? [] : ['it does not claim to survive crash, restart']
        expect(broken).toEqual(beyond)
      })
    }

    if (situations.some((situation) => typeof row.cells[situation] === 'string')) {
      test('what is not claimed is not in the facts, and may stop everyone, but lets no two in', () => {
        expect(algorithmNamed(row.algorithm).facts.faults).not.toContain('crash')
        const stopped = RANDOM_SEEDS.filter((seed) => {
          const fault = [`crash:${seed % 5}@${seed}.3`]
          const wishes = { nodes: 5, load: 'heavy', entries: 30, seed, fault }
          const { jury, unserved } = new Watch(row.algorithm, wishes).runToEnd().simulation
          expect(jury.holds.exclusion.findings.first).toEqual([])
          return unserved > 0
        })
        expect(stopped).not.toEqual([])
      })
    }

    test(`where the network splits: ${row.partition.outcome}`, () => {
      const file = new URL(`../scenarios/${row.partition.shownBy}.txt`, import.meta.url)
      const isUnsafe = readFileSync(file, 'utf8').includes('VIOLATION exclusion')
      expect(isUnsafe).toBe(row.partition.outcome === 'two tokens')
      const { faults } = algorithmNamed(row.algorithm).facts
      if (isUnsafe) expect(faults).not.toContain('split')
    })
  })
}

test('every token algorithm that claims to survive a crash has a row', () => {
  const rows = new Set(matrix.map(({ algorithm }) => algorithm))
  const claiming = catalogue.filter(({ facts }) => facts.family === 'token' && facts.faults.includes('crash'))
  expect(claiming.length).toBeGreaterThan(5)
  expect(claiming.map(({ facts }) => facts.name).filter((name) => !rows.has(name))).toEqual([])
})
