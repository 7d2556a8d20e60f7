import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FAULT_FORMS, faultFrom } from '../src/faults.ts'
import { InvalidInput } from '../src/invalid-input.ts'

const both = (a: number, b: number) => [
  { from: a, to: b },
  { from: b, to: a },
]

describe('faults as they are written', () => {
  test.each([
    ['drop:0.25', { kind: 'drop', probability: 0.25 }],
    ['duplicate:1', { kind: 'duplicate', probability: 1 }],
    ['corrupt:1e-3', { kind: 'corrupt', probability: 0.001 }],
    ['spike:0.5,20', { kind: 'spike', probability: 0.5, factor: 20 }],
    ['spike:0.5,.1', { kind: 'spike', probability: 0.5, factor: 0.1 }],
    ['crash:2@0', { kind: 'crash', node: 2, at: 0 }],
    ['restart:2@7.5', { kind: 'restart', node: 2, at: 7.5, memory: true }],
    ['restart:2@7.5,amnesia', { kind: 'restart', node: 2, at: 7.5, memory: false }],
    ['pause:0@1-2.5', { kind: 'pause', node: 0, at: 1, until: 2.5 }],
    ['cut:0-3@0-9', { kind: 'cut', links: both(0, 3), at: 0, until: 9 }],
    ['cut:3>0@1-9', { kind: 'cut', links: [{ from: 3, to: 0 }], at: 1, until: 9 }],
    ['add:3@2', { kind: 'add', node: 3, at: 2, sponsor: null }],
    ['add:3@2.5,via:1', { kind: 'add', node: 3, at: 2.5, sponsor: 1 }],
    ['remove:0@4', { kind: 'remove', node: 0, at: 4 }],
    ['link:0-3@1', { kind: 'link', ends: [0, 3], at: 1 }],
    ['unlink:3-0@1.5', { kind: 'unlink', ends: [3, 0], at: 1.5 }],
    [
      'split:0/1,2/3@1-2',
      { kind: 'split', links: [...both(0, 1), ...both(0, 2), ...both(0, 3), ...both(1, 3), ...both(2, 3)] },
    ],
  ])('%s', (text, expected) => {
    const fault = faultFrom(text, 4)
    expect(fault).toMatchObject({ text, ...('links' in expected ? { kind: expected.kind } : expected) })
    const links = 'links' in fault ? fault.links : []
    const wanted = 'links' in expected ? expected.links : []
    const sorted = (list: readonly { from: number; to: number }[]) =>
      list.map(({ from, to }) => `${from}>${to}`).toSorted()
    expect(sorted(links)).toEqual(sorted(wanted))
  })

  test('a node that no group names stays with the first', () => {
    const fault = faultFrom('split:2/1@0-1', 4)
    expect('links' in fault && fault.links.some(({ from, to }) => from === 0 && to === 2)).toBe(false)
    expect('links' in fault && fault.links.filter(({ to }) => to === 1).map(({ from }) => from)).toEqual([
      2, 0, 3,
    ])
  })

  test('a split cuts exactly the links between different groups, both ways', () => {
    const groupings = fc.array(fc.nat(2), { minLength: 3, maxLength: 8 }).filter((g) => new Set(g).size > 1)
    fc.assert(
      fc.property(groupings, (groups) => {
        const nodes = groups.map((_, node) => node)
        const text = [...new Set(groups)]
          .map((g) => nodes.filter((node) => groups[node] === g).join())
          .join('/')
        const fault = faultFrom(`split:${text}@0-1`, groups.length)
        const cut = 'links' in fault ? fault.links.map(({ from, to }) => `${from}>${to}`) : []
        const wanted = nodes.flatMap((a) =>
          nodes.filter((b) => groups[a] !== groups[b]).map((b) => `${a}>${b}`),
        )
        expect(cut.toSorted()).toEqual(wanted.toSorted())
      }),
    )
  })
})

describe('what is no fault is refused, and told how one is written', () => {
  test.each([
    ['fire', /^"fire" is not a fault: drop:P, duplicate:P, .*split:/],
    ['drop', /is not a fault/],
    ['toString:1', /is not a fault/],
    ['drop:0', /^"0" is not a probability: a number, more than 0, at most 1$/],
    ['drop:1.1', /at most 1/],
    ['drop:often', /probability/],
    ['spike:0.5', /^"spike:0.5" is not of the form spike:P,FACTOR$/],
    ['spike:0.5,0', /the factor of a spike/],
    ['crash:4@1', /^"4" is not a node: a whole number, 0 to 3$/],
    ['crash:0', /of the form crash:NODE@T/],
    ['crash:0@-1', /of the form/],
    ['crash:0@1-2', /of the form/],
    ['restart:0@1,forgetful', /of the form restart:NODE@T\[,amnesia\]/],
    ['pause:0@5', /of the form pause:NODE@T-T2/],
    ['pause:0@5-5', /the end of an interval that begins at 5: a number, more than 5/],
    ['cut:0-0@1-2', /a cut between two different nodes/],
    ['cut:0~1@1-2', /of the form cut:A-B@T-T2/],
    ['cut:0-1@3-2', /the end of an interval/],
    ['split:0,1,2,3@1-2', /of the form split/],
    ['split:0,1/1,2@1-2', /a node stands in two groups/],
    ['split:0//1@1-2', /a node/],
    ['add:3', /of the form add:NODE@T\[,via:SPONSOR\]/],
    ['add:3@1,by:2', /of the form add/],
    ['add:4@1', /^"4" is not a node: a whole number, 0 to 3$/],
    ['add:3@1,via:4', /^"4" is not a node/],
    ['add:3@1,via:3', /a node that joins through another node/],
    ['add:3@soon', /a time/],
    ['remove:3@1-2', /of the form remove:NODE@T/],
    ['link:0>1@2', /of the form link:A-B@T/],
    ['link:0-1@2-3', /of the form link/],
    ['unlink:2-2@2', /a channel between two different nodes/],
    ['unlink:2-7@2', /a node/],
  ])('%s', (text, complaint) => {
    expect(() => faultFrom(text, 4)).toThrow(InvalidInput)
    expect(() => faultFrom(text, 4)).toThrow(complaint)
  })

  // shows velazquez-1993 2.1 The model, failures
  test('every kind has a form and says what it does', () => {
    for (const [kind, { form, about }] of Object.entries(FAULT_FORMS)) {
      expect(form.startsWith(`${kind}:`)).toBe(true)
      expect(about).not.toBe('')
    }
  })
})
