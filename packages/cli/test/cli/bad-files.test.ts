import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { command, expectRefusal, scratch, turnwise } from './in-process.ts'

const files = scratch()
const LAWS = 'constant:D, uniform:LOW,HIGH, exponential:MEAN'

/** Rows of: what the file holds, and the complaint, in which `<file>` is its path. */
type Rows = [title: string, content: string, complaint: string][]

const NO_JSON = `is not JSON: Unexpected token 'o', "nope" is not valid JSON`

const GRAPHS: Rows = [
  ['not JSON', 'nope', `<file> ${NO_JSON}`],
  [
    'not JSON, over two lines',
    'no\npe',
    `<file> is not JSON: Unexpected token 'o', "no\\npe" is not valid JSON`,
  ],
  ['not an object', '[[0,1]]', '<file> is not an object with nodes and edges'],
  ['a field is missing', '{"nodes":3}', '<file>: edges is missing'],
  ['a field too many', '{"nodes":1,"edges":[],"name":"x"}', '<file>: "name" is not one of nodes, edges'],
  ['no nodes', '{"nodes":0,"edges":[]}', '<file>: nodes is not a whole number, 1 or more'],
  ['nodes in words', '{"nodes":"3","edges":[]}', '<file>: nodes is not a whole number, 1 or more'],
  ['an edge of three', '{"nodes":3,"edges":[[0,1,2]]}', '<file>: edges is not a list of pairs of nodes'],
  ['edges in words', '{"nodes":3,"edges":"0-1"}', '<file>: edges is not a list of pairs of nodes'],
  [
    'a node out of range',
    '{"nodes":3,"edges":[[0,1],[1,3]]}',
    '<file>: edge 1-3: 3 is not a node from 0 to 2',
  ],
  ['a self-loop', '{"nodes":3,"edges":[[0,1],[1,1]]}', '<file>: edge 1-1 ties a node to itself'],
  [
    'disconnected',
    '{"nodes":4,"edges":[[0,1],[2,3]]}',
    '<file>: the graph is not connected: no path leads from node 0 to node 2',
  ],
]

const QUORUMS: Rows = [
  ['not JSON', 'nope', `<file> ${NO_JSON}`],
  ['not an object', '[]', '<file> is not an object with nodes and quorums'],
  ['a field is missing', '{"nodes":3}', '<file>: quorums is missing'],
  ['a field too many', '{"nodes":1,"quorums":[[0]],"k":1}', '<file>: "k" is not one of nodes, quorums'],
  ['too few', '{"nodes":3,"quorums":[[0],[1]]}', '<file>: quorums is not a list of 3 lists of nodes'],
  [
    'an empty one',
    '{"nodes":2,"quorums":[[0],[]]}',
    '<file>: the quorum of node 1 is empty: it must name a node',
  ],
  [
    'a node out of range',
    '{"nodes":2,"quorums":[[0],[7]]}',
    '<file>: the quorum of node 1: 7 is not a node from 0 to 1',
  ],
  ['a node twice', '{"nodes":2,"quorums":[[0,0],[1]]}', '<file>: the quorum of node 0 names node 0 twice'],
]

const LATENCIES: Rows = [
  ['not JSON', 'nope', `<file> ${NO_JSON}`],
  ['not an object', '[]', '<file>: it is not an object'],
  [
    'a field too many',
    '{"link":{}}',
    '<file>: "link" is not one of its fields: default and links, or zones and of',
  ],
  ['a default in digits', '{"default":3}', '<file>: default is not a text such as "constant:1"'],
  ['a bad default', '{"default":"often"}', `<file>: "often" is not one of ${LAWS}`],
  ['links in words', '{"links":"all"}', '<file>: links is not an object'],
  [
    'a node out of range',
    '{"links":{"0>9":"constant:5"}}',
    '<file>: links: "0>9" is not A>B or A-B with two nodes from 0 to 8',
  ],
  [
    'a link to itself',
    '{"links":{"1-1":"constant:5"}}',
    '<file>: links: "1-1" is not A>B or A-B with two nodes from 0 to 8',
  ],
  ['a bad law', '{"links":{"0>1":"const:5"}}', `<file>: "const:5" is not one of ${LAWS}`],
  ['a law in digits', '{"links":{"0>1":5}}', '<file>: links: "0>1" has no law such as "constant:1"'],
]

const SCRIPTS: Rows = [
  ['empty', '# nothing yet\n\n', '<file>: the script makes no request'],
  ['nobody asks', '0 withdraw 1\n', '<file>: the script makes no request'],
  ['a bad verb', '0 request 1\n1 ask 2\n', '<file>: line 2: "ask" is not request or withdraw'],
  ['a bad time', '# first\nsoon request 1\n', '<file>: line 2: "soon" is not a time: a number, 0 or more'],
  ['a time before all', '-1 request 1\n', '<file>: line 1: "-1" is not a time: a number, 0 or more'],
  ['a node out of range', '0 request 9\n', '<file>: line 1: "9" is not a node: a whole number, 0 to 8'],
  ['no node', '0 request\n', '<file>: line 1: "" is not a node: a whole number, 0 to 8'],
  ['a bad mode', '0 request 1 greedy\n', '<file>: line 1: "greedy" is not exclusive, shared or priority'],
  [
    'a word too many',
    '0 request 1 shared now\n',
    '<file>: line 1: "now" is not expected after TIME request NODE [shared] [priority P]',
  ],
]

const HEADER =
  '{"format":"turnwise-trace","version":1,"algorithm":"x","nodes":2,"seed":1,"entries":1,"settings":{}}'

const TRACES: Rows = [
  ['empty', '', '<file>: line 1 is not a JSON object'],
  ['not JSON', 'nope', '<file>: line 1 is not a JSON object'],
  ['another kind of JSON', '{"nodes":3}', '<file>: line 1 is not the header of a turnwise trace'],
  [
    'of another version',
    '{"format":"turnwise-trace","version":99}',
    '<file>: the trace has version 99; this program reads 1',
  ],
  ['cut off', `${HEADER}\n{"at":0,"is":"req`, '<file>: line 2 is not a JSON object'],
  [
    'with an unknown event',
    `${HEADER}\n{"at":0,"is":"sing"}\n`,
    '<file>: line 2: "sing" is not a kind of event',
  ],
  [
    'with a stray node',
    `${HEADER}\n{"at":0,"is":"leave","node":2}\n`,
    '<file>: line 2: node 2 is not a node from 0 to 1',
  ],
]

describe.each<[what: string, line: string, option: string, extension: string, rows: Rows]>([
  ['a graph', 'simulate raymond --topology <file>', '--topology', 'json', GRAPHS],
  ['quorums', 'simulate maekawa --quorum <file>', '--quorum', 'json', QUORUMS],
  ['latencies', 'simulate lamport --latency <file>', '--latency', 'json', LATENCIES],
  ['a script', 'simulate lamport --load script:<file>', '--load', 'txt', SCRIPTS],
  ['a trace', 'replay <file>', 'TRACE', 'jsonl', TRACES],
])('%s that cannot be used', (_, line, option, extension, rows) => {
  test.each(rows)('%s', (_title, content, complaint) =>
    expectRefusal(line, `${option}: ${complaint}`, files.write(`bad.${extension}`, content)),
  )

  test('a file that is not there', () =>
    expectRefusal(
      line,
      `${option}: cannot read "<file>": no such file or directory`,
      files.path(`none.${extension}`),
    ))
})

test('a directory is no trace', () =>
  expectRefusal(
    'replay <file>',
    'TRACE: cannot read "<file>": illegal operation on a directory',
    files.path(''),
  ))

describe('a file that contradicts the rest', () => {
  const graph = files.write('path of three.json', '{"nodes":3,"edges":[[0,1],[1,2]]}')
  const quorums = files.write('three quorums.json', '{"nodes":3,"quorums":[[0,1],[1,2],[0,2]]}')

  test('a graph of another size', () =>
    expectRefusal(
      'simulate raymond --nodes 5 --topology <file>',
      '--nodes: "5" contradicts <file>, which has 3 nodes',
      graph,
    ))

  test('quorums for another size', () =>
    expectRefusal(
      'simulate maekawa --nodes 5 --quorum <file>',
      '--nodes: "5" contradicts <file>, which has 3 nodes',
      quorums,
    ))

  test('quorums for another size than the graph', async () => {
    const edge = files.write('an edge.json', '{"nodes":2,"edges":[[0,1]]}')
    const { code, err } = await turnwise(['simulate', 'maekawa', '--topology', edge, '--quorum', quorums])
    expect(code).toBe(2)
    expect(err).toEqual([`turnwise: --quorum ${quorums}: the quorums are for 3 nodes, the run has 2`])
  })

  test('a graph that cannot carry the algorithm', () =>
    expectRefusal(
      'simulate lamport --topology <file>',
      '--topology: <file> cannot carry lamport: it needs a channel between every two nodes',
      graph,
    ))
})

describe('a result that cannot be written is told before the run', () => {
  test.each([
    ['simulate lamport --trace <file>', '--trace'],
    ['compare lamport --plot <file>', '--plot'],
  ])('%s', async (line, option) => {
    const missing = files.path('no directory/result')
    await expectRefusal(line, `${option}: cannot write "<file>": no such file or directory`, missing)
    await expectRefusal(
      line,
      `${option}: cannot write "<file>": illegal operation on a directory`,
      files.path(''),
    )
  })

  test.each(['simulate lamport --nodes 0 --trace <file>', 'compare nobody --plot <file>'])(
    'a refused run leaves no file behind: %s',
    async (line) => {
      const path = files.path('never')
      expect((await command(line, path)).code).toBe(2)
      expect(existsSync(path)).toBe(false)
    },
  )
})

describe.runIf(existsSync('/proc/self'))('a directory that nobody can make', () => {
  // Node's recursive `mkdir` never returns there.
  test.each([
    ['keys --nodes a --out <file>', '--out: cannot make "<file>": no such file or directory'],
    ['up --nodes 1 --record <file>', '--record: cannot make "<file>": no such file or directory'],
    [
      'up --nodes 1 --at <file>',
      "processes cannot meet in the directory <file>: ENOENT: no such file or directory, mkdir '/proc/none'",
    ],
    [
      'lock nightly --at <file> -- true',
      "processes cannot meet in the directory <file>: ENOENT: no such file or directory, mkdir '/proc/none'",
    ],
  ])('%s', (line, complaint) => expectRefusal(line, complaint, '/proc/none/below'))
})

describe('which part of a run to show', () => {
  test.each([
    ['--from early', '--from: "early" is not a time: a number, 0 or more'],
    ['--from -1', '--from: "-1" is not a time: a number, 0 or more'],
    ['--to late', '--to: "late" is not a time: a number, 0 or more'],
    ['--from 5 --to 4', '--to: "4" is not a time since --from: a number, 5 or more'],
    ['--limit 0', '--limit: "0" is not a number of rows: a whole number, 1 or more'],
    ['--limit 1.5', '--limit: "1.5" is not a number of rows: a whole number, 1 or more'],
  ])('replay %s', (options, complaint) =>
    expectRefusal(`replay <file> ${options}`, complaint, files.write('run.jsonl', `${HEADER}\n`)),
  )
})
