import { describe, expect, test } from 'vitest'
import { command, expectRefusal, scratch, simulated } from './in-process.ts'

const files = scratch()

describe('each kind of fault happens', () => {
  test.each([
    [['drop:0.2']],
    [['duplicate:0.2']],
    [['corrupt:0.2']],
    [['spike:0.2,5']],
    [['crash:1@10']],
    [['crash:1@10', 'restart:1@20']],
    [['crash:1@10', 'restart:1@20,amnesia']],
    [['pause:1@10-20']],
    [['cut:0-1@10-20']],
    [['cut:0>1@10-20']],
    [['split:0/1,2@10-20']],
  ])('%s', async (faults) => {
    const options = faults.map((fault) => `--fault ${fault}`).join(' ')
    const { report } = await simulated(`ricart-agrawala --nodes 3 --load heavy --entries 60 ${options}`)
    expect(report.faults).toEqual({ requested: faults.length, fired: faults.length, neverFired: [] })
  })
})

describe('faults that are never mended', () => {
  test.each([
    ['thomas-majority --nodes 5', 'crash:0@9 crash:1@9 crash:2@9', 'the faults leave no quorum'],
    ['thomas-majority --nodes 5', 'crash:0@9 crash:1@9', null],
    [
      'thomas-majority --nodes 5',
      'crash:0@9 crash:1@9 crash:2@9 restart:0@20',
      'it does not claim to survive restart',
    ],
    ['gifford-voting --nodes 3 --set votes=3,1,1', 'crash:0@9', 'the faults leave no quorum'],
    ['agrawal-el-abbadi --nodes 3', 'crash:1@9 crash:2@9', 'the faults leave no quorum'],
    ['agrawal-el-abbadi --nodes 3', 'crash:0@9', null],
    [
      'maekawa --nodes 3',
      'crash:0@9 crash:1@9',
      'it does not claim to survive crash; the faults leave no quorum',
    ],
    [
      'raymond-recovery --nodes 5 --topology line',
      'crash:2@9',
      'the faults split the graph: node 0 cannot reach 3, 4',
    ],
    ['raymond-recovery --nodes 5 --topology line', 'crash:2@9 restart:2@30', null],
    ['raymond-recovery --nodes 5 --topology line', 'crash:4@9', null],
    [
      'helary-plouzeau-raynal-reconfiguration --nodes 6 --topology ring',
      'unlink:0-1@9 unlink:5-0@9',
      'the faults split the graph: node 0 cannot reach 1, 2, 3 and 2 more',
    ],
    [
      'helary-plouzeau-raynal-reconfiguration --nodes 6 --topology ring',
      'unlink:0-1@9 unlink:5-0@9 link:0-1@30',
      null,
    ],
  ])('%s, %s: %s', async (run, faults, complaint) => {
    const options = faults.split(' ').map((fault) => `--fault ${fault}`)
    const { err } = await command(`simulate ${run} --entries 4 ${options.join(' ')}`)
    const told = err.filter((line) => line.startsWith('warning: outside'))
    const name = run.split(' ')[0]
    expect(told).toEqual(
      complaint === null ? [] : [`warning: outside the assumptions of ${name}: ${complaint}`],
    )
  })

  test('only the fault that cannot happen is named', () =>
    expectRefusal(
      'simulate ricart-agrawala-membership --fault drop:0.1 --fault add:0@10 --fault add:1@20',
      '--fault add:0@10: node 0 cannot join later: the world begins with it',
    ))
})

describe('a fault that never happened is told', () => {
  test('by simulate, with the other warning before it', async () => {
    const { report, code, err } = await simulated(
      'lamport --entries 5 --fault crash:0@1e6 --fault restart:1@2 --fault pause:0@1-2',
    )
    expect(code).toBe(0)
    expect(report.faults).toEqual({ requested: 3, fired: 1, neverFired: ['crash:0@1e6', 'restart:1@2'] })
    expect(err).toEqual([
      'warning: outside the assumptions of lamport: it does not claim to survive crash, restart',
      'warning: the fault crash:0@1e6 never happened',
      'warning: the fault restart:1@2 never happened',
    ])
  })

  test('by compare, for each run', async () => {
    const { code, err } = await command('compare raymond --nodes 3,4 --entries 5 --fault pause:0@1e6-2e6')
    expect(code).toBe(0)
    expect(err).toEqual([
      'warning: raymond, 3 nodes, light load: the fault pause:0@1e6-2e6 never happened',
      'warning: raymond, 4 nodes, light load: the fault pause:0@1e6-2e6 never happened',
    ])
  })

  test('and counted in the report for people', async () => {
    const { out } = await command('simulate lamport --entries 5 --fault pause:0@1-2 --fault pause:0@1e6-2e6')
    expect(out).toMatch(/^ {2}faults +1 of 2 happened$/m)
  })
})

describe('outside its assumptions an algorithm runs all the same, with one line of warning', () => {
  test('channels that do not keep order: a judge finds two inside, exit code 1', async () => {
    const line = 'lamport --nodes 3 --load heavy --entries 300 --channels unordered --latency exponential:1'
    const { report, code, err } = await simulated(line)
    expect(code).toBe(1)
    expect(err).toEqual(['warning: outside the assumptions of lamport: channels do not keep order'])
    expect(report.maxInside).toBeGreaterThan(1)
    expect(report.violations[0]).toEqual({
      judge: 'exclusion',
      at: expect.any(Number),
      nodes: [expect.any(Number), expect.any(Number)],
      text: expect.stringMatching(/^nodes \d, \d are inside together; one is allowed$/),
    })
    const { out } = await command(`simulate ${line}`)
    expect(out).toMatch(
      /^violated:\n {2}exclusion at [\d.]+: nodes \d, \d are inside together; one is allowed$/m,
    )
  })

  test('channels that keep order where none is needed: no warning', async () => {
    const { report, err } = await simulated('ricart-agrawala --entries 20 --channels fifo')
    expect({ channels: report.channels, err }).toEqual({ channels: 'fifo', err: [] })
  })

  test('a lost message: somebody is never let in, exit code 1', async () => {
    const { code, out, err } = await command('simulate suzuki-kasami --nodes 3 --entries 9 --fault drop:1')
    expect(code).toBe(1)
    expect(err).toEqual([
      'warning: outside the assumptions of suzuki-kasami: it does not claim to survive drop',
    ])
    expect(out).toMatch(/^ {2}entries +\d+, 1 unserved$/m)
    expect(out).toMatch(
      /^violated:\n {2}progress at [\d.]+: node \d asked at time [\d.]+ and was never let in$/m,
    )
  })

  test('quorums that do not meet', async () => {
    const path = files.write('apart.json', '{"nodes":3,"quorums":[[0],[1],[0,2]]}')
    const { code, err } = await simulated('maekawa --load heavy --entries 30 --quorum <file>', path)
    expect(code).toBe(1)
    expect(err).toEqual([
      'warning: outside the assumptions of maekawa: the quorums of nodes 0 and 1 do not meet',
    ])
  })

  test('several ways at once are one line', async () => {
    const { err } = await simulated('lamport --entries 20 --channels unordered --fault duplicate:0.5')
    expect(err).toEqual([
      'warning: outside the assumptions of lamport: channels do not keep order; it does not claim to survive duplicate',
    ])
  })

  test('a long list of violations is cut short for people, not for programs', async () => {
    const line = 'simulate maekawa --load heavy --entries 60 --quorum <file>'
    const path = files.write('alone.json', '{"nodes":3,"quorums":[[0],[1],[2]]}')
    const { report } = await simulated(line.slice('simulate '.length), path)
    const { out } = await command(line, path)
    expect(report.violations.length).toBeGreaterThan(11)
    expect(out).toContain(`\n  and ${report.violations.length - 10} more\n`)
  })
})
