import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidInput } from '../../src/invalid-input.ts'
import { readTrace, type Trace, writeTraceLine } from '../../src/trace/trace.ts'
import {
  because,
  crash,
  type Deed,
  drop,
  enter,
  leave,
  REPLY,
  receive,
  request,
  SAMPLE,
  send,
  traceOf,
  violation,
} from './sample.ts'

function write({ header, events }: Trace): string {
  return [header, ...events].map(writeTraceLine).join('')
}

const EVERY_KIND: Deed[] = [
  request(0),
  { is: 'request', node: 1, mode: 'shared' },
  enter(0, 1),
  leave(0),
  { is: 'downgrade', node: 0 },
  { is: 'upgrade', node: 0 },
  { is: 'desist', node: 0 },
  { is: 'withdraw', node: 1 },
  send(1, 0, 1, REPLY),
  send(2, 0, null, REPLY),
  receive(1, 1),
  drop(2, 1),
  { is: 'lose', id: 2, node: 1, why: 'cut' },
  { is: 'lose', id: 2, node: 1, why: 'crash' },
  { is: 'duplicate', id: 1 },
  { is: 'corrupt', id: 1, message: REPLY },
  { is: 'undelivered', id: 1, node: 0 },
  { is: 'timeout', node: 0, timer: 'retry' },
  { is: 'proceed', node: 0, step: 'check' },
  { is: 'elect', node: 0 },
  { is: 'elected', node: 0, coordinator: 1 },
  { is: 'suspect', node: 0, peer: 1 },
  { is: 'restore', node: 0, peer: 1 },
  crash(0),
  { is: 'restart', node: 0, memory: false },
  { is: 'pause', node: 0 },
  { is: 'resume', node: 0 },
  { is: 'join', node: 0, sponsor: null },
  { is: 'join', node: 0, sponsor: 1 },
  { is: 'depart', node: 0 },
  { is: 'gone', node: 0 },
  { is: 'linked', node: 0, peer: 1 },
  { is: 'unlinked', node: 0, peer: 1 },
  { is: 'lose', id: 2, node: 1, why: 'absent' },
  { is: 'cut', from: 0, to: 1 },
  { is: 'heal', from: 0, to: 1 },
  { is: 'proceed', node: 0, step: 'view 1 of a, b', view: [1, 0], state: { last: 1, queue: [] } },
  { is: 'leave', node: 0, state: { last: null } },
  { is: 'proceed', node: 0, step: 'no view', state: null },
  because(0, 'node {self} waits for {missing}', { missing: [1], number: 3, what: 'a reply' }),
  because(1, 'nobody waits'),
  violation('two inside', 0, 1),
  violation('nobody in particular'),
]

describe('what is written can be read', () => {
  test('a run', () => {
    expect(readTrace(write(SAMPLE))).toEqual(SAMPLE)
  })

  test('every kind of event', () => {
    const trace = traceOf(2, [1.5, ...EVERY_KIND])
    expect(readTrace(write(trace))).toEqual(trace)
  })

  test('any texts and numbers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.maxSafeNat(), fc.nat(1), (text, id, node) => {
        const trace = traceOf(2, [0, violation(text, node), send(id, node, null, { type: text })])
        expect(readTrace(write(trace))).toEqual(trace)
      }),
    )
  })

  test('one line each, and empty lines are passed over', () => {
    expect(writeTraceLine(get(SAMPLE.events, 0))).toBe(
      '{"at":0,"is":"request","node":2,"mode":"exclusive"}\n',
    )
    expect(readTrace(`${write(SAMPLE)}\n\n`)).toEqual(SAMPLE)
  })
})

describe('a malformed header', () => {
  const { header } = SAMPLE

  test.each<[string, string]>([
    ['', 'line 1 is not a JSON object'],
    ['{', 'line 1 is not a JSON object'],
    ['[]', 'line 1 is not a JSON object'],
    ['null', 'line 1 is not a JSON object'],
    ['7', 'line 1 is not a JSON object'],
    ['{}', 'line 1 is not the header of a turnwise trace'],
    [JSON.stringify({ ...header, version: 2 }), 'the trace has version 2; this program reads 1'],
    [JSON.stringify({ ...header, algorithm: 1 }), 'line 1: algorithm is missing or not a string'],
    [JSON.stringify({ ...header, nodes: undefined }), 'line 1: nodes is missing or not a number'],
    [JSON.stringify({ ...header, seed: '7' }), 'line 1: seed is missing or not a number'],
    [JSON.stringify({ ...header, entries: null }), 'line 1: entries is missing or not a number'],
    [JSON.stringify({ ...header, settings: null }), 'line 1: settings is missing or not a object'],
    [JSON.stringify({ ...header, nodes: 0 }), 'line 1: nodes is not a whole number, 1 or more'],
    [JSON.stringify({ ...header, nodes: 2.5 }), 'line 1: nodes is not a whole number, 1 or more'],
    [JSON.stringify({ ...header, nodes: 1e300 }), 'line 1: nodes is not a whole number, 1 or more'],
  ])('%s', (line, complaint) => {
    expect(() => readTrace(line)).toThrow(new InvalidInput(complaint))
  })
})

describe('a malformed event', () => {
  test.each<[string, string]>([
    ['{', 'line 3 is not a JSON object'],
    ['[]', 'line 3 is not a JSON object'],
    ['"request"', 'line 3 is not a JSON object'],
    ['{"at":0}', 'line 3: "undefined" is not a kind of event'],
    ['{"at":0,"is":"toString"}', 'line 3: "toString" is not a kind of event'],
    ['{"is":"leave","node":0}', 'line 3: at is not a whole number of ticks'],
    ['{"at":0.5,"is":"leave","node":0}', 'line 3: at is not a whole number of ticks'],
    ['{"at":0,"is":"leave"}', 'line 3: node is missing or not a number'],
    ['{"at":0,"is":"leave","node":"0"}', 'line 3: node is missing or not a number'],
    ['{"at":0,"is":"leave","node":null}', 'line 3: node is missing or not a number'],
    [
      '{"at":0,"is":"because","node":0,"words":"it waits","values":{"for":{}}}',
      'line 3: values is missing or not a record of numbers, texts and lists of numbers',
    ],
    ['{"at":0,"is":"leave","node":0,"state":3}', 'line 3: state is not an object or null'],
    ['{"at":0,"is":"leave","node":0,"view":[0,2]}', 'line 3: view is not a list of nodes from 0 to 1'],
    ['{"at":0,"is":"leave","node":2}', 'line 3: node 2 is not a node from 0 to 1'],
    ['{"at":0,"is":"leave","node":-1}', 'line 3: node -1 is not a node from 0 to 1'],
    ['{"at":0,"is":"leave","node":0.5}', 'line 3: node 0.5 is not a node from 0 to 1'],
    ['{"at":0,"is":"suspect","node":0,"peer":5}', 'line 3: peer 5 is not a node from 0 to 1'],
    ['{"at":0,"is":"elected","node":0,"coordinator":5}', 'line 3: coordinator 5 is not a node from 0 to 1'],
    ['{"at":0,"is":"cut","from":5,"to":0}', 'line 3: from 5 is not a node from 0 to 1'],
    ['{"at":0,"is":"cut","from":0,"to":null}', 'line 3: to is missing or not a number'],
    ['{"at":0,"is":"request","node":0}', 'line 3: mode is missing or not a string'],
    ['{"at":0,"is":"request","node":0,"mode":"both"}', 'line 3: mode is not exclusive or shared or update'],
    [
      '{"at":0,"is":"lose","id":1,"node":0,"why":"bad luck"}',
      'line 3: why is not drop or cut or crash or absent',
    ],
    ['{"at":0,"is":"restart","node":0,"memory":1}', 'line 3: memory is missing or not a boolean'],
    ['{"at":0,"is":"send","id":1,"from":0}', 'line 3: to is missing or not a number or null'],
    ['{"at":0,"is":"send","id":1,"from":0,"to":7}', 'line 3: to 7 is not a node from 0 to 1'],
    ['{"at":0,"is":"send","id":1,"from":0,"to":1}', 'line 3: message is missing or not a message'],
    [
      '{"at":0,"is":"send","id":1,"from":0,"to":1,"message":null}',
      'line 3: message is missing or not a message',
    ],
    [
      '{"at":0,"is":"send","id":1,"from":0,"to":1,"message":{"kind":"ask"}}',
      'line 3: message is missing or not a message',
    ],
    [
      '{"at":0,"is":"violation","judge":"order","nodes":1,"text":""}',
      'line 3: nodes is missing or not a array',
    ],
    [
      '{"at":0,"is":"violation","judge":"order","nodes":[0,9],"text":""}',
      'line 3: nodes 9 is not a node from 0 to 1',
    ],
    [
      '{"at":0,"is":"violation","judge":"order","nodes":[null],"text":""}',
      'line 3: nodes null is not a node from 0 to 1',
    ],
  ])('%s', (line, complaint) => {
    const text = `${write(traceOf(2, [0, request(0)]))}${line}\n`
    expect(() => readTrace(text)).toThrow(new InvalidInput(complaint))
  })
})
