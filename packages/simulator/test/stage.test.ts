import { expect, test } from 'vitest'
import { playScenario } from '../src/scenario.ts'
import { napper } from './contract-toys.ts'

test('a crash ends the timers of a node, also if it restarts', () => {
  const lines = ['world nodes=1', 'request 0', 'crash 0', 'restart 0', 'timeout 0 nap']
  expect(() => playScenario(lines.join('\n'), napper)).toThrow('line 5: node 0 has no timer nap running')
  expect(playScenario('world nodes=1\nrequest 0\ntimeout 0 nap\n----\n', napper)).toContain('enters')
})

test('a message is the oldest of its type on a channel, or the newest', () => {
  const text = 'world nodes=2\nrequest 0\ndeliver never 0>1 second'
  expect(() => playScenario(text, napper)).toThrow(
    'line 3: "second" is not newest, or nothing for the oldest',
  )
})
