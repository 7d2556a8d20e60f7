import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { expect, test } from 'vitest'
import { playScenario, setupFrom } from '../src/scenario.ts'
import { Stage } from '../src/stage.ts'
import { napper } from './contract-toys.ts'

const raymondRecovery = algorithmNamed('raymond-recovery')

test('a crash ends the timers of a node, also if it restarts', () => {
  const lines = ['world nodes=1', 'request 0', 'crash 0', 'restart 0', 'timeout 0 nap']
  expect(() => playScenario(lines.join('\n'), napper)).toThrow('line 5: node 0 has no timer nap running')
  expect(playScenario('world nodes=1\nrequest 0\ntimeout 0 nap\n----\n', napper)).toContain('enters')
})

test('a node that fails inside and restarts with its memory is released; for the judges it left with the crash', () => {
  const lines = ['world nodes=2 inside=1', 'crash 1', 'restart 1', 'request 1']
  expect(() => playScenario(lines.join('\n'), raymondRecovery)).toThrow(
    'line 4: node 1 cannot ask: it is inside',
  )

  const stage = new Stage(raymondRecovery, setupFrom(raymondRecovery, ['nodes=2', 'inside=1']))
  stage.crash(1)
  stage.restart(1, true)
  stage.request(0)
  while (stage.underWay.length > 0) stage.deliver(get(stage.underWay, 0))
  expect(stage.statusOf(0)).toBe('inside')
  stage.release(1)
  expect(stage.statusOf(1)).toBe('idle')
  stage.crash(1)
  stage.restart(1, true)
  expect(stage.statusOf(1)).toBe('idle')
  expect(stage.jury.violations).toEqual([])
})

test('a node that fails inside and restarts without its memory is idle', () => {
  const lines = ['world nodes=2 inside=1', 'crash 1', 'restart 1 amnesia', 'request 1', '----', '']
  expect(playScenario(lines.join('\n'), raymondRecovery)).toContain('1 asks')
})

test('a message is the oldest of its type on a channel, or the newest', () => {
  const text = 'world nodes=2\nrequest 0\ndeliver never 0>1 second'
  expect(() => playScenario(text, napper)).toThrow(
    'line 3: "second" is not newest, or nothing for the oldest',
  )
})
