import { readFileSync } from 'node:fs'
import { catalogue } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { command, scratch } from './in-process.ts'

const files = scratch()

describe('the table', () => {
  test('has a row for each run, numbers to the right', async () => {
    const { code, out, err } = await command(
      'compare ricart-agrawala suzuki-kasami --nodes 4,10 --load heavy --entries 200',
    )
    expect({ code, err }).toEqual({ code: 0, err: [] })
    const lines = out.split('\n')
    expect(lines[0]).toBe(
      'algorithm        nodes  load   messages/entry  theory  response  sync delay  fairness  judges',
    )
    expect(lines.slice(1).map((line) => line.split(/ +/).slice(0, 3).join(' '))).toEqual([
      'ricart-agrawala 4 heavy',
      'ricart-agrawala 10 heavy',
      'suzuki-kasami 4 heavy',
      'suzuki-kasami 10 heavy',
    ])
    expect(lines[1]).toMatch(/ 4 {2}heavy +6 +6 +[\d.]+ +1 +[\d.]+ {2}held$/)
    expect(lines[2]).toMatch(/ 10 {2}heavy +18 +18 +[\d.]+ +1 +[\d.]+ {2}held$/)
  })

  test('without names it holds the whole catalogue, with 9 nodes under a light load', async () => {
    const { code, out, err } = await command('compare --entries 20')
    expect(code).toBe(0)
    expect(err).toContain('no projective plane has 9 points: took grid quorums')
    const rows = out.split('\n').slice(1)
    expect(rows.map((row) => row.split(/ +/).slice(0, 3))).toEqual(
      catalogue.map(({ facts }) => [facts.name, '9', 'light']),
    )
  })

  test('a note that several runs share is told once', async () => {
    const { err } = await command('compare maekawa --nodes 4,9 --load light --load heavy --entries 10')
    expect(err).toEqual([
      'no projective plane has 4 points: took grid quorums',
      'no projective plane has 9 points: took grid quorums',
    ])
  })

  test('one violation anywhere is exit code 1, and the table says where', async () => {
    const { code, out } = await command(
      'compare ricart-agrawala lamport --nodes 3 --load heavy --entries 300 --channels unordered --latency exponential:1',
    )
    expect(code).toBe(1)
    const [, first, second] = out.split('\n')
    expect(first).toMatch(/^ricart-agrawala .* held$/)
    expect(second).toMatch(/^lamport .* violated: exclusion$/)
  })

  test('options of a run hold for all runs', async () => {
    const { out } = await command(
      'compare lamport maekawa --nodes 7 --seed 3 --latency constant:4 --entries 20',
    )
    for (const row of out.split('\n').slice(1)) expect(row).toMatch(/ light +\d+ +\d+ +8 /)
  })
})

/** Compares two algorithms and gives the figure that was drawn. */
async function drawn(line: string) {
  const path = files.path('figure.svg')
  const outcome = await command(`compare lamport maekawa --entries 40 ${line} --plot <file>`, path)
  expect(outcome.code).toBe(0)
  expect(outcome.err.at(-1)).toBe(`drawn: ${path}`)
  return { ...outcome, svg: readFileSync(path, 'utf8') }
}

describe('--plot', () => {
  test('draws the measures against the number of nodes', async () => {
    const { svg, out } = await drawn('--nodes 3,7 --seed 5')
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<\/svg>\s*$/)
    for (const text of ['lamport', 'maekawa', 'Messages per entry', 'Response time']) {
      expect(svg).toContain(`>${text}<`)
    }
    // Nobody waits for another under a light load, so there is nothing to draw.
    expect(svg).not.toContain('Synchronisation delay')
    expect(svg).not.toContain('a judge found a violation')
    expect(svg).toContain('light load, latency constant:1, seed 5')
    expect(svg).toContain('>nodes<')
    // The table is printed all the same.
    expect(out.split('\n')).toHaveLength(5)
  })

  test('against the load where one number of nodes was asked for', async () => {
    const { svg } = await drawn('--nodes 7 --load light --load poisson:0.1 --load heavy')
    expect(svg).toContain('>load<')
    for (const load of ['light', 'poisson:0.1', 'heavy']) expect(svg).toContain(`>${load}<`)
  })

  test('with a line for each load where both vary', async () => {
    const { svg } = await drawn('--nodes 3,7 --load light --load heavy')
    for (const text of [
      'lamport',
      'maekawa',
      'Messages per entry, light load',
      'Messages per entry, heavy load',
      'Synchronisation delay, heavy load',
      'no node waited for another',
    ]) {
      expect(svg).toContain(`>${text}<`)
    }
  })

  test('marks the runs that failed', async () => {
    const path = files.path('failed.svg')
    const { code } = await command('compare lamport --nodes 3,7 --fault crash:1@20 --plot <file>', path)
    expect(code).toBe(1)
    expect(readFileSync(path, 'utf8')).toContain('>a judge found a violation<')
  })

  test('the same seed draws the same figure', async () => {
    const line = '--nodes 3,7 --load closed:2 --seed 9'
    expect((await drawn(line)).svg).toBe((await drawn(line)).svg)
  })
})
