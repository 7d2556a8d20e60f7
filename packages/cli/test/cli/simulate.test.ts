import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { command, scratch, simulated } from './in-process.ts'

const files = scratch()

/** A run with random arrivals; all of its report but the time it took here. */
async function poissonRun(seed: number) {
  const { report } = await simulated(`raymond --nodes 8 --entries 50 --load poisson:1 --seed ${seed}`)
  return { ...report, wallMs: 0 }
}

describe('loads', () => {
  test.each(['light', 'heavy', 'poisson:0.5', 'closed:3', 'closed:uniform:1,2', 'hot:10,1'])(
    '%s: every request is served and no judge complains',
    async (load) => {
      const { report, code, err } = await simulated(
        `ricart-agrawala --nodes 4 --entries 80 --warmup 0 --load ${load}`,
      )
      expect(code).toBe(0)
      expect(err).toEqual([])
      expect(report).toMatchObject({ load, entries: 80, unserved: 0, maxInside: 1, violations: [] })
      expect(report.messages.perEntry).toBe(6)
    },
  )

  test('a hot load lets the busy node in most often', async () => {
    const even = await simulated('lamport --nodes 4 --entries 400 --load hot:1')
    const hot = await simulated('lamport --nodes 4 --entries 400 --load hot:100,1')
    expect(even.report.fairness.jain).toBeGreaterThan(0.9)
    // One node with all of the entries gives 1/4.
    expect(hot.report.fairness.jain).toBeLessThan(0.3)
  })

  test('a share of requests is urgent, and the report tells how long each priority waited', async () => {
    const wishes =
      'ricart-agrawala --nodes 5 --entries 200 --load closed:5 --set priority=8 --priorities 8=0.25'
    const { report, code, err } = await simulated(wishes)
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(report).toMatchObject({
      priorities: '8=0.25',
      byPriority: [{ priority: 8, responseTime: { mean: expect.any(Number) } }, { priority: 0 }],
    })
    const { out } = await command(`simulate ${wishes}`)
    expect(out).toMatch(/priorities 8=0\.25, .*\n[^]* {4}priority 8 .*mean .* entries\)\n {4}ordinary .*mean/)
  })

  test('with the token and its queue, urgent requests wait for a shorter time', async () => {
    const { report } = await simulated(
      'token-queue --nodes 9 --entries 900 --load heavy --set passes=8 --priorities 3=0.2',
    )
    const [urgent, ordinary] = atLeast(
      2,
      report.byPriority.map(({ responseTime }) => responseTime?.mean ?? 0),
    )
    expect(urgent).toBeLessThan(ordinary / 2)
  })

  test('a script says who asks when, and as many entries are made as it asks for', async () => {
    const script = files.write(
      'script.txt',
      '# two rivals\n0 request 2\n\n0.5  request 1 shared\n10 request 0\n',
    )
    const { report, code } = await simulated('ricart-agrawala --nodes 3 --load script:<file>', script)
    expect(code).toBe(0)
    expect(report).toMatchObject({ entries: 3, unserved: 0, load: `script:${script}` })
    // Node 1 has not heard of node 2, so their requests carry the same number and the lower node goes first:
    // it is inside from 2.5 to 3.5, and node 2 has its reply at 4.5.
    expect(report.responseTime?.max).toBe(4.5)
  })

  test('a withdrawn request is neither an entry nor unserved', async () => {
    const script = files.write('withdraw.txt', '0 request 0\n1 request 1\n1.5 withdraw 1\n')
    const { report, code } = await simulated('ricart-agrawala --nodes 3 --load script:<file>', script)
    expect(code).toBe(0)
    expect(report).toMatchObject({ entries: 1, unserved: 0, violations: [] })
  })
})

describe('what is measured', () => {
  test('entries of the warm-up are not counted', async () => {
    const all = await simulated('raymond --nodes 5 --entries 100')
    const later = await simulated('raymond --nodes 5 --entries 100 --warmup 20')
    expect(all.report.entries).toBe(100)
    expect(later.report.entries).toBe(80)
    expect(later.report.messages.total).toBeLessThan(all.report.messages.total)
    // The run itself is the same.
    expect(later.report.events).toBe(all.report.events)
  })

  test('the time inside is added to what others wait', async () => {
    const short = await simulated('lamport --nodes 3 --load heavy --entries 60 --inside constant:1')
    const long = await simulated('lamport --nodes 3 --load heavy --entries 60 --inside constant:10')
    expect(long.report.syncDelay).toEqual({ mean: 1, max: 1 })
    expect(long.report.responseTime?.p50).toBe(Number(short.report.responseTime?.p50) + 2 * 9)
  })

  test('so many are inside together as --k says, or two', async () => {
    const busy = 'raymond-k --nodes 6 --load heavy --entries 100 --inside exponential:5'
    expect((await simulated(busy)).report.maxInside).toBe(2)
    for (const k of [1, 3, 6]) expect((await simulated(`${busy} --k ${k}`)).report.maxInside).toBe(k)
  })

  test('a law of latencies', async () => {
    const { report } = await simulated('ricart-agrawala --nodes 2 --entries 200 --latency uniform:1,2')
    expect(report.latency).toBe('uniform:1,2')
    expect(report.responseTime?.mean).toBeGreaterThan(2.5)
    expect(report.responseTime?.max).toBeLessThanOrEqual(4)
  })

  test('latencies of single links, one way and both ways', async () => {
    const links = '{"default":"constant:2","links":{"0>1":"constant:5","1-2":"constant:3"}}'
    const latency = files.write('links.json', links)
    const { report } = await simulated(
      'ricart-agrawala --nodes 3 --latency <file> --entries 300 --load hot:1,1,0',
      latency,
    )
    expect(report.latency).toBe(latency)
    // Nodes 0 and 1 wait 5 + 2 for each other's reply.
    expect(report.responseTime).toEqual({ mean: 7, p50: 7, p99: 7, max: 7 })
    const third = await simulated(
      'ricart-agrawala --nodes 3 --latency <file> --entries 300 --load hot:0,0,1',
      latency,
    )
    // Node 2 waits 3 + 3 for node 1, and 2 + 2 for node 0.
    expect(third.report.responseTime).toEqual({ mean: 6, p50: 6, p99: 6, max: 6 })
  })

  test('an option of the algorithm', async () => {
    const plain = await simulated('lamport --nodes 4 --load heavy --entries 40')
    const thrifty = await simulated('lamport --nodes 4 --load heavy --entries 40 --set savereplies=true')
    expect(plain.report.messages.perEntry).toBe(9)
    expect(thrifty.report.messages.perEntry).toBeLessThan(9)
  })

  test('another seed, another run; the same seed, the same run', async () => {
    expect(await poissonRun(7)).toEqual(await poissonRun(7))
    expect((await poissonRun(7)).responseTime).not.toEqual((await poissonRun(8)).responseTime)
  })
})

describe('topologies', () => {
  test.each([
    ['line', 'line'],
    ['star', 'star'],
    ['tree', 'tree:2'],
    ['tree:3', 'tree:3'],
  ])('raymond runs on a %s as it is', async (topology, kind) => {
    const { report, code, err } = await simulated(`raymond --nodes 7 --entries 50 --topology ${topology}`)
    expect({ code, err, kind: report.topology }).toEqual({ code: 0, err: [], kind })
  })

  test.each(['complete', 'ring', 'grid', 'random', 'random:9'])(
    'raymond takes a tree out of %s and says so',
    async (topology) => {
      const { report, code, err } = await simulated(`raymond --nodes 7 --entries 50 --topology ${topology}`)
      expect(code).toBe(0)
      expect(err).toEqual([`raymond runs on a tree: took the shortest paths of ${topology} to node 0`])
      expect(report.topology).toBe(`spanning tree of ${topology}`)
    },
  )

  test('a graph from a file, which says how many nodes there are', async () => {
    const path = files.write('graph.json', '{"nodes":4,"edges":[[0,1],[1,2],[1,3]]}')
    const { report, code, err } = await simulated('raymond --entries 50 --topology <file>', path)
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(report).toMatchObject({ nodes: 4, topology: path })
  })

  test('one node needs no messages', async () => {
    const { report, code } = await simulated('lamport --nodes 1 --entries 5')
    expect(code).toBe(0)
    expect(report).toMatchObject({ entries: 5, messages: { total: 0, perEntry: 0 } })
  })
})

describe('quorums', () => {
  test.each(['majority', 'grid', 'projective', 'tree'])('maekawa with %s quorums', async (quorum) => {
    const { report, code, err } = await simulated(
      `maekawa --nodes 7 --load heavy --entries 50 --quorum ${quorum}`,
    )
    expect({ code, err, quorum: report.quorum, unserved: report.unserved }).toEqual({
      code: 0,
      err: [],
      quorum,
      unserved: 0,
    })
  })

  test.each([1, 2, 6, 10, 43])('%i nodes on a plane: the next larger one folded, and told', async (nodes) => {
    const line = `maekawa --nodes ${nodes} --load heavy --entries 200 --quorum projective`
    const { report, code, err } = await simulated(line)
    expect(code).toBe(0)
    expect(report).toMatchObject({ quorum: 'projective', unserved: 0 })
    expect(err).toHaveLength(1)
    expect(err[0]).toContain(`no projective plane of ${nodes} points can be built: took that of order `)
  })

  test('quorums from a file, which says how many nodes there are', async () => {
    const path = files.write('quorums.json', '{"nodes":3,"quorums":[[0,1],[1,2],[0,2]]}')
    const { report, code } = await simulated('maekawa --entries 50 --quorum <file>', path)
    expect(code).toBe(0)
    expect(report).toMatchObject({ nodes: 3, quorum: path, messages: { perEntry: 3 } })
  })

  test.each([
    [7, 'projective', []],
    [9, 'grid', ['no projective plane has 9 points: took grid quorums']],
    [3, 'majority', ['no projective plane has 3 points: took majority quorums']],
  ])('%i nodes and none asked for: %s, and a fallback is told', async (nodes, quorum, err) => {
    const outcome = await simulated(`maekawa --nodes ${nodes} --entries 20`)
    expect(outcome.report.quorum).toBe(quorum)
    expect(outcome.err).toEqual(err)
  })
})

test('the report for people holds the figures', async () => {
  const { code, out, err } = await command('simulate ricart-agrawala --nodes 9 --seed 1 --entries 1000')
  expect({ code, err }).toEqual({ code: 0, err: [] })
  expect(out.replace(/ in [\d,]+ ms/, '')).toBe(
    `
ricart-agrawala  9 nodes, complete, light load, latency constant:1, unordered channels, seed 1

  entries                1,000
  messages per entry     16   theory exactly 16
  messages               16,000 (8,000 reply, 8,000 request), at most 8 under way
  response time          mean 2, p50 2, p99 2, max 2
  synchronisation delay  –
  fairness               Jain 0.995, overtaken at most 0 times
  inside together        at most 1

held: exclusion, progress, fences
18,000 events; formula 2(n-1)`.slice(1),
  )
})

test('a run that cannot fit into memory is refused before it starts', async () => {
  const { code, err } = await command('simulate ricart-agrawala --nodes 1000000 --entries 1')
  expect(code).toBe(2)
  expect(err).toHaveLength(1)
  expect(err[0]).toMatch(
    /^turnwise: --nodes: "1000000" nodes of ricart-agrawala need about [\d.]+ GB, and [\d.]+ GB may be used/,
  )
})

describe('--shrink', () => {
  test('a run that fails becomes a small one that fails, which replay shows', async () => {
    const file = files.path('small.jsonl')
    const failing =
      'simulate suzuki-kasami --nodes 5 --load heavy --fault drop:0.05 --entries 300 --shrink <file>'
    const { code, err } = await command(failing, file)
    expect(code).toBe(1)
    const [, from, to] = /^shrunk from (\d+) steps to (\d+): turnwise replay /.exec(err.at(-1) ?? '') ?? []
    expect(Number(from)).toBeGreaterThan(5 * Number(to))
    expect((await command('replay <file>', file)).out).toMatch(/VIOLATION progress: node \d asked at time \d/)
  })

  test('if no judge objects there is none; a file that cannot be written is named before the run', async () => {
    const quiet = await command('simulate raymond --nodes 3 --entries 5 --shrink <file>', files.path('none'))
    expect(quiet).toMatchObject({ code: 0, err: ['not shrunk: no judge objects'] })
    const { code, err } = await command('simulate raymond --shrink <file>', files.path('no directory/x'))
    expect(code).toBe(2)
    expect(err).toEqual([expect.stringMatching(/^turnwise: --shrink: /)])
  })
})
