import { expect, test } from 'vitest'
import { scheduledFrom } from '../../src/cluster/up-deeds.ts'
import { duration } from '../../src/terminal/duration.ts'

const read = (text: string) => duration(text, 'a time')

test('a fault has a time, or two', () => {
  expect(scheduledFrom('kill', 'b@3s', ['a', 'b'], read)).toEqual([{ at: 3000, id: 'b', deed: 'kill' }])
  expect(scheduledFrom('pause', 'a@1.5s-1m', ['a', 'b'], read)).toEqual([
    { at: 1500, id: 'a', deed: 'pause' },
    { at: 60_000, id: 'a', deed: 'continue' },
  ])
  expect(scheduledFrom('cut', 'a@0s-500ms', ['a'], read).map(({ deed }) => deed)).toEqual(['cut', 'heal'])
})
