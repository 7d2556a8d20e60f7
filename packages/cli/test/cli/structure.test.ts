import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { command, expectRefusal, scratch, simulated, turnwise } from './in-process.ts'

const files = scratch()
const FIGURE_2 = '{"nodes":4,"inform":[[0],[1],[0,1,2],[0,1,3]],"request":[[0,1],[0,1],[0,1,2],[0,1,3]]}'
const UNSAFE = '{"nodes":2,"inform":[[0,1],[1]],"request":[[0],[1]]}'
const figure2 = files.write('figure 2.json', FIGURE_2)
const unsafe = files.write('unsafe.json', UNSAFE)

describe('structure validate', () => {
  test('exits with 0 for a valid structure', async () => {
    const { code, out } = await command('structure validate <file>', figure2)
    expect(code).toBe(0)
    expect(out).toBe('valid: conditions a and b hold (Sanders 1987, the theorem of section 4)')
  })

  test('exits with 1 and names the pair and the condition', async () => {
    const { code, out } = await command('structure validate <file>', unsafe)
    expect(code).toBe(1)
    expect(out.split('\n')).toEqual([
      'not valid (Sanders 1987, the theorem of section 4):',
      '  condition a fails for nodes 0 and 1: 1 is in the inform set of 0, but not in its request set',
    ])
  })

  test('as JSON', async () => {
    const { out } = await command('structure validate <file> --json', unsafe)
    expect(JSON.parse(out)).toMatchObject({
      form: 'theorem',
      valid: false,
      flaws: [{ condition: 'a', pair: [0, 1] }],
    })
  })

  const malformed: [content: string, complaint: string][] = [
    ['{', 'STRUCTURE: <file> is not JSON: '],
    ['{"nodes":1,"inform":[[0]]}', 'STRUCTURE: <file>: request: is missing'],
    [
      '{"nodes":1,"inform":[[0]],"request":[[1]]}',
      'STRUCTURE: <file>: request[0][0]: 1 is not a node from 0 to 0',
    ],
  ]
  test.each(malformed)('%s is no structure: 2, and the field by name', async (content, complaint) => {
    const path = files.write('malformed.json', content)
    const { code, out, err } = await command('structure validate <file>', path)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err[0]).toContain(complaint.replace('<file>', path))
  })
})

// shows sanders-1987 6.2 Synchronization Delay
test('structure metrics prints a line for each node and their mean', async () => {
  const { code, out } = await command('structure metrics <file>', figure2)
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
    ['node', 'messages, least', 'at most', 'for deadlock', 'delay', 'after 0, 1, …'],
    ['0', '2', '6', '4', '1.667', '0 1 2 2'],
    ['1', '2', '6', '4', '1.667', '1 0 2 2'],
    ['2', '6', '14', '8', '1.333', '1 1 0 2'],
    ['3', '6', '14', '8', '1.333', '1 1 2 0'],
    ['mean', '4', '10', '6', '1.5'],
  ])
  const { out: json } = await command('structure metrics <file> --json', figure2)
  expect(JSON.parse(json)).toMatchObject({ messages: { least: 4, most: 10 }, delay: 1.5 })
})

// shows sanders-1987 2 Information Structures
test('structure show lists the sets, writes them on one line, or draws them', async () => {
  const { out } = await command('structure show <file>', figure2)
  expect(out.split('\n')[3]).toMatch(/^2 +\{0, 1, 2\} +\{0, 1, 2\} +\{2\}$/)
  const { out: text } = await command('structure show <file> --text', figure2)
  expect(text).toBe('0/1/0.1.2/0.1.3:0.1/0.1/0.1.2/0.1.3')
  const svg = files.path('figure.svg')
  const { code, err } = await turnwise(['structure', 'show', figure2, '--svg', svg])
  expect({ code, err }).toEqual({ code: 0, err: [`drawn: ${svg}`] })
  const drawn = readFileSync(svg, 'utf8')
  const count = (kind: string) => drawn.split(`class="${kind}"`).length - 1
  expect([count('node'), count('inform-and-request'), count('request-only'), count('inform-only')]).toEqual([
    4, 8, 2, 0,
  ])
  expect(drawn).toContain('stroke-dasharray')
})

describe('the classic structures by name', () => {
  test.each([
    ['validate central', 'valid: conditions a and b hold'],
    ['validate central:2 --nodes 3', 'valid: conditions a and b hold'],
    ['validate ricart-agrawala --nodes 4', 'valid: conditions a and b hold'],
    ['validate figure-2 --nodes 5', 'valid: conditions a and b hold'],
    ['validate 0/1:0.1/0.1', 'valid: conditions a and b hold'],
    ['metrics maekawa --nodes 7', 'mean'],
    ['show figure-3b', '{0, 2, 3}'],
  ])('structure %s', async (line, told) => {
    const { code, out } = await command(`structure ${line}`)
    expect(code).toBe(0)
    expect(out).toContain(told)
  })

  test.each([
    ['central', 7],
    ['central:5', 7],
    ['ricart-agrawala', 7],
    ['maekawa', 7],
    ['figure-2', 4],
    ['figure-3a', 3],
    ['figure-3b', 4],
  ])(
    '%s, if nobody says for how many nodes, is for %i: as drawn, where it is a figure',
    async (name, nodes) => {
      const { out } = await command(`structure show ${name}`)
      expect(out.trim().split('\n')).toHaveLength(nodes + 1)
    },
  )

  test('a figure that is not safe', async () => {
    const { code, out } = await command('structure validate figure-3a')
    expect(code).toBe(1)
    expect(out).toContain('condition b fails for nodes 0 and 1')
  })

  test.each([
    [
      'show foo',
      'STRUCTURE: "foo" is not one of central[:NODE], ricart-agrawala, maekawa, figure-2, figure-3a, figure-3b, INFORM:REQUEST (such as 0/0.1:0/0.1), FILE.json',
    ],
    ['show figure-3b --nodes 5', 'STRUCTURE: "figure-3b" is for 4 nodes, not for 5'],
    ['show maekawa --nodes x', '--nodes: "x" is not a number of nodes: a whole number, 1 to 500'],
    ['show none.json', 'STRUCTURE: cannot read "none.json": no such file or directory'],
  ])('refuses %s', (line, complaint) => expectRefusal(`structure ${line}`, complaint))
})

describe('--structure', () => {
  test('runs a structure from a file, which knows how many nodes it is for', async () => {
    const { report, code } = await simulated('sanders --structure <file> --entries 50', figure2)
    expect(code).toBe(0)
    expect(report).toMatchObject({ nodes: 4, structure: figure2, entries: 50 })
  })

  test('runs one that fails the theorem, with a warning', async () => {
    const { err } = await simulated('sanders --structure <file> --entries 50', unsafe)
    expect(err).toEqual([
      'warning: outside the assumptions of sanders: condition a fails for nodes 0 and 1: 1 is in the inform set of 0, but not in its request set',
    ])
    const { code, err: told } = await command('check sanders --structure <file>', unsafe)
    expect(code).toBe(1)
    expect(told[0]).toMatch(/^warning: outside the assumptions of sanders: condition a/)
  })

  test('names the field of a malformed file', () =>
    expectRefusal(
      'check sanders --structure <file>',
      '--structure: <file>: inform: has 1 sets, but there are 2 nodes',
      files.write('short.json', '{"nodes":2,"inform":[[0]],"request":[[0],[1]]}'),
    ))

  test('is refused where the algorithm takes none', () =>
    expectRefusal(
      'simulate raymond --structure central',
      '--structure central: raymond takes no information structure, so there is nothing to choose',
    ))
})

describe('structure design', () => {
  test("the paper's four nodes with two busy ones: at least as good as Figure 2", async () => {
    const { code, out } = await command('structure design --demand 10,10,1,1 --json')
    expect(code).toBe(0)
    const { exact, expected: designed, classics } = JSON.parse(out)
    const figure = classics.find(({ name }: { name: string }) => name === 'Figure 2')
    expect(exact).toBe(true)
    expect(designed.messages.least).toBeLessThanOrEqual(figure.expected.messages.least)
  })

  test('tells the sets, and sets the classic ones beside them', async () => {
    const { out } = await command('structure design --demand 10,10,1,1 --max-load 0.5')
    expect(out).toContain('designed for 4 nodes, least messages: no structure is better')
    for (const name of ['central coordinator', 'Ricart-Agrawala', 'Maekawa, grid', 'Figure 2', 'majority']) {
      expect(out).toContain(name)
    }
    expect(out).toContain('too much')
  })

  test('what it writes, the other commands read', async () => {
    const path = files.write('designed.json', '')
    await command('structure design --nodes 4 --max-load 0.5 --objective delay --out <file>', path)
    expect((await command('structure validate <file>', path)).code).toBe(0)
    expect((await command('check sanders --structure <file>', path)).code).toBe(0)
  })

  test('exits with 1 where no structure keeps the load', async () => {
    const { code, err } = await command('structure design --nodes 3 --max-load 0.1')
    expect(code).toBe(1)
    expect(err).toEqual(['no structure keeps every load at or below 0.1'])
  })

  test.each([
    ['', 'give --nodes or --demand'],
    ['--nodes 31', '--nodes: "31" is not a number of nodes: a whole number, 1 to 30'],
    ['--demand 1,x', '--demand 1,x: "x" is not a demand: a number, 0 or more'],
    ['--demand 0,0', '--demand: all weights are 0, so nobody ever enters'],
    ['--nodes 2 --demand 1,2,3', '--demand: names 3 nodes, but there are 2'],
    ['--nodes 3 --objective speed', '--objective: "speed" is not one of messages, delay, availability'],
    ['--nodes 3 --max-load 2', '--max-load: "2" is not a share of entries: a number, 0 or more, at most 1'],
    ['--nodes 3 --available -1', '--available: "-1" is not a probability: a number, 0 or more, at most 1'],
  ])('refuses %s', (options, complaint) => expectRefusal(`structure design ${options}`.trim(), complaint))
})
