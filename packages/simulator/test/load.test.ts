import { InvalidInput } from '@turnwise/core/invalid-input'
import { describe, expect, test } from 'vitest'
import { loadFrom, scriptFrom } from '../src/load.ts'

describe('loads as they are written', () => {
  test.each([
    ['light', { kind: 'light' }],
    ['heavy', { kind: 'heavy' }],
    ['poisson:0.5', { kind: 'poisson', rate: 0.5 }],
    ['closed:3', { kind: 'closed', think: { kind: 'exponential', mean: 3 } }],
    ['closed:uniform:1,2', { kind: 'closed', think: { kind: 'uniform', low: 1, high: 2 } }],
    ['closed:constant:4', { kind: 'closed', think: { kind: 'constant', value: 4 } }],
    ['hot:1,2,3,4', { kind: 'hot', weights: [1, 2, 3, 4] }],
    ['hot:10,1', { kind: 'hot', weights: [10, 1, 1, 1] }],
    ['hot:0,0.5', { kind: 'hot', weights: [0, 0.5, 0.5, 0.5] }],
    ['hot:7', { kind: 'hot', weights: [7, 7, 7, 7] }],
  ])('%s', (text, load) => {
    expect(loadFrom(text, 4)).toEqual({ text, ...load })
  })

  test.each([
    ['', /^"" is not one of light, heavy, poisson:RATE, closed:THINK, hot:W0,W1,…, script:FILE$/],
    ['medium', /^"medium" is not one of light/],
    ['light:1', /^"light:1" is not one of light/],
    ['poisson', /^"poisson" is not one of light/],
    ['poisson:', /^"poisson:" is not one of light/],
    ['poisson:0', /^"0" is not a rate of arrivals: a number, more than 0$/],
    ['closed:0', /^"0" is not a time to think: a number, more than 0$/],
    ['closed:normal:1', /^"normal:1" is not one of constant:D/],
    ['hot:', /is not one of light/],
    ['hot:1,,2', /^"" is not a weight: a number, 0 or more$/],
    ['hot:1,-1', /^"-1" is not a weight/],
    ['hot:1,2,3,4,5', /^"1,2,3,4,5" is not at most one weight per node: there are 4 nodes$/],
    ['hot:0,0', /^"0,0" is not weights of which one is more than 0$/],
  ])('"%s" is refused', (text, complaint) => {
    expect(() => loadFrom(text, 4)).toThrow(InvalidInput)
    expect(() => loadFrom(text, 4)).toThrow(complaint)
  })
})

describe('scripts', () => {
  const exclusive = { mode: 'exclusive', priority: 0 }

  test('one action a line, with comments and blank lines, sorted by time, ties as they stand', () => {
    const source =
      '# two nodes\n3 request 1\n\n 0.5\trequest 2 shared  # a reader\n3 withdraw 1\n3 request 0\r\n'
    expect(scriptFrom(source, 3, 'script:x')).toEqual({
      text: 'script:x',
      kind: 'script',
      lines: [
        { at: 0.5, does: 'request', node: 2, ask: { mode: 'shared', priority: 0 } },
        { at: 3, does: 'request', node: 1, ask: exclusive },
        { at: 3, does: 'withdraw', node: 1, ask: exclusive },
        { at: 3, does: 'request', node: 0, ask: exclusive },
      ],
    })
  })

  test.each([
    ['', 'the script makes no request'],
    ['# nothing\n', 'the script makes no request'],
    ['0 withdraw 1', 'the script makes no request'],
    ['0 request 1\nsoon request 1', 'line 2: "soon" is not a time: a number, 0 or more'],
    ['-1 request 1', 'line 1: "-1" is not a time: a number, 0 or more'],
    ['0 leave 1', 'line 1: "leave" is not request or withdraw'],
    ['0 request', 'line 1: "" is not a node: a whole number, 0 to 2'],
    ['0 request 3', 'line 1: "3" is not a node: a whole number, 0 to 2'],
    ['0 request 1 quickly', 'line 1: "quickly" is not exclusive, shared or priority'],
    ['0 withdraw 1 shared', 'line 1: "shared" is not expected after TIME withdraw NODE'],
    [
      '0 request 1 shared please',
      'line 1: "please" is not expected after TIME request NODE [shared] [priority P]',
    ],
  ])('%j is refused', (source, message) => {
    expect(() => scriptFrom(source, 3, 'script:x')).toThrow(new InvalidInput(message))
  })
})
