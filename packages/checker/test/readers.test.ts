import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import { describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { checked, fences, propertyOf } from './harness.ts'

/** A reader inside that lets a writer in too: what section 6.6 allows between readers only. */
const generous: typeof ricartAgrawala = {
  ...ricartAgrawala,
  receive: {
    ...ricartAgrawala.receive,
    request(node, here, message, from) {
      ricartAgrawala.receive.request(node, here, { ...message, reads: message.reads || node.reads }, from)
    },
  },
}

/** Readers all have fence 0. */
const unfenced: typeof ricartAgrawala = {
  ...ricartAgrawala,
  receive: {
    ...ricartAgrawala.receive,
    reply(node, here, message, from) {
      const enter = (fence: number) => here.enter(node.reads ? 0 : fence)
      ricartAgrawala.receive.reply(node, { ...here, enter }, message, from)
    },
  },
}

const NODES = extent(2, 3)

describe('requests that may ask to share', () => {
  test('readers are inside together, and nobody beside a writer', () => {
    const { properties, check } = checked(ricartAgrawala, { nodes: NODES, readers: 'some' })
    expect(properties.filter(({ holds }) => holds !== true)).toEqual([])
    expect(check.search.mostInside).toBe(NODES)
  })

  test('who never shares is never inside together', () => {
    expect(checked(ricartAgrawala, { nodes: 3 }).check.search.mostInside).toBe(1)
  })

  test('every choice of mode is tried: a reader that lets a writer in is caught, with the modes told', () => {
    const exclusion = propertyOf(checked(generous, { nodes: 2, readers: 'some' }), 'exclusion')
    expect(exclusion).toMatchObject({ holds: false, reason: 'nodes 0, 1 are inside together' })
    const modes = exclusion.trace?.flatMap((event) => (event.is === 'enter' ? [event.mode] : []))
    expect(modes?.toSorted()).toEqual(['exclusive', 'shared'])
    expect(propertyOf(checked(generous, { nodes: 2, readers: 'all' }), 'exclusion').holds).toBe(true)
    expect(propertyOf(checked(generous, { nodes: 2, readers: 'none' }), 'exclusion').holds).toBe(true)
  })
})

describe('fences of those who share', () => {
  test('rise against what they exclude', () => {
    expect(fences(ricartAgrawala, { nodes: NODES, readers: 'some' })).toMatchObject({ holds: true })
    expect(fences(ricartAgrawala, { nodes: 2, requests: 2, readers: 'some' })).toMatchObject({ holds: true })
  })

  test('may repeat among readers, not after a writer', () => {
    expect(fences(unfenced, { nodes: 2, requests: 2, readers: 'all' })).toMatchObject({ holds: true })
    expect(fences(unfenced, { nodes: 2, readers: 'some' })).toMatchObject({
      holds: false,
      reason: expect.stringContaining('enters with fence 0 after fence'),
    })
  })
})
