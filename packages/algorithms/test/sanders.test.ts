import { get } from '@turnwise/core/bounds'
import { messageBounds } from '@turnwise/core/structure/structure-cost'
import { structureFromText } from '@turnwise/core/structure/structure-from-text'
import { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { describe, expect, test } from 'vitest'
import { algorithmNamed } from '../src/catalogue.ts'
import { entryOrders } from './entry-orders.ts'
import { measured, SIZES } from './measured.ts'

/** What Sanders (1987) claims, section by section; the theorem of section 4 has a file of its own. */

const NEEDED = ['deadlock=needed']

/** Who entered when. */
function entries(name: string, wishes: RunWishes): string[] {
  const told: string[] = []
  const config = simulationConfig(algorithmNamed(name), wishes)
  const simulation = new Simulation({
    ...config,
    record: (event) => {
      if (event.is === 'enter') told.push(`${event.node}@${event.at}`)
    },
  })
  simulation.runToEnd()
  return told
}

describe('section 3: known algorithms are special cases', () => {
  // shows sanders-1987 3.2 Figure 1b
  test('with everyone asking everyone: the entries and the messages of Ricart-Agrawala', () => {
    for (const nodes of [2, 3, 5, 8, 13]) {
      for (const load of ['light', 'heavy', 'poisson:0.3']) {
        const wishes = { nodes, load, entries: 60 }
        const structured = { ...wishes, structure: 'ricart-agrawala', set: NEEDED }
        expect(entries('sanders', structured)).toEqual(entries('ricart-agrawala', wishes))
        expect(measured('sanders', structured).messages.perEntry).toBe(2 * (nodes - 1))
      }
    }
  })

  // shows sanders-1987 3.2 Figure 1a
  test('with one node that all ask: the messages of the central coordinator', () => {
    for (const nodes of [2, 3, 5, 8]) {
      for (const load of ['light', 'heavy']) {
        const wishes = { nodes, load, entries: 60 }
        const structured = { ...wishes, structure: 'central', set: NEEDED }
        const { messages } = measured('sanders', structured)
        expect(messages.perEntry).toBe(measured('central-coordinator', wishes).messages.perEntry)
        expect(new Set(Object.values(messages.byType)).size).toBe(1)
        if (load === 'light')
          expect(entries('sanders', structured)).toEqual(entries('central-coordinator', wishes))
      }
    }
  })

  // After their first request the clocks that GRANTs carry can order the rivals otherwise.
  // shows sanders-1987 3.2 Figure 1c
  test('with quorums: message for message what Maekawa does', () => {
    for (const nodes of [2, 3, 4, 7, 9, 13]) {
      for (const load of ['light', 'heavy']) {
        const wishes = { nodes, load, entries: load === 'heavy' ? nodes : 60 }
        const structured = { ...wishes, structure: 'maekawa', set: ['own=first'] }
        expect(entries('sanders', structured)).toEqual(entries('maekawa', wishes))
        expect(measured('sanders', structured).messages).toEqual(measured('maekawa', wishes).messages)
      }
    }
  })

  // shows sanders-1987 3.2 Figure 1c
  // shows velazquez-1993 5 Sanders
  test.each([
    ['ricart-agrawala', 'ricart-agrawala'],
    ['central', 'central-coordinator'],
    ['maekawa', 'maekawa'],
  ])('%s can enter in the same orders as %s', (structure, name) => {
    const sanders = algorithmNamed('sanders')
    for (const [nodes, requests] of [
      [2, 2],
      [3, 1],
    ] as const) {
      const orders = entryOrders(sanders, requests, { nodes, structure, set: NEEDED })
      expect(orders).toEqual(entryOrders(algorithmNamed(name), requests, { nodes }))
    }
  })
})

describe('section 6: the bounds on messages', () => {
  // shows sanders-1987 6.1 Number of Messages per Critical Section Entry
  // shows velazquez-1993 5 Sanders
  // shows claim sanders-total
  test('the lower bound without competition', () => {
    for (const nodes of SIZES.slice(0, 10)) {
      for (const structure of ['central:1', 'ricart-agrawala', 'maekawa', 'figure-2']) {
        const bounds = messageBounds(structureFromText(structure, nodes))
        bounds.forEach(({ least }, node) => {
          const weights = bounds.map((_, other) => (other === node ? 1 : 0)).join(',')
          const load = `hot:${weights}`
          const { messages } = measured('sanders', { nodes, structure, load, entries: 3 })
          expect(messages.perEntry, `${structure} ${nodes} ${node}`).toBe(least)
        })
      }
    }
  })

  // shows sanders-1987 6.1 Number of Messages per Critical Section Entry
  // shows claim dm-over-all
  // shows claim sanders-total
  test('no run leaves the bounds, each entry counted with those of its node', () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const nodes = 2 + (seed % 7)
      const structure = get(['central:1', 'ricart-agrawala', 'maekawa', 'figure-2'], seed % 4)
      const set = [`own=${seed % 3 === 0 ? 'first' : 'last'}`]
      const wishes = { nodes, structure, set, seed, load: 'closed:2', latency: 'exponential:1', entries: 80 }
      const bounds = messageBounds(structureFromText(structure, nodes))
      const who = entries('sanders', wishes).map((entry) => get(bounds, Number(entry.split('@')[0])))
      const { total } = measured('sanders', wishes).messages
      expect(total).toBeGreaterThanOrEqual(who.reduce((sum, { least }) => sum + least, 0))
      expect(total).toBeLessThanOrEqual(who.reduce((sum, { most }) => sum + most, 0))
    }
  })

  // shows sanders-1987 5 Deadlock Free Algorithm, special cases
  test('a centralized structure costs at most two messages more with deadlock recovery', () => {
    const { messages } = measured('sanders', { nodes: 9, structure: 'central', load: 'heavy', entries: 300 })
    expect(messages.perEntry).toBeLessThanOrEqual(5)
    expect(messages.byType['yield']).toBeUndefined()
  })
})
