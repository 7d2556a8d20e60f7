import { expect, test } from 'vitest'
import { keyOf } from '../src/shell/key-bindings.ts'

const key = (does: string, ...keys: string[]) => ({ does, keys, run: () => {} })

test('a named key with shift is another key, a sign that needs shift is not', () => {
  const groups = [
    { title: 'a', keys: [key('step', 'ArrowRight'), key('entry', 'Shift+ArrowRight'), key('keys', '?')] },
  ]
  expect(keyOf(groups, 'ArrowRight', false)?.does).toBe('step')
  expect(keyOf(groups, 'ArrowRight', true)?.does).toBe('entry')
  expect(keyOf(groups, '?', true)?.does).toBe('keys')
  expect(keyOf(groups, 'x', false)).toBeUndefined()
})

test('what was registered last comes first', () => {
  const groups = [
    { title: 'shell', keys: [key('old', 'a')] },
    { title: 'room', keys: [key('new', 'a')] },
  ]
  expect(keyOf(groups, 'a', false)?.does).toBe('new')
})
