import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { simulationConfig } from '../src/configuration.ts'
import { scriptFrom } from '../src/load.ts'
import { type Report, reportOf } from '../src/report.ts'
import { Simulation } from '../src/simulation.ts'

const algorithm = algorithmNamed('ricart-agrawala')

function run(wishes: Parameters<typeof simulationConfig>[1]): Report {
  return reportOf(new Simulation(simulationConfig(algorithm, { nodes: 9, ...wishes })).runToEnd())
}

/** The waiting times on average, by priority. */
function waits({ byPriority }: Report): Record<number, number | undefined> {
  return Object.fromEntries(byPriority.map(({ priority, responseTime }) => [priority, responseTime?.mean]))
}

describe('shares of requests are urgent', () => {
  const wishes = { load: 'closed:12', entries: 4000, set: ['priority=20'] }

  test('as many as were asked for, whatever the load, and each is told apart', () => {
    for (const load of ['light', 'heavy', 'poisson:0.3', 'closed:2', 'hot:3,1']) {
      const report = run({ load, entries: 2000, set: ['priority=9'], priorities: '9=0.25,4=0.5' })
      expect(report.byPriority.map(({ priority }) => priority)).toEqual([9, 4, 0])
      const entries = report.byPriority.map((group) => group.entries)
      expect(entries.reduce((sum, count) => sum + count, 0)).toBe(2000)
      // Four standard deviations of 2,000 draws.
      expect(Math.abs(get(entries, 0) - 500)).toBeLessThan(80)
      expect(Math.abs(get(entries, 1) - 1000)).toBeLessThan(90)
      expect(report).toMatchObject({ priorities: '9=0.25,4=0.5', violations: [], unserved: 0 })
    }
  })

  // shows ricart-agrawala-1981 6.5 Sequence Number Incrementation (2)
  test('they wait less than others, the more urgent the less', () => {
    const mean = waits(run({ ...wishes, priorities: '20=0.2,10=0.2' }))
    expect(mean[20]).toBeLessThan(mean[10] ?? 0)
    expect(mean[10]).toBeLessThan(mean[0] ?? 0)
  })

  test('what all have changes nothing, and costs stay what they are', () => {
    const all = run({ ...wishes, priorities: '20=1' })
    const none = run(wishes)
    expect(all.byPriority).toMatchObject([{ priority: 20, entries: 4000 }])
    expect(none.byPriority).toEqual([])
    expect(none.priorities).toBe('none')
    expect(all.messages.total).toBe(none.messages.total)
  })

  test('warm-up is not counted', () => {
    const { byPriority } = run({ ...wishes, entries: 100, warmup: 40, priorities: '20=1' })
    expect(byPriority).toMatchObject([{ priority: 20, entries: 60 }])
  })

  test('who asks when does not depend on what is urgent', () => {
    const light = { load: 'light', entries: 200, set: ['priority=5'] }
    expect(run({ ...light, priorities: '5=0.5' }).fairness).toEqual(run(light).fairness)
  })
})

test('a script says it line by line', () => {
  const lines = ['0 request 0', '0.5 request 1 priority 0', '0.5 request 2 exclusive priority 5']
  const load = scriptFrom(lines.join('\n'), 3, 'script:test')
  const mean = waits(run({ nodes: 3, load, set: ['priority=5'] }))
  expect(mean[5]).toBeLessThan(mean[0] ?? 0)
})

describe('what cannot be urgent is refused in one line', () => {
  const refusal =
    (name: string, wishes: Parameters<typeof simulationConfig>[1]): (() => unknown) =>
    () =>
      simulationConfig(algorithmNamed(name), { nodes: 3, ...wishes })

  test('an algorithm without priorities, whichever node asks', () => {
    const line = 'priorities: lamport knows no priorities, so no request can be urgent'
    expect(refusal('lamport', { priorities: '1=0.5' })).toThrow(line)
    expect(refusal('lamport', { load: scriptFrom('0 request 1 priority 2', 3, 'script:test') })).toThrow(line)
    expect(refusal('lamport', { priorities: 'none' })).not.toThrow()
  })

  test('one whose requests are all equal as it is set', () => {
    expect(refusal('ricart-agrawala', { priorities: '1=0.5' })).toThrow(
      'priorities: all requests of ricart-agrawala are equal while its option priority is 0: set priority=P',
    )
  })

  test.each([
    ['6=0.5', '"6" is not a priority: a whole number, 1 to 5'],
    ['0=0.5', '"0" is not a priority: a whole number, 1 to 5'],
    ['0.5', '"0.5" is not of the form PRIORITY=SHARE'],
    ['5=1.5', '"1.5" is not a share of requests: a number, 0 or more, at most 1'],
    ['5=0.6,4=0.6', '"5=0.6,4=0.6" is more than all requests: the shares add up to 1.2'],
    ['5=0.2,5=0.3', '"5=0.2,5=0.3" names priority 5 twice'],
  ])('%s', (priorities, line) => {
    expect(refusal('ricart-agrawala', { priorities, set: ['priority=5'] })).toThrow(`priorities: ${line}`)
  })

  test('a share beside a script', () => {
    const load = scriptFrom('0 request 1', 3, 'script:test')
    expect(refusal('ricart-agrawala', { priorities: '5=0.5', set: ['priority=5'], load })).toThrow(
      'priorities: a script gives each request its own priority, so no shares can be given',
    )
  })

  test.each([
    ['0 request 1 urgent', 'line 1: "urgent" is not exclusive, shared or priority'],
    ['0 request 1 priority', 'line 1: "" is not a priority'],
    ['0 request 1 priority x', 'line 1: "x" is not a priority'],
    ['0 request 1 shared 5', 'line 1: "5" is not expected after TIME request NODE [shared] [priority P]'],
    ['0 request 1 priority 5 6', 'line 1: "6" is not expected after TIME request NODE [shared] [priority P]'],
  ])('%s', (line, complaint) => {
    expect(() => scriptFrom(line, 3, 'script:test')).toThrow(complaint)
  })
})
