import { describe, expect, test } from 'vitest'
import { watcher } from './contract-toys.ts'
import { only, type Played, play, receipts, timesOf, unitsOf } from './harness.ts'
import { permits } from './toy-desk.ts'

/** The faults that happened, as they were written. */
function fired({ simulation }: Played): string[] {
  return [...simulation.firedFaults].map(({ text }) => text)
}

const ONE_AT_A_TIME = { entries: 1 }

describe('crash', () => {
  test('the node stops: it handles, sends and asks nothing any more', () => {
    const played = play({
      algorithm: permits,
      nodes: 3,
      load: 'heavy',
      entries: 30,
      faults: ['crash:2@10.5'],
    })
    const at = played.events.findIndex(({ is }) => is === 'crash')
    expect(unitsOf(played.events[at])).toBe(10.5)
    const after = played.events.slice(at + 1)
    expect(
      only(after, 'receive', 'request', 'enter', 'leave', 'timeout').some(({ node }) => node === 2),
    ).toBe(false)
    expect(only(after, 'send').some(({ from }) => from === 2)).toBe(false)
    expect(fired(played)).toEqual(['crash:2@10.5'])
  })

  test('messages to it are lost', () => {
    const { events, report } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '5 request 2'],
      world: ONE_AT_A_TIME,
      faults: ['crash:1@1.5'],
    })
    expect(only(events, 'lose')).toEqual([{ at: 2_000_000, is: 'lose', id: 2, node: 1, why: 'crash' }])
    // Node 1 is not blamed for waiting; node 2, which waits for its release, is.
    expect(report.violations.map(({ judge, nodes }) => [judge, nodes])).toEqual([['progress', [2]]])
    expect(report.unserved).toBe(1)
  })

  test('inside, it frees the section for the judge of exclusion; a paused node stays inside', () => {
    const excluded = (fault: string) => {
      const { events, report } = play({
        algorithm: watcher,
        nodes: 3,
        load: ['0 request 0', '12 request 2'],
        inside: 'constant:100',
        faults: [fault],
      })
      expect(timesOf(events, 'enter').map(([, node]) => node)).toEqual([0, 2])
      return report.violations.filter(({ judge }) => judge === 'exclusion').length
    }
    expect(excluded('crash:0@10')).toBe(0)
    expect(excluded('pause:1@200-300')).toBe(1)
    expect(excluded('pause:0@5-11')).toBe(1)
  })

  test('those who queued at the node are gone with it', () => {
    const { events, report } = play({
      algorithm: permits,
      nodes: 2,
      load: ['0 request 1', '0.1 request 1', '0.2 request 1'],
      faults: ['crash:1@2.5', 'restart:1@3'],
    })
    expect(timesOf(events, 'request')).toEqual([[0, 1]])
    expect(report.unserved).toBe(0)
  })

  test('at the very beginning', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 2,
      load: 'heavy',
      entries: 2,
      faults: ['crash:1@0'],
    })
    expect(only(events, 'request').map(({ node }) => node)).toEqual([0, 0])
  })
})

describe('restart', () => {
  const LOAD = ['0 request 1', '4 request 2']

  test('with memory: what it held is released at once, so the next is let in', () => {
    const { events, report } = play({
      algorithm: permits,
      nodes: 3,
      load: LOAD,
      world: ONE_AT_A_TIME,
      inside: 'constant:5',
      faults: ['crash:1@3', 'restart:1@20'],
    })
    expect(timesOf(events, 'leave')).toEqual([
      [20, 1],
      [27, 2],
    ])
    expect(timesOf(events, 'enter')).toEqual([
      [2, 1],
      [22, 2],
    ])
    expect(report).toMatchObject({ entries: 2, unserved: 0, violations: [] })
  })

  test('with memory: what it waited for is returned when it comes', () => {
    const { events, report } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 2', '0.5 request 1', '9 request 2'],
      world: ONE_AT_A_TIME,
      faults: ['crash:1@0.7', 'restart:1@2'],
    })
    // Node 2 leaves at 3; the permit reaches node 1 at 5, and nobody there wants it.
    expect(timesOf(events, 'enter')).toEqual([
      [2, 2],
      [5, 1],
      [11, 2],
    ])
    expect(timesOf(events, 'leave').slice(0, 2)).toEqual([
      [3, 2],
      [5, 1],
    ])
    expect(report).toMatchObject({ entries: 2, unserved: 0, violations: [] })
  })

  test('with amnesia: it has forgotten what it held, and nothing is released', () => {
    const { events, report } = play({
      algorithm: permits,
      nodes: 3,
      load: LOAD,
      world: ONE_AT_A_TIME,
      faults: ['crash:1@2.5', 'restart:1@20,amnesia'],
    })
    expect(only(events, 'leave')).toEqual([])
    expect(only(events, 'restart')).toEqual([{ at: 20_000_000, is: 'restart', node: 1, memory: false }])
    expect(report.violations.map(({ judge, nodes }) => [judge, nodes])).toEqual([['progress', [2]]])
  })

  test('with amnesia: it can ask afresh', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 2,
      load: ['0 request 1', '30 request 1'],
      world: { entries: 2 },
      faults: ['crash:1@2.5', 'restart:1@20,amnesia'],
    })
    expect(timesOf(events, 'enter')).toEqual([
      [2, 1],
      [32, 1],
    ])
  })

  test('its stay does not go on: the exit scheduled before the crash is void', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '40 request 2'],
      inside: 'constant:30',
      faults: ['crash:1@5', 'restart:1@6'],
    })
    expect(timesOf(events, 'leave').filter(([, node]) => node === 1)).toEqual([[6, 1]])
  })
})

describe('pause', () => {
  /** Three ask node 0 while it pauses: it hears them when it goes on, and lets them in as they asked. */
  function inOrder(last: string) {
    const run = play({
      algorithm: permits,
      nodes: 4,
      load: ['1 request 3', '2 request 2', last],
      world: ONE_AT_A_TIME,
      faults: ['pause:0@0.5-5'],
    })
    expect(receipts(run.events).slice(0, 3)).toEqual([
      [5, 0, 'ask'],
      [5, 0, 'ask'],
      [5, 0, 'ask'],
    ])
    expect(timesOf(run.events, 'enter').map(([, node]) => node)).toEqual([3, 2, 1])
    return run
  }

  test('what happens to the node meanwhile happens when it goes on, in order', () => {
    const run = inOrder('2.5 request 1')
    expect(timesOf(run.events, 'pause')).toEqual([[0.5, 0]])
    expect(timesOf(run.events, 'resume')).toEqual([[5, 0]])
    expect(fired(run)).toEqual(['pause:0@0.5-5'])
    expect(run.report).toMatchObject({ entries: 3, violations: [] })
  })

  test('an event due in the moment in which it goes on does not overtake', () => {
    // Node 1 asks at 4: its message is due at 5, when node 0 goes on with two older ones.
    inOrder('4 request 1')
  })

  test('from the first moment up to, not including, the last', () => {
    // The request is due at 1, in the first moment of the pause; the next at 5, just after it.
    const { events } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '4 request 2'],
      faults: ['pause:0@1-5'],
    })
    expect(timesOf(events, 'receive').slice(0, 2)).toEqual([
      [5, 0],
      [5, 0],
    ])
    expect(
      only(events, 'send')
        .filter(({ from }) => from === 0)
        .map(unitsOf),
    ).toEqual([5, 5])
  })

  test('a node inside stays there until it goes on', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 2,
      load: ['0 request 1'],
      faults: ['pause:1@2.5-9'],
    })
    expect(timesOf(events, 'leave')).toEqual([[9, 1]])
  })

  test('callers come, but ask when it goes on', () => {
    const { events } = play({ algorithm: permits, nodes: 2, load: ['3 request 1'], faults: ['pause:1@2-9'] })
    expect(timesOf(events, 'request')).toEqual([[9, 1]])
  })

  test.each([
    ['overlapping', ['pause:0@1-5', 'pause:0@3-8']],
    ['one within the other', ['pause:0@1-8', 'pause:0@2-4']],
    ['one after the other', ['pause:0@1-5', 'pause:0@5-8']],
    ['one after the other, written backwards', ['pause:0@5-8', 'pause:0@1-5']],
  ])('two pauses, %s, are one long pause', (_how, faults) => {
    const played = play({ algorithm: permits, nodes: 2, load: ['0 request 1', '20 request 1'], faults })
    expect(timesOf(played.events, 'pause')).toEqual([[1, 0]])
    expect(timesOf(played.events, 'resume')).toEqual([[8, 0]])
    expect(timesOf(played.events, 'receive')[0]).toEqual([8, 0])
    expect(fired(played).toSorted()).toEqual(faults.toSorted())
  })

  test('a crash ends it: what waited is lost, and the node is not paused when it runs again', () => {
    const { events } = play({
      algorithm: permits,
      nodes: 3,
      load: ['0 request 1', '10 request 2'],
      faults: ['pause:0@0.5-50', 'crash:0@5', 'restart:0@6'],
      entries: 2,
    })
    expect(only(events, 'lose')).toEqual([{ at: 5_000_000, is: 'lose', id: 1, node: 0, why: 'crash' }])
    expect(timesOf(events, 'receive')[0]).toEqual([11, 0])
    expect(only(events, 'resume')).toEqual([])
  })
})
