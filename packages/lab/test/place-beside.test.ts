import { expect, test } from 'vitest'
import { placeBeside } from '../src/rooms/theatre/place-beside.ts'

const menu = { width: 180, height: 160 }
const wide = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

test('a menu opens to the right of its spot, or to the left where the window ends', () => {
  expect(placeBeside({ x: 500, y: 300 }, menu, wide)).toEqual({ x: 530, y: 270 })
  expect(placeBeside({ x: 1400, y: 300 }, menu, wide)).toEqual({ x: 1190, y: 270 })
})

test('where neither side has room, below or above it', () => {
  expect(placeBeside({ x: 195, y: 300 }, menu, phone)).toEqual({ x: 105, y: 330 })
  expect(placeBeside({ x: 195, y: 700 }, menu, phone)).toEqual({ x: 105, y: 510 })
})

test('it is always wholly in the window', () => {
  for (const window of [wide, phone, { width: 200, height: 180 }]) {
    for (let x = 0; x <= window.width; x += 10) {
      for (let y = 0; y <= window.height; y += 10) {
        const place = placeBeside({ x, y }, menu, window)
        expect(Math.min(place.x, place.y)).toBeGreaterThanOrEqual(8)
        expect(place.x + menu.width).toBeLessThanOrEqual(window.width - 8)
        expect(place.y + menu.height).toBeLessThanOrEqual(window.height - 8)
      }
    }
  }
})
