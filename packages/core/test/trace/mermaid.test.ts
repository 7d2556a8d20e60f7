import { describe, expect, test } from 'vitest'
import { renderMermaid } from '../../src/trace/mermaid.ts'
import {
  because,
  crash,
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

/** What follows the participants. */
function statements(diagram: string): string[] {
  const lines = diagram.trimEnd().split('\n')
  return lines
    .slice(1)
    .filter((line) => !line.startsWith('  participant'))
    .map((line) => line.trim())
}

/** The statements that are used here, as Mermaid's grammar reads them: a text ends at `;`, `#` and newline. */
const STATEMENT = new RegExp(
  [
    String.raw`participant n\d+`,
    String.raw`(de)?activate n\d+`,
    String.raw`n\d+(->>|-x)n\d+: ([^#;\n]|#\d+;)+`,
    String.raw`Note over n\d+(,n\d+)?: ([^#;\n]|#\d+;)+`,
  ]
    .map((statement) => `^  ${statement}$`)
    .join('|'),
)

test('a run of three nodes', () => {
  expect(renderMermaid(SAMPLE)).toBe(
    `sequenceDiagram
  participant n0
  participant n1
  participant n2
  Note over n2: asks
  Note over n0: asks
  n2->>n0: request 1
  n2->>n1: request 1
  n0->>n1: request 2
  n0->>n2: request 2
  n0->>n2: reply
  n1->>n2: reply
  Note over n2: enters (fence 5)
  activate n2
  n1->>n0: reply
  Note over n2: leaves
  deactivate n2
  n2->>n0: reply
  Note over n0: enters (fence 6)
  activate n0
  Note over n0: leaves
  deactivate n0
`,
  )
})

test('faults', () => {
  const trace = traceOf(
    3,
    [0, request(0), send(1, 0, 1, REPLY), drop(1, 1), send(2, 0, 2, REPLY), { is: 'duplicate', id: 2 }],
    [1, receive(2, 2)],
    [1, receive(2, 2)],
    [2, { is: 'cut', from: 2, to: 0 }],
    [2, { is: 'suspect', node: 1, peer: 2 }],
    [3, violation('two inside', 2, 0)],
    [3, violation('nobody in particular')],
  )
  expect(statements(renderMermaid(trace))).toEqual([
    'Note over n0: asks',
    'Note over n0: reply to n2 is duplicated',
    'n0-xn1: reply',
    'n0->>n2: reply',
    'n0->>n2: reply (again)',
    'Note over n0,n2: the channel from n2 to n0 is cut',
    'Note over n1: suspects n2',
    'Note over n0,n2: VIOLATION exclusion: two inside',
    'Note over n0,n2: VIOLATION exclusion: nobody in particular',
  ])
})

const activations = (...timeline: Parameters<typeof traceOf>[1][]) =>
  statements(renderMermaid(traceOf(2, ...timeline))).filter((line) => line.includes('activate'))

describe('who is inside is active', () => {
  test('a crash ends it, and nothing ends what has not begun', () => {
    expect(activations([0, request(0), enter(0, 1)], [1, crash(0)], [2, leave(0)], [3, leave(1)])).toEqual([
      'activate n0',
      'deactivate n0',
    ])
  })

  test('a pause does not', () => {
    const pause = { is: 'pause', node: 0 } as const
    const resume = { is: 'resume', node: 0 } as const
    expect(activations([0, request(0), enter(0, 1)], [1, pause], [2, resume], [3, leave(0)])).toEqual([
      'activate n0',
      'deactivate n0',
    ])
  })

  test('the end of the diagram does', () => {
    expect(activations([0, request(1), enter(1, 1)])).toEqual(['activate n1', 'deactivate n1'])
  })
})

test('a reason is a note', () => {
  const trace = traceOf(2, [0, request(0), because(0, 'node {self} has the token; it enters')])
  expect(renderMermaid(trace).split('\n')).toContain('  Note over n0: Node 0 has the token#59; it enters.')
})

test('every line is a statement, whatever the texts contain', () => {
  const nasty = 'a; b # c\nd %% e <br> & $$x$$ end: -x ->>'
  const trace = traceOf(
    2,
    [0, send(1, 0, 1, { type: nasty }), drop(1, 1), send(2, 0, 1, { type: '' })],
    [1, receive(1, 1)],
    [1, receive(2, 1)],
    [2, violation(nasty)],
    [2, { is: 'timeout', node: 0, timer: nasty }],
  )
  const [head, ...lines] = renderMermaid(trace).trimEnd().split('\n')
  expect(head).toBe('sequenceDiagram')
  for (const line of lines) expect(line).toMatch(STATEMENT)
  expect(lines).toContain(
    '  n0-xn1: a#59; b #35; c d #37;#37; e #60;br#62; #38; #36;#36;x#36;#36; end: -x -#62;#62;',
  )
})
