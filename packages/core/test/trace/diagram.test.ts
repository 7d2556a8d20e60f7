import { describe, expect, test } from 'vitest'
import { type Painter, renderDiagram } from '../../src/trace/diagram.ts'
import {
  because,
  crash,
  drop,
  enter,
  leave,
  REPLY,
  receive,
  request,
  requestAt,
  rows,
  SAMPLE,
  send,
  traceOf,
  violation,
} from './sample.ts'

const LEGEND =
  '│ idle   ┆ waiting   █ inside   × crashed   ‖ paused   ●──▶ a message arrives   ●──✗ it is lost'

describe('a run of three nodes', () => {
  test('is drawn row by row', () => {
    expect(renderDiagram(SAMPLE)).toBe(
      `ricart-agrawala, 3 nodes, seed 7
${LEGEND}

 time  0              1              2
0.000  │              │              ┆    2 asks; sends request to 0, 1
0.500  ┆              │              ┆    0 asks; sends request to 1, 2
1.000  ┆◀─────────────┼──request 1──●┆    0 receives request from 2 (sent 0.000); sends reply to 2
1.000  ┆              │◀──request 1─●┆    1 receives request from 2 (sent 0.000); sends reply to 2
1.500  ┆●──request 2─▶│              ┆    1 receives request from 0 (sent 0.500); sends reply to 0
1.500  ┆●──request 2──┼─────────────▶┆    2 receives request from 0 (sent 0.500)
2.000  ┆●────reply────┼─────────────▶┆    2 receives reply from 0 (sent 1.000)
2.250  ┆              │●────reply───▶█    2 receives reply from 1 (sent 1.000); enters (fence 5)
2.500  ┆◀────reply───●│              █    0 receives reply from 1 (sent 1.500)
3.250  ┆              │              │    2 leaves; sends reply to 0
4.250  █◀─────────────┼────reply────●│    0 receives reply from 2 (sent 3.250); enters (fence 6)
5.250  │              │              │    0 leaves
`,
    )
  })

  test('says why below what happened', () => {
    const trace = traceOf(2, [
      1,
      request(0),
      because(0, 'node {self} asks {others}, which may have\nthe token', { others: [1] }),
      send(1, 0, 1, REPLY),
    ])
    expect(renderDiagram(trace, { width: 70 }).split('\n').slice(3)).toEqual([
      '',
      ' time  0             1',
      '1.000  ┆             │    0 asks; sends reply to 1',
      '       ┆             │    Node 0 asks node 1, which may have the',
      '       ┆             │      token.',
      '',
    ])
  })

  test('on few columns has shorter labels, and sentences that go on in the next line', () => {
    expect(rows(renderDiagram(SAMPLE, { width: 70, from: 1, to: 1 }))).toEqual([
      '1.000  ┆◀─────┼requ…●┆    0 receives request from 2 (sent 0.000);',
      '       ┆      │      ┆      sends reply to 2',
      '1.000  ┆      │◀req…●┆    1 receives request from 2 (sent 0.000);',
      '       ┆      │      ┆      sends reply to 2',
    ])
  })

  test('never takes more columns than it may', () => {
    for (let width = 60; width <= 140; width += 1) {
      for (const line of renderDiagram(SAMPLE, { width }).split('\n')) {
        expect(line.length).toBeLessThanOrEqual(width)
        expect(line).toBe(line.trimEnd())
      }
    }
  })
})

describe('a part of a run', () => {
  test('from and to are times in units, both included', () => {
    const diagram = renderDiagram(SAMPLE, { from: 2.25, to: 3.25 })
    expect(rows(diagram).map((row) => row.slice(0, 5))).toEqual(['2.250', '2.500', '3.250'])
    // What was before is known although it is not shown: node 0 has been waiting since 0.5.
    expect(rows(diagram)[0]).toMatch(/^2\.250 {2}┆/)
  })

  test('a limit says how much is missing and how to see it', () => {
    const diagram = renderDiagram(SAMPLE, { limit: 9 })
    expect(rows(diagram)).toHaveLength(10)
    expect(rows(diagram).at(-1)).toBe('… 3 more rows; a larger limit shows them, or from 3.25')
    expect(rows(renderDiagram(SAMPLE, { from: 3.25 }))).toHaveLength(3)
    expect(rows(renderDiagram(SAMPLE, { limit: 11 })).at(-1)).toBe(
      '… 1 more row; a larger limit shows them, or from 5.25',
    )
  })

  test('a limit that is not reached says nothing', () => {
    expect(renderDiagram(SAMPLE, { limit: 12 })).toBe(renderDiagram(SAMPLE))
  })

  test('without rows says so', () => {
    expect(rows(renderDiagram(SAMPLE, { from: 99 }))).toEqual(['nothing happened in this time'])
    expect(rows(renderDiagram(traceOf(2)))).toEqual(['nothing happened'])
  })
})

describe('faults', () => {
  test('losses, copies, crashes and violations have rows', () => {
    const trace = traceOf(
      3,
      [0, request(0), send(1, 0, 1, REPLY), drop(1, 1), send(2, 0, 2, REPLY), { is: 'duplicate', id: 2 }],
      [1, receive(2, 2)],
      [1.5, receive(2, 2)],
      [2, crash(1)],
      [2, { is: 'pause', node: 2 }],
      [3, enter(0, 1), violation('nodes 0, 2 are inside together; one is allowed', 0, 2)],
    )
    expect(rows(renderDiagram(trace))).toEqual([
      '0.000  ┆              │              │    0 asks; sends reply to 1, 2; reply to 2 is duplicated',
      '0.000  ┆●────reply───✗│              │    reply from 0 to 1 is lost on the way (sent 0.000)',
      '1.000  ┆●────reply────┼─────────────▶│    2 receives reply from 0 (sent 0.000)',
      '1.500  ┆●────reply────┼─────────────▶│    2 receives reply from 0 again (sent 0.000)',
      '2.000  ┆              ×              │    1 crashes',
      '2.000  ┆              ×              ‖    2 is paused',
      '3.000  █              ×              ‖    0 enters (fence 1)',
      '3.000  █              ×              ‖    VIOLATION exclusion: nodes 0, 2 are inside together; one',
      '       █              ×              ‖      is allowed',
    ])
  })

  test('nodes come and go', () => {
    const trace = traceOf(
      3,
      [1, { is: 'join', node: 2, sponsor: 0 }],
      [1, { is: 'linked', node: 2, peer: 0 }],
      [2, { is: 'depart', node: 1 }],
      [2, { is: 'gone', node: 1 }],
      [2, { is: 'unlinked', node: 0, peer: 1 }, send(1, 0, 2, REPLY)],
    )
    const text = renderDiagram({ ...trace, events: [{ at: 0, is: 'leave', node: 0 }, ...trace.events] })
    expect(text).toContain('‖ paused   · absent   ●──▶ a message arrives')
    expect(rows(text)).toEqual([
      '0.000  │              │              ·    0 leaves',
      '1.000  │              │              │    2 joins through 0',
      '1.000  │              │              │    2 has a channel to 0 now',
      '2.000  │              │              │    1 is to leave the system',
      '2.000  │              ·              │    1 is gone',
      '2.000  │              ·              │    0 has no channel to 1 any more; sends reply to 2',
    ])
  })

  test('a message can be lost to a cut and to a crash, in both directions', () => {
    const trace = traceOf(
      2,
      [0, { is: 'cut', from: 1, to: 0 }],
      [1, request(1), send(1, 1, 0, REPLY), { is: 'lose', id: 1, node: 0, why: 'cut' }],
      [2, { is: 'undelivered', id: 1, node: 1 }],
      [3, { is: 'lose', id: 1, node: 0, why: 'crash' }],
    )
    expect(rows(renderDiagram(trace))).toEqual([
      '0.000  │              │    the channel from 1 to 0 is cut',
      '1.000  │              ┆    1 asks; sends reply to 0',
      '1.000  │✗────reply───●┆    reply from 1 to 0 is lost to a cut (sent 1.000)',
      '2.000  │              ┆    1 hears that reply to 0 was not delivered',
      '3.000  │✗────reply───●┆    reply from 1 to 0 is lost to a crash (sent 1.000)',
    ])
  })

  test('a text from a file cannot break a row or speak to the terminal', () => {
    const trace = traceOf(1, [0, violation('one\ntwo\u001b[31m\u202e three')])
    expect(rows(renderDiagram(trace))).toEqual(['0.000  │    VIOLATION exclusion: one two [31m three'])
  })
})

describe('number of nodes', () => {
  test('one', () => {
    expect(renderDiagram(traceOf(1, [0, request(0), enter(0, 1)], [1, leave(0)]))).toBe(
      `ricart-agrawala, 1 node, seed 7
${LEGEND}

 time  0
0.000  █    0 asks; enters (fence 1)
1.000  │    0 leaves
`,
    )
  })

  const requests = Array.from({ length: 39 }, (_, to) => send(to + 1, 39, to, requestAt(1)))
  const forty = traceOf(40, [0, request(39), ...requests], [1, receive(1, 0), send(40, 0, 39, REPLY)])

  test('forty on 100 columns: the log alone', () => {
    expect(renderDiagram(forty)).toBe(
      `ricart-agrawala, 40 nodes, seed 7
The lanes do not fit into 100 columns, so this is the log alone; a width of 161 shows them.

0.000  39 asks; sends request to all 39 others
1.000  0 receives request from 39 (sent 0.000); sends reply to 39
`,
    )
  })

  test('forty on as many columns as the note asks for', () => {
    const [, , , head, first] = renderDiagram(forty, { width: 161 }).split('\n')
    expect(head).toBe(
      ` time  ${Array.from({ length: 40 }, (_, node) => String(node).padEnd(3)).join('')}`.trimEnd(),
    )
    expect(first).toBe(`0.000  ${'│  '.repeat(39)}┆    39 asks; sends request to all 39`)
    expect(renderDiagram(forty, { width: 160 })).toContain('this is the log alone')
  })

  test('several may be inside', () => {
    const trace = traceOf(2)
    const diagram = renderDiagram({ ...trace, header: { ...trace.header, entries: 2 } })
    expect(diagram.split('\n')[0]).toBe('ricart-agrawala, 2 nodes, 2 may be inside together, seed 7')
  })
})

const paint = (role: string) => (text: string) => `<${role}>${text}</${role}>`

describe('colour', () => {
  const painter: Painter = {
    time: paint('time'),
    waiting: paint('waiting'),
    inside: paint('inside'),
    crashed: paint('crashed'),
    message: paint('message'),
    violation: paint('violation'),
    note: paint('note'),
  }
  const trace = traceOf(
    3,
    [0, request(0), enter(0, 1)],
    [0, request(2)],
    [0, send(1, 1, 2, REPLY)],
    [1, receive(1, 2)],
    [2, crash(1)],
    [2, violation('two', 0)],
  )

  test('marks every role', () => {
    expect(rows(renderDiagram(trace, { colour: painter, from: 1, limit: 2 }))).toEqual([
      '<time>1.000</time>  <inside>█</inside>              │<message>●────reply───▶</message>' +
        '<waiting>┆</waiting>    2 receives reply from 1 (sent 0.000)',
      '<time>2.000</time>  <inside>█</inside>              <crashed>×</crashed>              ' +
        '<waiting>┆</waiting>    1 crashes',
      '<note>… 1 more row; a larger limit shows them, or from 2</note>',
    ])
  })

  test('changes no column', () => {
    const painted = renderDiagram(trace, { colour: painter, width: 66 })
    expect(painted.replace(/<\/?[a-z]+>/g, '')).toBe(renderDiagram(trace, { width: 66 }))
    expect(painted).toContain('<violation>VIOLATION exclusion: two</violation>')
  })
})
