import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { playScenario } from '@turnwise/simulator/scenario'
import { describe, expect, test } from 'vitest'
import { algorithmNamed, catalogue, electionNamed, elections } from '../src/catalogue.ts'

/**
 * Every scenario is played and compared with its own text. `UPDATE_SCENARIOS=1 npm test` writes the outcomes
 * anew; read the change before committing it.
 */
const protocolNamed = (name: string) =>
  elections.some(({ facts }) => facts.name === name) ? electionNamed(name) : algorithmNamed(name)

const folder = new URL('../scenarios/', import.meta.url)

for (const name of readdirSync(folder).toSorted()) {
  describe(name, () => {
    for (const file of readdirSync(new URL(`${name}/`, folder)).toSorted()) {
      test(file.replace('.txt', ''), () => {
        const path = new URL(`${name}/${file}`, folder)
        const text = readFileSync(path, 'utf8')
        const played = playScenario(text, protocolNamed(name))
        if (process.env['UPDATE_SCENARIOS'] === '1') writeFileSync(path, played)
        else expect(played).toBe(text)
      })
    }
  })
}

test('every algorithm has a scenario', () => {
  const missing = [...catalogue, ...elections]
    .map(({ facts }) => facts.name)
    .filter((name) => !existsSync(new URL(`${name}/`, folder)))
  expect(missing).toEqual([])
})
