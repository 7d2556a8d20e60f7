/** What is remembered of runs. A run that was forgotten is never taken for one that did not happen. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  find,
  forgetting,
  MOST_RUNS,
  NO_RUNS,
  type Run,
  readRuns,
  withRun,
  writeRuns,
} from '../../src/protocol/runs.ts'

const run = (time: number, at = time): Run => ({ time, by: 'a', at, isDone: true })

test('fire times within the skew are the same, and the nearest counts', () => {
  const runs = withRun(withRun(NO_RUNS, run(1000), 0), run(1500), 0)
  expect(find(runs, 1240, 300)).toEqual({ kind: 'ran', run: run(1000) })
  expect(find(runs, 1260, 300)).toEqual({ kind: 'ran', run: run(1500) })
  expect(find(runs, 1801, 300)).toEqual({ kind: 'new' })
  expect(find(runs, 1500, 0)).toEqual({ kind: 'ran', run: run(1500) })
})

test('what is known before a run is noted again stays known', () => {
  const begun = withRun(NO_RUNS, { ...run(1000), isDone: false }, 0)
  expect(withRun(begun, run(1000), 0)).toEqual({ before: null, list: [run(1000)] })
})

test('a run is remembered as long as asked, and then it is known that it may have been', () => {
  const runs = withRun(withRun(NO_RUNS, run(1000), 0), run(5000), 4000)
  expect(runs).toEqual({ before: 1000, list: [run(5000)] })
  expect(find(runs, 1000, 0)).toEqual({ kind: 'unknown', before: 1000 })
  expect(find(runs, 1100, 100)).toEqual({ kind: 'unknown', before: 1000 })
  expect(find(runs, 1101, 100)).toEqual({ kind: 'new' })
  expect(forgetting(runs, 3000).before).toBe(3000)
  expect(forgetting(runs, 500).before).toBe(1000)
})

test('of many runs the earliest are forgotten', () => {
  let runs = NO_RUNS
  for (let time = 1; time <= MOST_RUNS + 3; time += 1) runs = withRun(runs, run(time), 0)
  expect(runs.list).toHaveLength(MOST_RUNS)
  expect(runs.before).toBe(3)
})

test('a run with an earlier fire time than all others is remembered', () => {
  let runs = NO_RUNS
  for (let time = 1; time <= MOST_RUNS; time += 1) runs = withRun(runs, run(time), 0)
  runs = withRun(runs, run(0, 1000), 0)
  expect(find(runs, 0, 0)).toEqual({ kind: 'ran', run: run(0, 1000) })
  expect(runs.list).toHaveLength(MOST_RUNS)
  expect(find(runs, 1, 0)).toEqual({ kind: 'unknown', before: 1 })
})

test('no run is ever taken for new again, whatever is forgotten in between', () => {
  const time = fc.integer({ min: 0, max: 400 })
  const step = fc.record({ time, remember: fc.integer({ min: 0, max: 300 }), skew: fc.nat(20) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let runs = NO_RUNS
      const ran: number[] = []
      for (const [at, { time, remember, skew }] of steps.entries()) {
        const found = find(runs, time, skew)
        if (ran.some((each) => Math.abs(each - time) <= skew)) expect(found.kind).not.toBe('new')
        if (found.kind !== 'new') continue
        ran.push(time)
        runs = readRuns(writeRuns(withRun(runs, run(time, 10 * at), 10 * at - remember))) ?? NO_RUNS
      }
    }),
  )
})

test.each([
  '',
  '[]',
  '{}',
  '{"before":"x","runs":[]}',
  '{"before":null,"runs":[[1,"a",2]]}',
  '{"before":null,"runs":[[1,2,3,true]]}',
])('what nobody wrote is not read: %s', (text) => expect(readRuns(text)).toBeNull())
