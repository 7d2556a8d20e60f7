import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { raymond } from '@turnwise/algorithms/token/raymond'
import { suzukiKasami } from '@turnwise/algorithms/token/suzuki-kasami'
import { expect, test } from 'vitest'
import { check } from '../src/index.ts'
import { propertiesOf } from '../src/property.ts'

const verdicts = ({ properties }: ReturnType<typeof check>) =>
  Object.fromEntries(properties.map(({ name, holds }) => [name, holds]))

test('a deadlock does not hide that exclusion survives a crash', () => {
  const world = { nodes: 3, trouble: { crashes: 1 } }
  expect(check(suzukiKasami, world).failure).toMatchObject({ name: 'no-deadlock' })
  const safe = check(suzukiKasami, { ...world, only: ['exclusion', 'one-token', 'fences-rise', 'rules'] })
  expect(verdicts(safe)).toEqual({ exclusion: true, 'one-token': true, 'fences-rise': true, rules: true })
  expect(safe).toMatchObject({ complete: true, holds: true, failure: null })
})

test('what is asked alone fails after as many steps as among all', () => {
  const world = { nodes: 2, requests: 2, trouble: { duplicates: 1 } } as const
  const all = check(ricartAgrawala, world)
  expect(all.failure?.name).toBe('exclusion')
  const alone = check(ricartAgrawala, { ...world, only: ['exclusion'] })
  expect(alone.failure?.trace?.length).toBe(all.failure?.trace?.length)
  // Two are inside in it, and nobody waits for ever.
  const others = propertiesOf(ricartAgrawala).filter((name) => !['exclusion', 'fences-rise'].includes(name))
  expect(check(ricartAgrawala, { ...world, only: others })).toMatchObject({ holds: true, complete: true })
})

test('a handler that breaks a rule ends a run: what fails in others is found, and nothing is proved', () => {
  const world = { nodes: 2, requests: 2, trouble: { duplicates: 1 } } as const
  expect(check(raymond, { ...world, only: ['rules'] }).failure?.name).toBe('rules')
  expect(check(raymond, { ...world, only: ['exclusion'] }).failure?.name).toBe('exclusion')
  const { holds, properties } = check(raymond, { ...world, only: ['no-starvation'] })
  expect(holds).toBe(false)
  expect(properties).toEqual([
    expect.objectContaining({
      name: 'no-starvation',
      holds: null,
      reason: 'some runs end where a handler breaks a rule',
    }),
  ])
})
