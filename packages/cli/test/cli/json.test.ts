import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import type { TimedReport } from '../../src/cli/timed-run.ts'
import { command, simulated } from './in-process.ts'

const number = expect.any(Number)

describe('simulate --json', () => {
  test('ricart-agrawala, nine nodes, light load: the figures of the paper', async () => {
    const { report, code, err } = await simulated(
      'ricart-agrawala --nodes 9 --seed 1 --load light --entries 1000',
    )
    expect({ code, err }).toEqual({ code: 0, err: [] })
    expect(report).toMatchObject({
      algorithm: 'ricart-agrawala',
      nodes: 9,
      seed: 1,
      load: 'light',
      entries: 1000,
      unserved: 0,
      messages: { total: 16000, perEntry: 16, byType: { request: 8000, reply: 8000 } },
      predicted: { perEntry: { min: 16, max: 16, mean: 16 }, formula: '2(n-1)' },
      violations: [],
      maxInside: 1,
      responseTime: { mean: 2, p50: 2, p99: 2, max: 2 },
      syncDelay: null,
      fairness: { jain: number, maxBypass: 0 },
      faults: { requested: 0, fired: 0 },
      events: 18000,
      wallMs: number,
    })
    expect(Object.keys(report.messages.byType)).toHaveLength(2)
  })

  test('under a heavy load there is a synchronisation delay', async () => {
    const { report } = await simulated('ricart-agrawala --nodes 9 --load heavy --entries 200')
    expect(report.syncDelay).toEqual({ mean: 1, max: 1 })
  })

  test('a run in which nobody enters has no figures per entry, but still all names', async () => {
    const { report, code } = await simulated(
      'ricart-agrawala --nodes 3 --entries 9 --load heavy --fault drop:1',
    )
    expect(code).toBe(1)
    expect(report).toMatchObject({
      entries: 0,
      unserved: 3,
      messages: { perEntry: null },
      responseTime: null,
      syncDelay: null,
      fairness: { jain: null, maxBypass: 0 },
    })
  })

  test('notes and warnings stay out of it', async () => {
    const { code, out, err } = await command(
      'simulate maekawa --nodes 5 --entries 5 --fault crash:0@1e6 --json',
    )
    expect(code).toBe(0)
    expect(err).toHaveLength(3)
    expect(() => JSON.parse(out)).not.toThrow()
  })
})

describe('algorithms --json', () => {
  test('is a list of all of them, each with the same names', async () => {
    const { code, out, err } = await command('algorithms --json')
    expect({ code, err }).toEqual({ code: 0, err: [] })
    const list = JSON.parse(out) as { name: string }[]
    expect(list.map(({ name }) => name)).toEqual([...catalogue, ...elections].map(({ facts }) => facts.name))
    for (const facts of list) {
      const isElection = elections.some((election) => election.facts.name === facts.name)
      expect(facts).toMatchObject({
        title: expect.any(String),
        year: number,
        family: expect.stringMatching(/^(token|permission|quorum|multi|zones|election)$/),
        ...(isElection
          ? {}
          : { entries: expect.toSatisfy((entries: unknown) => entries === 1 || entries === 'k') }),
        channels: expect.stringMatching(/^(fifo|unordered)$/),
        topology: expect.stringMatching(/^(complete|ring|tree|connected)$/),
        formula: expect.any(String),
        faults: expect.any(Array),
        sources: expect.any(Array),
      })
    }
  })

  test('explain --json is one of them', async () => {
    const list = JSON.parse((await command('algorithms --json')).out) as { name: string }[]
    const one: unknown = JSON.parse((await command('explain maekawa --json')).out)
    expect(one).toEqual(list.find(({ name }) => name === 'maekawa'))
    expect(one).toMatchObject({ name: 'maekawa', year: 1985, family: 'quorum', quorums: true })
  })
})

describe('compare --json', () => {
  test('is a list of reports, by algorithm, then nodes, then load', async () => {
    const { code, out } = await command(
      'compare lamport raymond --nodes 3,5 --load light --load heavy --entries 20 --json',
    )
    expect(code).toBe(0)
    const reports = JSON.parse(out) as TimedReport[]
    expect(reports.map(({ algorithm, nodes, load }) => `${algorithm} ${nodes} ${load}`)).toEqual([
      'lamport 3 light',
      'lamport 3 heavy',
      'lamport 5 light',
      'lamport 5 heavy',
      'raymond 3 light',
      'raymond 3 heavy',
      'raymond 5 light',
      'raymond 5 heavy',
    ])
  })

  test('each report is what simulate gives', async () => {
    const { out } = await command('compare lamport --nodes 4 --load heavy --entries 30 --json')
    const { report } = await simulated('lamport --nodes 4 --load heavy --entries 30')
    const [compared] = JSON.parse(out) as TimedReport[]
    expect({ ...compared, wallMs: 0 }).toEqual({ ...report, wallMs: 0 })
  })
})
