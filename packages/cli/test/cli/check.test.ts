import { existsSync } from 'node:fs'
import { gallery } from '@turnwise/algorithms/broken/gallery'
import { catalogue } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { command, scratch } from './in-process.ts'

const files = scratch()

interface CheckJson {
  readonly complete: boolean
  readonly bounded: string | null
  readonly states: number
  readonly properties: readonly {
    readonly name: string
    readonly holds: boolean | null
    readonly reason: string | null
    readonly path: readonly string[] | null
    readonly why: readonly (readonly string[])[] | null
  }[]
  readonly extremes: object | null
  readonly wallMs: number
}

/** Runs `check … --json` and hands over its report with the exit code. */
async function checked(line: string, path = '') {
  const { code, out, err } = await command(`check ${line} --json`, path)
  return { report: JSON.parse(out) as CheckJson, code, err }
}

function propertyIn({ properties }: CheckJson, name: string) {
  const found = properties.find((property) => property.name === name)
  if (found === undefined) throw new Error(`no property is called ${name}`)
  return found
}

const NAMES = [
  'exclusion',
  'no-deadlock',
  'rules',
  'can-enter',
  'no-starvation',
  'fences-rise',
  'sometimes-enters',
  'sometimes-all-enter',
  'sometimes-compete',
]

describe('check --json', () => {
  test('what holds, for runs of any length: exit code 0', async () => {
    const { report, code, err } = await checked('ricart-agrawala --nodes 2 --requests any')
    expect({ code, err }).toEqual({ code: 0, err: [] })
    const holding = (name: string) => ({ name, holds: true, reason: null, path: null, why: null })
    expect(report).toEqual({
      algorithm: 'ricart-agrawala',
      nodes: 2,
      requests: 'any',
      channels: 'unordered',
      timing: 'any',
      resources: 1,
      room: null,
      sets: null,
      topology: 'complete',
      quorum: null,
      dead: [],
      absent: [],
      memory: 'kept',
      clock: null,
      gaps: null,
      reduced: false,
      settled: false,
      only: null,
      budgets: {
        crashes: 0,
        drops: 0,
        duplicates: 0,
        withdrawals: 0,
        suspicions: 0,
        restarts: 0,
        unlinks: 0,
        links: 0,
        joins: 0,
        leaves: 0,
      },
      structure: null,
      readers: 'none',
      downgrades: false,
      updates: false,
      priorities: 1,
      complete: true,
      bounded: null,
      states: 24,
      transitions: 40,
      depth: 7,
      bytesPerState: expect.any(Number),
      properties: NAMES.map(holding),
      extremes: { messagesPerEntry: { min: 2, max: 2 }, maxOvertaking: 2 },
      wallMs: expect.any(Number),
    })
    expect(Number.isInteger(report.wallMs) && report.wallMs >= 0).toBe(true)
  })

  test.each([
    ['', '1 request of each node'],
    [' --requests 1', '1 request of each node'],
    [' --requests 2', '2 requests of each node'],
    [' --requests any', null],
  ])('what bounds the runs: raymond --nodes 2%s', async (options, bounded) => {
    const { report, code } = await checked(`raymond --nodes 2${options}`)
    expect({ code, bounded: report.bounded }).toEqual({ code: 0, bounded })
    // A token is counted where there is one.
    expect(report.properties.map(({ name }) => name)).toEqual(NAMES.toSpliced(1, 0, 'one-token'))
  })

  test('what fails: exit code 1, and a shortest run in words', async () => {
    const { report, code, err } = await checked('lamport --nodes 2 --channels unordered')
    expect(code).toBe(1)
    expect(err).toEqual(['warning: outside the assumptions of lamport: channels do not keep order'])
    expect(report).toMatchObject({ complete: false, states: 16, transitions: 17, extremes: null })
    expect(propertyIn(report, 'exclusion')).toEqual({
      name: 'exclusion',
      holds: false,
      reason: 'nodes 0, 1 are inside together',
      path: [
        '0 asks; sends request to 1',
        '1 asks; sends request to 0',
        '0 receives request from 1; sends reply to 1; enters (fence 2)',
        '1 receives reply from 0; enters (fence 3)',
      ],
      why: [
        [
          'Node 0 puts its request, stamped 1, into every queue.',
          'An earlier request of node 1 may still be on its way to node 0.',
        ],
        [
          'Node 1 puts its request, stamped 1, into every queue.',
          'An earlier request of node 0 may still be on its way to node 1.',
        ],
        [
          'Node 0 queues the request of node 1, stamped 1, and replies with a later stamp.',
          'The request of node 0 is first in its queue, and all others have sent something later.',
        ],
        ['The request of node 1 is first in its queue, and all others have sent something later.'],
      ],
    })
    expect(propertyIn(report, 'no-deadlock')).toEqual({
      name: 'no-deadlock',
      holds: null,
      reason: null,
      path: null,
      why: null,
    })
  })

  test('only the fences fail: everything else is decided', async () => {
    const { report, code } = await checked('ricart-agrawala-printed --nodes 2 --requests 2')
    expect(code).toBe(1)
    expect(report.complete).toBe(true)
    expect(report.properties.filter(({ holds }) => holds !== true).map(({ name }) => name)).toEqual([
      'fences-rise',
    ])
    const { path, reason } = propertyIn(report, 'fences-rise')
    expect(reason).toBe('node 0 enters with fence 2 after fence 2')
    expect(path?.filter((line) => line.includes('enters (fence 2)'))).toHaveLength(2)
  })

  test('cut short: exit code 3, and nothing is said to hold that was not seen', async () => {
    const { report, code } = await checked('ricart-agrawala --max-states 100')
    expect(code).toBe(3)
    expect(report).toMatchObject({ complete: false, bounded: '1 request of each node', extremes: null })
    expect(report.states).toBeLessThan(120)
    // That two wait together was seen; how they enter was not.
    const held = report.properties.filter(({ holds }) => holds === true).map(({ name }) => name)
    expect(held).toEqual(['sometimes-compete'])
    expect(report.properties.some(({ holds }) => holds === false)).toBe(false)
  })

  test('options reach the search', async () => {
    const { report, err } = await checked(
      'central-coordinator --nodes 2 --drops 1 --channels fifo --timing bounded',
    )
    expect(err).toEqual([
      'warning: outside the assumptions of central-coordinator: it does not claim to survive drop',
    ])
    expect(report).toMatchObject({ channels: 'fifo', timing: 'bounded', budgets: { drops: 1, crashes: 0 } })
    expect(propertyIn(report, 'no-deadlock')).toMatchObject({
      holds: false,
      path: ['1 asks; sends request to 0', 'request from 1 to 0 is lost on the way'],
    })
    const crashed = await checked('central-coordinator --nodes 2 --crashes 1')
    expect(propertyIn(crashed.report, 'no-deadlock').path).toEqual([
      '1 asks; sends request to 0',
      '0 crashes',
    ])
    const twice = await checked('central-coordinator --nodes 2 --duplicates 1')
    expect(propertyIn(twice.report, 'rules').holds).toBe(false)
    expect((await checked('central-coordinator --nodes 2 --withdrawals 1')).code).toBe(0)
  })

  test('an option of the algorithm, a graph, quorums', async () => {
    const thrifty = await checked('lamport --nodes 2 --set savereplies=true')
    expect(thrifty.report.extremes).toMatchObject({ messagesPerEntry: { min: 2.5, max: 3 } })
    const line = await checked('raymond --topology line')
    expect(line.report).toMatchObject({ nodes: 3, topology: 'line', quorum: null })
    const quorums = await checked('maekawa --nodes 2 --quorum majority')
    expect(quorums.report).toMatchObject({ nodes: 2, quorum: 'majority', complete: true })
  })

  test('a file says how many nodes there are, whatever else is said', async () => {
    const quorums = files.write('two.json', '{"nodes":2,"quorums":[[0],[0,1]]}')
    const { report, code } = await checked('maekawa --topology complete --quorum <file>', quorums)
    expect({ code, nodes: (report as CheckJson & { nodes: number }).nodes }).toEqual({ code: 0, nodes: 2 })
    const graph = files.write('edge.json', '{"nodes":2,"edges":[[0,1]]}')
    expect((await checked('raymond --topology <file>', graph)).report).toMatchObject({
      nodes: 2,
      topology: graph,
    })
  })

  test('every algorithm and every broken variant can be named', async () => {
    for (const { facts } of catalogue) {
      const { report, code } = await checked(`${facts.name} --nodes 1`)
      expect({ name: facts.name, code, complete: report.complete }).toEqual({
        name: facts.name,
        code: 0,
        complete: true,
      })
    }
    for (const { algorithm } of gallery) {
      expect((await command(`check ${algorithm.facts.name} --nodes 1 --max-states 1`)).code).toBe(3)
    }
  })

  test('an algorithm that once was a setting of another is found by it', async () => {
    const former = await checked('ricart-agrawala --nodes 2 --requests any --set modulus=6')
    const now = await checked('ricart-agrawala-modulo --nodes 2 --requests any --set modulus=6')
    expect({ ...former.report, wallMs: 0 }).toEqual({ ...now.report, wallMs: 0 })
    expect(former.report.states).toBe(144)
  })
})

describe('check, for people', () => {
  const untimed = (text: string) => text.replace(/[\d.]+ s, [\d,]+ bytes/, 'T s, B bytes')

  test('what holds', async () => {
    const { code, out, err } = await command('check ricart-agrawala --nodes 2 --requests any')
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(untimed(out)).toBe(
      `
ricart-agrawala  2 nodes, complete, unordered channels, any number of requests

  exclusion            holds
  no-deadlock          holds
  rules                holds
  can-enter            holds
  no-starvation        holds
  fences-rise          holds
  sometimes-enters     holds
  sometimes-all-enter  holds
  sometimes-compete    holds

  messages per entry  exactly 2   theory 2(n-1)
  overtaken           at most 2 times

holds, complete for runs of any length
24 states, 40 transitions, depth 7, T s, B bytes per state`.slice(1),
    )
  })

  test('what fails: the run is drawn', async () => {
    const { code, out } = await command('check ricart-agrawala-without-tie-break --nodes 2')
    expect(code).toBe(1)
    expect(out).toContain('  exclusion            FAILS  nodes 0, 1 are inside together\n')
    expect(out).toContain('  no-deadlock          open')
    expect(out).toContain('\nfails\n')
    expect(out).toContain('\nA shortest run against exclusion: nodes 0, 1 are inside together\n')
    // Six steps and the verdict.
    expect(out.match(/^ ?\d+\.\d{3} /gm)).toHaveLength(7)
  })

  test.each([
    ['naimi-trehel-recovery', 'time-outs when nothing else can happen'],
    // It fears no time-out, but if they came at any moment they would never end.
    ['nishio-li-manning', 'time-outs when nothing else can happen'],
    ['nishio-li-manning --timing any --max-states 100', 'time-outs at any moment'],
    ['central-coordinator-election', 'time-outs at any moment'],
  ])('when time-outs fire is told: %s', async (line, timing) => {
    const { code, out } = await command(`check ${line} --nodes 2`)
    expect(out.split('\n')[0]).toContain(`, ${timing}`)
    expect(code).toBe(line.includes('--max-states') ? 3 : 0)
  })

  test('a bound on clocks: what was seen within it proves nothing beyond', async () => {
    const { code, out } = await command('check lamport --nodes 2 --requests any --clock 8')
    expect(code).toBe(3)
    expect(out.split('\n')[0]).toContain(', any number of requests, no clock beyond 8')
    expect(out).toContain('  exclusion            open  holds while no clock passes 8\n')
    expect(out).toContain('\nopen: all states up to --clock 8 were visited, and nothing is proved beyond\n')
    expect((await command('check lamport --nodes 2 --clock 99')).code).toBe(0)
  })

  test('without time-outs there is nothing to tell', async () => {
    expect((await command('check token-ring --nodes 2')).out).not.toContain('time-outs')
  })

  test('cut short', async () => {
    const { code, out } = await command('check raymond --max-states 20 --drops 1')
    expect(code).toBe(3)
    expect(out.split('\n')[0]).toBe(
      'raymond  3 nodes, tree:2, unordered channels, 1 request of each node, up to 1 drop',
    )
    expect(out).toContain('\ncut short: not all states were visited, so nothing is proved\n')
  })

  test('its help tells the exit codes, and its examples run', async () => {
    const { out } = await command('check --help')
    expect(out).toContain(
      'Exit code: 0 all properties hold, 1 one fails, 2 bad input, 3 not decided: cut short, or left out by --clock, --room or --gaps.',
    )
    const examples = [...out.matchAll(/^ {2}turnwise (check \S+)(.*?)(?: {2,}.*)?$/gm)]
    expect(examples.length).toBeGreaterThan(2)
    for (const [, start, options] of examples) {
      const { code } = await command(`${start}${options} --max-states 500`)
      expect([0, 1, 3]).toContain(code)
    }
  })
})

describe('--trace', () => {
  test('the run that breaks a property can be replayed', async () => {
    const path = files.path('broken.jsonl')
    const found = await command('check suzuki-kasami-interruptible-release --nodes 2 --trace <file>', path)
    expect({ code: found.code, err: found.err }).toEqual({
      code: 1,
      err: [`recorded: turnwise replay ${path}`],
    })
    const { code, out } = await command('replay <file>', path)
    expect(code).toBe(0)
    expect(out).toMatch(/^suzuki-kasami-interruptible-release, 2 nodes/)
    expect(out).toContain('VIOLATION no-deadlock: node 1 waits')
    expect(out).toContain('proceeds with clear the flag')
    // The drawing is the one that the check showed.
    const rows = (text: string) => text.split('\n').filter((line) => /^ ?\d+\.\d{3} /.test(line))
    expect(rows(out)).toEqual(rows(found.out))
    expect((await command('replay <file> --mermaid', path)).out).toMatch(/^sequenceDiagram\n/)
  })

  test('where nothing fails there is none, and it says so', async () => {
    const { code, err } = await command('check raymond --nodes 2 --trace <file>', files.path('none.jsonl'))
    expect({ code, err }).toEqual({ code: 0, err: ['no run breaks a property: no trace written'] })
    expect(existsSync(files.path('none.jsonl'))).toBe(false)
  })
})
