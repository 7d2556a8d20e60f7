import { describe, expect, test } from 'vitest'
import { isWhole, LONG } from '../../../../test/extent.ts'
import { exactResilience, resilienceSentence, resilienceText } from '../../src/cli/reporters/quorum-words.ts'
import { command, expectRefusal, scratch } from './in-process.ts'

const files = scratch()

describe('quorum', () => {
  test('k-coteries, for two together unless told otherwise', async () => {
    const { out } = await command('quorum k-majority --nodes 4')
    expect(out).toContain('2-coterie     yes: of any 3 two meet, 2 need not, and none holds another')
    const { out: json } = await command('quorum disjoint --nodes 12 --k 3 --json')
    expect(JSON.parse(json)).toMatchObject({
      k: 3,
      kCoterie: true,
      kFlaw: null,
      resilience: 5,
      load: { value: 0.25 },
    })
    const { out: plain } = await command('quorum majority --nodes 5 --k 2')
    expect(plain).toContain('2-coterie     no: no quorum misses {0,1,2}')
  })

  test('tells size, load, resilience, availability, coterie and domination, and lists the quorums', async () => {
    const { code, out, err } = await command('quorum tree --nodes 3 --available 0.9')
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(out.split('\n')).toEqual([
      'tree  3 nodes, each up with probability 0.9',
      '',
      '  size          2',
      '  load          0.667, exact, by a closed form',
      '  resilience    any 1 failure leaves a quorum',
      '  availability  0.972000, exact',
      '  coterie       yes: every two meet, and none holds another',
      '  dominated     no',
      '',
      'As an agreement (Q, Q^-1), one set to ask and one to tell: every request set meets every acquired set',
      '',
      '  sets         count  size   load  resilience     availability',
      '  request          3     2  0.667           1  0.972000, exact',
      '  acquired         3     2  0.667           1  0.972000, exact',
      '  one of each               1.333           1  0.972000, exact',
      '',
      '3 quorums:',
      '  {0,1}',
      '  {0,2}',
      '  {1,2}',
    ])
  })

  test('of a grid, the agreement is its columns and its rows, and both are listed', async () => {
    const { out } = await command('quorum grid --nodes 8 --available 0.9')
    const lines = out.split('\n')
    expect(lines).toContain('  one of each               0.75           1  0.881602, exact')
    expect(lines.slice(lines.indexOf('2 request sets:'))).toEqual([
      '2 request sets:',
      '  {0,2,4,6}',
      '  {1,3,5,7}',
      '',
      '4 acquired sets:',
      '  {0,1}',
      '  {2,3}',
      '  {4,5}',
      '  {6,7}',
    ])
    const { out: json } = await command('quorum grid --nodes 50 --available 0.9 --json')
    expect(JSON.parse(json)).toMatchObject({
      agreement: {
        meet: true,
        request: { count: 5, sizes: { min: 10, max: 10 }, resilience: 4, availability: { exact: true } },
        acquired: { count: 10, resilience: 9, load: { value: 0.1 } },
        both: { resilience: 4, availability: { exact: false } },
      },
    })
    const { out: none } = await command('quorum disjoint --nodes 6 --json')
    expect(JSON.parse(none)).toMatchObject({ agreement: null })
  })

  test('where there is no plane: that it is a fallback, how it was made, and all that is told of any other', async () => {
    const fallback =
      'no projective plane of 10 points can be built: took that of order 3 with its 13 points ' +
      'folded onto 10 nodes, point p to node p mod 10'
    const { code, out, err } = await command('quorum projective --nodes 10')
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(out).toContain(`projective  10 nodes, each up with probability 0.95\nfallback: ${fallback}\n`)
    expect(out).toContain('  size          4\n')
    expect(out).toContain('10 quorums:\n  {0,1,3,9}\n  {0,1,2,4}\n')
    const { out: json } = await command('quorum projective --nodes 50 --json')
    expect(JSON.parse(json)).toMatchObject({ count: 50, sizes: { min: 7, max: 8 }, resilience: 6 })
    expect(JSON.parse((await command('quorum projective --nodes 7 --json')).out)).toMatchObject({
      fallback: null,
    })
  })

  test('a ragged grid of more than sixteen nodes has its resilience computed too', LONG, async () => {
    const { out } = await command('quorum grid --nodes 26')
    expect(out).toContain('  resilience    any 3 failures leave a quorum\n')
  })

  test('a resilience that was not found in time is told as an interval', () => {
    const within = { least: 9, most: 12 }
    expect(resilienceText(within)).toBe('9 to 12')
    expect(resilienceSentence(within)).toBe(
      'between 9 and 12: any 9 failures leave a quorum, and 13 need not; the search was cut short',
    )
    expect(exactResilience(within)).toBeNull()
    expect(exactResilience({ least: 9, most: 9 })).toBe(9)
  })

  test('abbreviates a long list', async () => {
    const { out } = await command('quorum majority --nodes 9')
    expect(out).toContain('126 quorums:')
    expect(out.split('\n').at(-1)).toBe('  and 114 more')
  })

  test('says what is sampled, and gives the same figures with the same seed', LONG, async () => {
    const first = await command('quorum projective --nodes 21 --available 0.8 --seed 3')
    expect(first.out).toMatch(/availability {2}0\.\d{6}, sampled: 0\.\d{6} to [01]\.\d{6} with 99 %/)
    expect(await command('quorum projective --nodes 21 --available 0.8 --seed 3')).toEqual(first)
  })

  test('says why a file is no coterie', async () => {
    const disjoint = files.write('disjoint.json', '{ "nodes": 4, "quorums": [[0,1],[0,1],[2,3],[2,3]] }')
    expect((await command('quorum <file>', disjoint)).out).toContain('no: {0,1} and {2,3} do not meet')
    expect((await command('quorum <file>', disjoint)).out).toContain(
      'one to tell: {0,1} asks and misses {2,3}',
    )
    const held = files.write('held.json', '{ "nodes": 3, "quorums": [[0,1],[0,1],[0,1,2]] }')
    expect((await command('quorum <file>', held)).out).toContain('{0,1,2} holds {0,1}')
  })

  test('--json has all of it', async () => {
    const { out } = await command('quorum votes:2 --nodes 4 --json')
    expect(JSON.parse(out)).toMatchObject({
      kind: 'votes:2',
      nodes: 4,
      count: 4,
      sizes: { min: 2, max: 3, mean: 2.25 },
      load: { by: 'linear program' },
      resilience: 1,
      nodeAvailability: 0.95,
      availability: { exact: true },
      coterie: true,
      nonDominated: true,
      dominatedBy: null,
    })
    const even = JSON.parse((await command('quorum majority --nodes 4 --json')).out) as object
    expect(even).toMatchObject({ coterie: true, nonDominated: false, dominatedBy: [0, 1] })
  })

  test('every kind is told in the help, and its examples run', async () => {
    const { out } = await command('quorum --help')
    for (const kind of ['majority', 'votes:', 'grid', 'projective', 'tree', 'broadcast', 'FILE.json'])
      expect(out).toContain(kind)
    const examples = [...out.matchAll(/^ {2}turnwise (.+)$/gm)].map(([, line = '']) => line)
    expect(examples.length).toBeGreaterThan(2)
    for (const line of examples) expect((await command(line)).code).toBe(0)
  })

  test('large systems of every kind', async () => {
    const larger = ['grid --nodes 400', 'projective --nodes 307']
    for (const line of ['majority --nodes 501', 'tree --nodes 1023', ...(isWhole ? larger : [])]) {
      expect(await command(`quorum ${line}`), line).toMatchObject({ code: 0, err: [] })
    }
  })

  test.each([
    [
      'star',
      'KIND: "star" is not one of majority, votes:V0,V1,…, grid, projective, tree, broadcast, k-majority, k-singleton, disjoint, FILE.json',
    ],
    ['votes:', 'KIND votes: "" is not a number of votes: a whole number, 0 or more'],
    ['votes:2,x', 'KIND votes:2,x: "x" is not a number of votes: a whole number, 0 or more'],
    ['votes:0,0 --nodes 2', 'KIND votes:0,0: no node has a vote: at least one must'],
    ['projective --nodes 0', '--nodes: "0" is not a number of nodes: a whole number, 1 to 2000'],
    ['projective --nodes 1e9', '--nodes: "1e9" is not a number of nodes: a whole number, 1 to 2000'],
    ['tree --nodes 0', '--nodes: "0" is not a number of nodes: a whole number, 1 to 2000'],
    ['tree --available 1.5', '--available: "1.5" is not a probability: a number, 0 or more, at most 1'],
    ['tree --seed x', '--seed: "x" is not a seed: a whole number, 0 or more'],
    ['none.json', 'KIND: cannot read "none.json": no such file or directory'],
  ])('refuses %s', async (line, complaint) => {
    await expectRefusal(`quorum ${line}`, complaint)
  })
})
