/** Who is drawn as inside against the rule. */
import type { Mode } from '@turnwise/core/algorithm'
import { expect, test } from 'vitest'
import { tooMany } from '../src/run/moment.ts'
import type { Span } from '../src/run/recording.ts'

test.each<[modes: readonly Mode[], entries: number, isWell: boolean]>([
  [['exclusive'], 1, true],
  [['exclusive', 'exclusive'], 1, false],
  [['exclusive', 'exclusive'], 2, true],
  [['shared', 'shared', 'shared'], 1, true],
  [['exclusive', 'shared'], 1, false],
  // One that may update is inside beside readers.
  [['shared', 'update', 'shared'], 1, true],
  [['update', 'update'], 1, false],
])('%j with %i allowed: %s', (modes, entries, isWell) => {
  const inside = modes.map((mode, node) => ({ node, mode }) as Span)
  expect(tooMany(inside, entries)).toEqual(isWell ? [] : inside)
})
