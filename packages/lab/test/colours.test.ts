import { readFileSync } from 'node:fs'
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { playable } from '../src/run/spec.ts'
import { HUE_OF, HUES, marksOf } from '../src/scene/message-marks.ts'

/** What an eye makes of red, green and blue light: whole, with protanopia, with deuteranopia (Machado and others, 2009). */
const EYES = [
  [1, 0, 0, 0, 1, 0, 0, 0, 1],
  [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
]

/** A colour in Oklab, where distances are as they are seen. */
function seen(hex: string, eye: readonly number[]): number[] {
  const light = [0, 2, 4].map((i) => {
    const part = Number.parseInt(hex.slice(i, i + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  const times = (matrix: readonly number[], vector: readonly number[]) =>
    [0, 3, 6].map((row) => vector.reduce((sum, part, i) => sum + part * get(matrix, row + i), 0))
  const within = times(eye, light).map((part) => Math.min(1, Math.max(0, part)))
  const cones = [0.4122, 0.5363, 0.0514, 0.2119, 0.6807, 0.1074, 0.0883, 0.2817, 0.63]
  const lab = [0.2105, 0.7936, -0.0041, 1.978, -2.4286, 0.4506, 0.0259, 0.7828, -0.8087]
  return times(lab, times(cones, within).map(Math.cbrt))
}

test('a type of message has one hue everywhere, and no two of an algorithm share one while there are enough', () => {
  for (const { facts, shapes } of playable) {
    const types = Object.keys(shapes.messages)
    expect(
      types.filter((type) => !HUE_OF.has(type)),
      facts.name,
    ).toEqual([])
    const hues = new Set(types.map((type) => HUE_OF.get(type)))
    expect(hues.size, facts.name).toBe(Math.min(types.length, HUES))
  }
  // Whatever was sent first.
  const [one, other] = [
    ['grant', 'request'],
    ['request', 'grant'],
  ].map((sent) => marksOf(sent, ['request', 'grant']).get('grant'))
  expect(one).toEqual(other)
})

test.each(['light', 'dark'])('the %s hues are told apart, also by the colour-blind', (scheme) => {
  const sheet = readFileSync(new URL('../src/design/tokens.css', import.meta.url), 'utf8')
  const [, section = ''] = sheet.split(`[data-scheme="${scheme}"]`)
  const hues = Array.from(
    { length: HUES },
    (_, i) => new RegExp(`--hue-${i + 1}: #(\\w+)`).exec(section)?.[1] ?? '',
  )
  const pairs = hues.flatMap((one, i) => hues.slice(i + 1).map((other) => [one, other] as const))
  const alike = pairs.filter(([one, other]) =>
    EYES.some(
      (eye) => Math.hypot(...seen(one, eye).map((value, i) => value - get(seen(other, eye), i))) < 0.1,
    ),
  )
  expect(alike).toEqual([])
})
