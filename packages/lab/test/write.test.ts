import { exercises } from '@turnwise/workshop/exercises'
import { describe, expect, test } from 'vitest'
import { algorithmSources } from '../sandbox.ts'
import { beginning, fileName, worldsFor } from '../src/rooms/write/beginnings.ts'
import { known, variants } from '../src/run/spec.ts'

const sources = algorithmSources()

describe('the room to write in', () => {
  test('every algorithm, broken rule, exercise and the template has a text to begin from', () => {
    const paths = Object.keys(sources)
    const names = [...known, ...variants.map(({ algorithm }) => algorithm)].map(({ facts }) => facts.name)
    expect(names.filter((name) => !paths.some((path) => path.endsWith(`/${name}.ts`)))).toEqual([])
    expect(
      exercises.flatMap(({ right }) => ('text' in right ? [] : right)).filter((path) => !(path in sources)),
    ).toEqual([])
  })

  test('a text stands alone, and its file has the name of the algorithm', async () => {
    const text = (await beginning('raymond-piggyback', sources)) ?? ''
    expect(text).toContain("from '@turnwise/algorithms/token/raymond'")
    expect(fileName(text)).toBe('raymond-piggyback.ts')
    expect(await beginning('nothing', sources)).toBeNull()
    expect(await beginning('exercise:tie-break', sources)).toMatch(/^\/\/ Exercise tie-break: /)
    expect(fileName('export {}')).toBe('algorithm.ts')
  })

  test('the world is that of the exercise, of the broken rule, or three nodes', () => {
    expect(worldsFor('exercise:structure', 4, 2)).toEqual([{ nodes: 3, requests: 1 }])
    expect(worldsFor('maekawa-original', null, 'any')).toMatchObject([
      { nodes: 4, requests: 'any', quorum: 'grid' },
    ])
    expect(worldsFor('lamport', 2, null)).toEqual([{ nodes: 2, requests: 1 }])
  })
})
