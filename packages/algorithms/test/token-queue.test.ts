import { instanceOf } from '@turnwise/checker/asked-instance'
import type { Mode, NodeId } from '@turnwise/core/algorithm'
import { readOptions } from '@turnwise/core/options'
import { arrange } from '@turnwise/core/setup'
import { scriptFrom } from '@turnwise/simulator/load'
import { describe, expect, test } from 'vitest'
import { checkModel } from '../../../scripts/models.ts'
import { extent, isWhole } from '../../../test/extent.ts'
import { tokenQueue } from '../src/token/token-queue.ts'
import { measured, SIZES } from './measured.ts'

const options = readOptions(tokenQueue.options, [])

describe('a world that begins with somebody inside holds, in runs of any length', () => {
  const worlds: readonly (readonly [nodes: number, inside: readonly NodeId[], mode: Mode])[] = [
    [3, [2], 'exclusive'],
    [3, [2, 0, 1], 'shared'],
    [3, [1], 'shared'],
    [3, [1, 2], 'shared'],
  ]
  const readers = extent<'none' | 'some'>('none', 'some')
  const withdrawals = extent(0, 0, 1)

  test.each(worlds.slice(0, extent(1, 4)))('%i nodes, %j inside, %s', (nodes, inside, insideMode) => {
    const { setup } = arrange(tokenQueue.facts, { nodes, options, inside, insideMode })
    const world = { algorithm: tokenQueue, setup }
    const { expected, failure } = checkModel(instanceOf(world, { requests: 'any', readers }, { withdrawals }))
    expect(failure).toBeNull()
    // The same worlds as from a beginning with nobody inside.
    expect(expected.states).toBe(extent(444, 62_007, 401_613))
  })

  test.runIf(isWhole)('all but the first of four read', () => {
    const { setup } = arrange(tokenQueue.facts, {
      nodes: 4,
      options,
      inside: [1, 2, 3],
      insideMode: 'shared',
    })
    const world = { algorithm: tokenQueue, setup }
    const { expected, failure } = checkModel(instanceOf(world, { requests: 1, readers: 'some' }))
    expect(failure).toBeNull()
    expect(expected.states).toBe(152_358)
  })
})

describe('what an entry costs', () => {
  test('all ask again at once: the token alone, since requests ride in it', () => {
    for (const nodes of SIZES) {
      const { messages } = measured('token-queue', {
        nodes,
        load: 'heavy',
        entries: 40 * nodes,
        warmup: 8 * nodes,
      })
      expect(messages.byType, `${nodes} nodes`).toEqual({ token: 32 * nodes })
    }
  })

  test('a caller that waits at its node when it is released asks before the token leaves', () => {
    // Node 0 has two callers from the start, node 1 one: the second of node 0 rides, and the token comes back for it.
    const load = scriptFrom('0 request 0\n0 request 0\n0 request 1', 2, 'two callers at node 0')
    const { messages } = measured('token-queue', { nodes: 2, load, inside: 'constant:3', entries: 3 })
    expect(messages.byType).toEqual({ request: 1, token: 2 })
  })

  test('one that asks alone, and readers, ask once', () => {
    for (const nodes of SIZES) {
      const alone = `hot:${Array.from({ length: nodes }, (_, node) => (node === nodes - 1 ? 1 : 0)).join(',')}`
      const { messages } = measured('token-queue', { nodes, load: alone, entries: 30 })
      expect(messages.byType).toEqual({ request: 1, token: 1 })
      const readers = measured('token-queue', {
        nodes,
        load: 'heavy',
        readers: 1,
        entries: 30 * nodes,
      }).messages
      expect(readers.byType).toEqual({ request: nodes - 1, copy: nodes - 1 })
    }
  })
})
