import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { permits, watcher } from './contract-toys.ts'
import { messageOf, only, type Played, play, receipts, timesOf, unitsOf } from './harness.ts'

const lamport = algorithmNamed('lamport')
const ricartAgrawala = algorithmNamed('ricart-agrawala')

/** The faults that happened, as they were written. */
function fired({ simulation }: Played): string[] {
  return [...simulation.firedFaults].map(({ text }) => text)
}

const ONE_AT_A_TIME = { entries: 1 }

describe('drop', () => {
  test('a message is sent, lost at once, and never arrives', () => {
    const played = play({ algorithm: lamport, nodes: 8, load: 'heavy', faults: ['drop:0.3'] })
    expect(fired(played)).toEqual(['drop:0.3'])
    const lost = only(played.events, 'lose')
    expect(lost.length).toBeGreaterThan(10)
    expect(lost.every(({ why }) => why === 'drop')).toBe(true)
    for (const { id, at } of lost) {
      expect(only(played.events, 'receive').some((event) => event.id === id)).toBe(false)
      expect(only(played.events, 'send').find((event) => event.id === id)?.at).toBe(at)
    }
  })

  test('each with the given probability', () => {
    let sent = 0
    let lost = 0
    for (let seed = 0; seed < 400; seed += 1) {
      const { events } = play({
        algorithm: lamport,
        nodes: 6,
        load: 'heavy',
        entries: 6,
        seed,
        faults: ['drop:0.3'],
      })
      sent += only(events, 'send').length
      lost += only(events, 'lose').length
    }
    // Four standard errors.
    expect(Math.abs(lost / sent - 0.3)).toBeLessThan(4 * Math.sqrt(0.21 / sent))
  })

  test('nobody is served by an algorithm that waits for what was lost: the judge of progress says so', () => {
    const { report } = play({ algorithm: ricartAgrawala, nodes: 3, load: 'light', faults: ['drop:1'] })
    expect(report).toMatchObject({ entries: 0, unserved: 1 })
    expect(report.violations.map(({ judge }) => judge)).toEqual(['progress'])
  })
})

describe('duplicate', () => {
  test('the message arrives twice, under one number, and is counted once', () => {
    const played = play({ algorithm: watcher, nodes: 2, load: ['0 request 0'], faults: ['duplicate:1'] })
    const { events, report } = played
    expect(fired(played)).toEqual(['duplicate:1'])
    expect(only(events, 'duplicate').map(({ id }) => id)).toEqual(only(events, 'send').map(({ id }) => id))
    // One question arrives twice and is answered twice; each answer arrives twice.
    expect(receipts(events).map(([, , type]) => type)).toEqual([
      'may I',
      'may I',
      'you may',
      'you may',
      'you may',
      'you may',
    ])
    expect(report.messages.byType).toEqual({ 'may I': 1, 'you may': 2 })
    expect(report.messages.mostInFlight).toBe(4)
  })

  test('on a channel that keeps order nothing sent later overtakes a copy', () => {
    const { events } = play({
      algorithm: ricartAgrawala,
      nodes: 3,
      channels: 'fifo',
      latency: 'exponential:2',
      load: 'heavy',
      entries: 60,
      faults: ['duplicate:0.5'],
    })
    expect(only(events, 'duplicate').length).toBeGreaterThan(50)
    const sent = new Map(only(events, 'send').map((event) => [event.id, event]))
    const last = new Map<string, number>()
    for (const { id, node } of only(events, 'receive')) {
      const channel = `${sent.get(id)?.from}>${node}`
      expect(id).toBeGreaterThanOrEqual(last.get(channel) ?? 0)
      last.set(channel, id)
    }
  })
})

describe('corrupt', () => {
  test('one value is altered, and it is the altered message that arrives', () => {
    const played = play({
      algorithm: permits,
      nodes: 2,
      load: ['0 request 1'],
      faults: ['corrupt:0.5'],
      seed: 8,
    })
    const { events } = played
    expect(fired(played)).toEqual(['corrupt:0.5'])
    const [altered] = only(events, 'corrupt')
    const original = messageOf(events, altered.id)
    expect(original).toEqual({ type: 'permit', fence: 1 })
    expect(altered.message.type).toBe('permit')
    expect(altered.message).not.toEqual(original)
    expect(only(events, 'enter')[0].fence).toBe(
      (altered.message as typeof original & { fence: number }).fence,
    )
  })

  test('what a handler then throws is a violation, not a crash of the program', () => {
    const violations = Array.from({ length: 30 }, (_, seed) => {
      const run = { nodes: 7, load: 'heavy', entries: 20, seed, faults: ['corrupt:0.2'] }
      return play({ algorithm: algorithmNamed('suzuki-kasami'), ...run }).report.violations
    })
    expect(violations.flat().some(({ text }) => text.includes('stops:'))).toBe(true)
  })
})

describe('spike', () => {
  test('a delay is multiplied', () => {
    const played = play({ algorithm: permits, nodes: 2, load: ['0 request 1'], faults: ['spike:1,10'] })
    expect(receipts(played.events)).toEqual([
      [10, 0, 'ask'],
      [20, 1, 'permit'],
      [31, 0, 'back'],
    ])
    expect(fired(played)).toEqual(['spike:1,10'])
  })

  test('with the given probability, and a factor below one makes it shorter', () => {
    const { events } = play({
      algorithm: ricartAgrawala,
      nodes: 5,
      load: 'heavy',
      entries: 200,
      faults: ['spike:0.25,0.5'],
    })
    const sent = new Map(only(events, 'send').map(({ id, at }) => [id, at]))
    const delays = only(events, 'receive').map(({ id, at }) => at - (sent.get(id) ?? 0))
    expect(new Set(delays)).toEqual(new Set([1_000_000, 500_000]))
    const share = delays.filter((delay) => delay === 500_000).length / delays.length
    expect(Math.abs(share - 0.25)).toBeLessThan(4 * Math.sqrt(0.1875 / delays.length))
  })

  test('a channel that keeps order keeps it', () => {
    const { report } = play({
      algorithm: lamport,
      nodes: 4,
      load: 'heavy',
      entries: 80,
      faults: ['spike:0.3,20'],
    })
    expect(report).toMatchObject({ entries: 80, unserved: 0, violations: [] })
  })
})

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
  test('what happens to the node meanwhile happens when it goes on, in order', () => {
    const { events, report, ...rest } = play({
      algorithm: permits,
      nodes: 4,
      load: ['1 request 3', '2 request 2', '2.5 request 1'],
      world: ONE_AT_A_TIME,
      faults: ['pause:0@0.5-5'],
    })
    expect(receipts(events).slice(0, 3)).toEqual([
      [5, 0, 'ask'],
      [5, 0, 'ask'],
      [5, 0, 'ask'],
    ])
    expect(timesOf(events, 'enter').map(([, node]) => node)).toEqual([3, 2, 1])
    expect(timesOf(events, 'pause')).toEqual([[0.5, 0]])
    expect(timesOf(events, 'resume')).toEqual([[5, 0]])
    expect(fired({ events, report, ...rest })).toEqual(['pause:0@0.5-5'])
    expect(report).toMatchObject({ entries: 3, violations: [] })
  })

  test('an event due in the moment in which it goes on does not overtake', () => {
    // Node 1 asks at 4: its message is due at 5, when node 0 goes on with two older ones.
    const { events } = play({
      algorithm: permits,
      nodes: 4,
      load: ['1 request 3', '2 request 2', '4 request 1'],
      world: ONE_AT_A_TIME,
      faults: ['pause:0@0.5-5'],
    })
    expect(receipts(events).slice(0, 3)).toEqual([
      [5, 0, 'ask'],
      [5, 0, 'ask'],
      [5, 0, 'ask'],
    ])
    expect(timesOf(events, 'enter').map(([, node]) => node)).toEqual([3, 2, 1])
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

describe('cut', () => {
  const lossesOf = (faults: readonly string[], load = ['0 request 1']) => {
    const played = play({ algorithm: permits, nodes: 3, load, faults })
    return {
      ...played,
      losses: only(played.events, 'lose').map((event) => [unitsOf(event), event.id, event.why]),
    }
  }

  test('both ways: neither direction lets anything through', () => {
    expect(lossesOf(['cut:0-1@0-1']).losses).toEqual([[0, 1, 'cut']])
    expect(lossesOf(['cut:0-1@1-9']).losses).toEqual([[1, 1, 'cut']])
    expect(lossesOf(['cut:0-1@1.5-2.5']).losses).toEqual([[2, 2, 'cut']])
  })

  test('one way: the other direction is whole', () => {
    expect(lossesOf(['cut:1>0@0-9']).losses).toEqual([[0, 1, 'cut']])
    expect(lossesOf(['cut:0>1@0-9']).losses).toEqual([[1, 2, 'cut']])
    expect(lossesOf(['cut:0>1@0-9']).events.filter(({ is }) => is === 'cut')).toEqual([
      { at: 0, is: 'cut', from: 0, to: 1 },
    ])
  })

  test('it loses what is sent or arrives while it lasts; what passes before or after is whole', () => {
    // The request is sent at 0 and arrives at 1.
    const lost = (fault: string) => lossesOf([fault]).losses.some(([, id]) => id === 1)
    expect(lost('cut:0-1@0-0.5')).toBe(true)
    expect(lost('cut:0-1@0.2-0.8')).toBe(false)
    expect(lost('cut:0-1@0.5-1')).toBe(false)
    expect(lost('cut:0-1@1-1.5')).toBe(true)
    expect(lost('cut:0-2@0-9')).toBe(false)
  })

  test('it is recorded, and that it heals', () => {
    const { events } = lossesOf(['cut:0-2@1-2'])
    expect(
      only(events, 'cut', 'heal').map((event) => `${unitsOf(event)} ${event.is} ${event.from}>${event.to}`),
    ).toEqual(['1 cut 0>2', '1 cut 2>0', '2 heal 0>2', '2 heal 2>0'])
  })

  test('of two cuts the link is whole again when both have healed, and both lose the message', () => {
    const faults = ['cut:0>1@1-9', 'cut:0>1@1.5-2.5']
    const { losses, ...played } = lossesOf(faults, ['0.8 request 1', '20 request 2'])
    expect(losses).toEqual([[1.8, 2, 'cut']])
    expect(fired(played)).toEqual(faults)
    expect(only(played.events, 'cut', 'heal').map((event) => [unitsOf(event), event.is])).toEqual([
      [1, 'cut'],
      [9, 'heal'],
    ])
  })

  test('a cut that lasts longer than one within it fires on its own', () => {
    const faults = ['cut:0>1@0-9', 'cut:0>1@0.1-0.2']
    const { losses, ...played } = lossesOf(faults)
    expect(losses).toEqual([[1, 2, 'cut']])
    expect(fired(played)).toEqual(['cut:0>1@0-9'])
  })
})

describe('split', () => {
  test('nothing passes between the groups, and everything within', () => {
    const played = play({
      algorithm: ricartAgrawala,
      nodes: 4,
      load: 'heavy',
      entries: 8,
      faults: ['split:0,1/2,3@0-3'],
    })
    const { events } = played
    const group = (node: number) => (node < 2 ? 'left' : 'right')
    const early = only(events, 'send').filter((event) => unitsOf(event) < 3)
    const lost = new Set(only(events, 'lose').map(({ id }) => id))
    expect(early.length).toBeGreaterThan(11)
    for (const { id, from, to } of early) expect(lost.has(id)).toBe(group(from) !== group(to ?? from))
    expect(only(events, 'cut')).toHaveLength(8)
    expect(only(events, 'heal')).toHaveLength(8)
    expect(fired(played)).toEqual(['split:0,1/2,3@0-3'])
  })
})

describe('faults that never happen', () => {
  test.each([
    ['a crash after the end', ['crash:1@1000']],
    ['a restart of a living node', ['restart:1@1']],
    ['a second crash', ['crash:1@0.5', 'crash:1@0.6']],
    ['a pause of a crashed node', ['crash:1@0.5', 'pause:1@0.6-0.7']],
    ['a cut that nothing meets', ['cut:1-2@0-100']],
    ['a split that nothing meets', ['split:0,1/2@0-100']],
    ['a chance that does not come', ['drop:1e-9', 'duplicate:1e-9', 'corrupt:1e-9', 'spike:1e-9,2']],
  ])('%s', (_what, faults) => {
    const { report, simulation } = play({ algorithm: permits, nodes: 3, load: ['0 request 1'], faults })
    const crashes = faults[0] === 'crash:1@0.5' ? 1 : 0
    expect(simulation.firedFaults.size).toBe(crashes)
    expect(report.faults).toEqual({
      requested: faults.length,
      fired: crashes,
      neverFired: faults.slice(crashes),
    })
  })
})
