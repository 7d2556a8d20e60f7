import { expect, test } from 'vitest'
import { evenZones } from '../src/zones.ts'

test('zones are blocks of nodes whose sizes differ by one at most', () => {
  for (let nodes = 1; nodes <= 12; nodes += 1) {
    for (let wished = 1; wished <= 5; wished += 1) {
      const { count, of, first, size } = evenZones(nodes, wished)
      const zones = Array.from({ length: nodes }, (_, node) => of(node))
      expect(count).toBe(Math.min(nodes, wished))
      expect(zones).toEqual(zones.toSorted((a, b) => a - b))
      const sizes = Array.from({ length: count }, (_, zone) => zones.filter((each) => each === zone).length)
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1)
      sizes.forEach((actual, zone) => {
        expect(size(zone)).toBe(actual)
        expect(first(zone)).toBe(zones.indexOf(zone))
      })
    }
  }
})
