import { expect, test } from 'vitest'
import { survivalText, zoneCell } from '../../src/cli/commands/status.ts'

test.each([
  [
    { nodes: 2, zones: ['x', 'y', 'z'], notZones: [] },
    'survives the loss of any 2 nodes, or of any one zone',
  ],
  [{ nodes: 1, zones: ['y'], notZones: ['x'] }, 'survives the loss of any node, or of zone y; not of zone x'],
  [{ nodes: 1, zones: [], notZones: [] }, 'survives the loss of any node'],
  [{ nodes: 1, zones: [], notZones: ['x'] }, 'survives the loss of any node; not of zone x'],
  [{ nodes: 0, zones: [], notZones: ['x', 'y'] }, 'survives no loss of a voter; not of zone x or y'],
  [{ nodes: 0, zones: ['y'], notZones: ['x'] }, 'survives the loss of zone y; not of zone x'],
])('%j: %s', (survives, text) => {
  expect(survivalText(survives)).toBe(text)
})

test('a node without a zone shows none, whatever it is called', () => {
  expect(zoneCell({ a: 'x' }, 'a')).toEqual(['x'])
  expect(zoneCell({ a: 'x' }, 'constructor')).toEqual(['–'])
})
