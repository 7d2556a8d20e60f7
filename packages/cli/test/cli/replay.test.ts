import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { command, scratch } from './in-process.ts'

const files = scratch()

/** Records a run and gives the trace's path. */
async function record(name: string, line: string): Promise<string> {
  const path = files.path(name)
  const { err } = await command(`simulate ${line} --trace <file>`, path)
  expect(err.at(-1)).toBe(`recorded: turnwise replay ${path}`)
  return path
}

const timeless = (report: string) => report.replace(/in [\d,]+ ms/, '')

const THREE = 'ricart-agrawala --nodes 3 --load heavy --entries 3'

describe('simulate --trace', () => {
  test('the same seed twice is the same trace, byte for byte', async () => {
    const line = 'maekawa --nodes 7 --load closed:2 --entries 60 --latency exponential:1 --fault drop:0.01'
    const [first, second, other] = await Promise.all([
      record('first.jsonl', `${line} --seed 4`),
      record('second.jsonl', `${line} --seed 4`),
      record('other.jsonl', `${line} --seed 5`),
    ])
    const text = readFileSync(first, 'utf8')
    expect(readFileSync(second, 'utf8')).toBe(text)
    expect(readFileSync(other, 'utf8')).not.toBe(text)
  })

  test('the first line says what was run, each further line what happened', async () => {
    const path = await record('lines.jsonl', `${THREE} --fault pause:0@1-2`)
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    const [header, ...events] = lines.map((line): unknown => JSON.parse(line))
    expect(header).toEqual({
      format: 'turnwise-trace',
      version: 1,
      algorithm: 'ricart-agrawala',
      nodes: 3,
      seed: 1,
      entries: 1,
      settings: {
        load: 'heavy',
        requests: 3,
        latency: 'constant:1',
        inside: 'constant:1',
        channels: 'unordered',
        topology: 'complete',
        faults: 'pause:0@1-2',
      },
    })
    expect(events[0]).toEqual({ at: 0, is: 'request', node: expect.any(Number), mode: 'exclusive' })
  })

  test('the report is the same with it and without it', async () => {
    const path = files.path('with.jsonl')
    const plain = await command(`simulate ${THREE}`)
    const recorded = await command(`simulate ${THREE} --trace <file>`, path)
    expect(timeless(recorded.out)).toBe(timeless(plain.out))
  })

  test('a violation is recorded too, and the exit code is 1', async () => {
    const path = files.path('violation.jsonl')
    const line = 'simulate suzuki-kasami --nodes 2 --load heavy --entries 4 --fault drop:1 --trace <file>'
    expect((await command(line, path)).code).toBe(1)
    const { code, out } = await command('replay <file>', path)
    // What is replayed is shown, not judged again.
    expect(code).toBe(0)
    expect(out).toMatch(/progress.*was never let in/)
  })
})

describe('replay', () => {
  test('draws a lane for each node and a row for each event', async () => {
    const path = await record('diagram.jsonl', THREE)
    const { code, out, err } = await command('replay <file>', path)
    expect({ code, err }).toEqual({ code: 0, err: [] })
    const lines = out.split('\n')
    expect(lines[0]).toBe('ricart-agrawala, 3 nodes, seed 1')
    expect(lines[3]).toMatch(/^ time {2}0 +1 +2$/)
    expect(out).toContain(
      '2.000  █◀─────────────┆────reply────●┆    0 receives reply from 2 (sent 1.000); enters',
    )
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    // Three ask, three leave, and each of twelve messages arrives.
    expect(lines.slice(4).filter((line) => /^\d/.test(line))).toHaveLength(18)
    expect(out).toContain('Node 1 keeps its reply to node 2 back: both have number 1')
  })

  test('a part of the run, by time', async () => {
    const path = await record('part.jsonl', THREE)
    const times = async (options: string) => {
      const { out } = await command(`replay <file>${options}`, path)
      return [...new Set([...out.matchAll(/^(\d+\.\d{3}) /gm)].map(([, time]) => Number(time)))]
    }
    expect(await times('')).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(await times(' --from 4')).toEqual([4, 5, 6, 7])
    expect(await times(' --to 3')).toEqual([0, 1, 2, 3])
    expect(await times(' --from 2 --to 2')).toEqual([2])
  })

  test('at most so many rows, and it says what was left out', async () => {
    const path = await record('limit.jsonl', THREE)
    const { out } = await command('replay <file> --limit 4', path)
    expect(out.match(/^\d+\.\d{3} /gm)).toHaveLength(4)
    expect(out.split('\n').at(-1)).toMatch(/14 .*more/)
  })

  test('shows 200 rows unless told', async () => {
    const path = await record('long.jsonl', 'ricart-agrawala --nodes 3 --entries 100')
    const rows = async (options: string) =>
      (await command(`replay <file>${options}`, path)).out.match(/^ *\d+\.\d{3} /gm)?.length
    expect(await rows('')).toBe(200)
    expect(await rows(' --limit 100000')).toBe(600)
  })

  test('--mermaid', async () => {
    const path = await record('mermaid.jsonl', THREE)
    const { code, out } = await command('replay <file> --mermaid', path)
    expect(code).toBe(0)
    const lines = out.split('\n')
    expect(lines[0]).toBe('sequenceDiagram')
    expect(lines.filter((line) => line.includes('participant'))).toHaveLength(3)
    expect(lines.filter((line) => line.includes('->>'))).toHaveLength(12)
    expect(lines.at(-1)).not.toBe('')
  })

  test('--shiviz', async () => {
    const path = await record('shiviz.jsonl', THREE)
    const { code, out } = await command('replay <file> --shiviz', path)
    expect(code).toBe(0)
    // Vector clocks, as ShiViz reads them.
    expect(out.match(/\{"[^"]+":\d+.*\}/g)?.length).toBeGreaterThan(12)
    expect(out.split('\n').at(-1)).not.toBe('')
  })
})
