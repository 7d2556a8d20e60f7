import { expect, test } from 'vitest'
import { silenced } from '../silent.ts'

test('reasons are left out, whatever stands in them, and nothing else is', () => {
  const text = `if (a) return here.because?.('node {self} (the next) can\\'t', { next: f(1) })
  here.because?.(
    'x',
  )
  here.send(1)`
  expect(silenced(text)).toBe('if (a) return void 0\n  void 0\n  here.send(1)')
})
