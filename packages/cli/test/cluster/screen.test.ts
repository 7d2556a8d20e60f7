import { expect, test } from 'vitest'
import { Screen } from '../../src/cluster/screen.ts'
import { FakeInput, FakeOutput } from './fake-terminal.ts'

function opened() {
  const input = new FakeInput()
  const output = new FakeOutput()
  const keys: string[] = []
  let resized = 0
  const screen = new Screen(
    input,
    output,
    (key) => keys.push(key),
    () => (resized += 1),
  )
  return { input, output, keys, screen, resizes: () => resized }
}

test('only lines that changed are written, and nothing is cleared', () => {
  const { output, screen } = opened()
  output.take()
  screen.draw(['one', 'two', 'three'])
  expect(output.take()).toContain('two')
  screen.draw(['one', 'TWO', 'three'])
  expect(output.take()).toBe('\u001B[2;1HTWO\u001B[0m\u001B[K')
  screen.draw(['one', 'TWO', 'three'])
  expect(output.written).toEqual([])
  screen.draw(['one'])
  expect(output.take()).toBe('\u001B[2;1H\u001B[0m\u001B[K\u001B[3;1H\u001B[0m\u001B[K')
  screen.close()
})

test('after a resize all is drawn anew', () => {
  const { output, screen, resizes } = opened()
  screen.draw(['one'])
  output.take()
  output.emit('resize')
  expect(resizes()).toBe(1)
  screen.draw(['one'])
  expect(output.take()).toContain('one')
  screen.close()
})

test('the terminal is given back as it was', () => {
  const { input, output, keys, screen } = opened()
  expect(input.isRaw).toBe(true)
  input.emit('data', '2k')
  expect(keys).toEqual(['2', 'k'])
  output.take()
  screen.close()
  screen.close()
  expect(output.take()).toBe('\u001B[?7h\u001B[?25h\u001B[?1049l')
  expect(input.isRaw).toBe(false)
  expect(input.listenerCount('data') + output.listenerCount('resize')).toBe(0)
})
