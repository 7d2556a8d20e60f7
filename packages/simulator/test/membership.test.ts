/** What the contract promises about nodes and channels that come and go, at the simulator and on the stage. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import { line } from '@turnwise/core/topology'
import { describe, expect, test } from 'vitest'
import { Channels } from '../src/channels.ts'
import { simulationConfig } from '../src/configuration.ts'
import { playScenario } from '../src/scenario.ts'
import { only, type Played, play, type Run, timesOf, unitsOf } from './harness.ts'
import { club, toldTo } from './membership-toys.ts'
import { permits } from './toy-desk.ts'

const LATER = '50 request 0'

function clubRun(faults: readonly string[], more: Partial<Run> = {}): Played {
  return play({ algorithm: club, nodes: 4, topology: 'line', load: [LATER], faults, ...more })
}

function told({ simulation }: Played, node: number): readonly string[] {
  return toldTo(simulation.stateOf(node))
}

function fired({ simulation }: Played): string[] {
  return [...simulation.firedFaults].map(({ text }) => text)
}

describe('a node that joins', () => {
  test('is told so, and then both ends of its channels; before, it is not there', () => {
    const played = clubRun(['add:2@5'], { load: ['1 request 2', '6 request 2', LATER] })
    expect(told(played, 2)).toEqual(['join null', 'linked 1', 'linked 3'])
    expect(told(played, 1)).toEqual(['start', 'linked 2'])
    expect(told(played, 3)).toEqual(['start', 'linked 2'])
    expect(told(played, 0)).toEqual(['start'])
    expect(timesOf(played.events, 'request')).toEqual([
      [6, 2],
      [50, 0],
    ])
    expect(fired(played)).toEqual(['add:2@5'])
  })

  test('through a sponsor', () => {
    expect(told(clubRun(['add:2@5,via:0']), 2)[0]).toBe('join 0')
  })

  test('next to another that is not there yet: their channel exists when both are', () => {
    const played = clubRun(['add:3@5', 'add:2@9'])
    expect(told(played, 3)).toEqual(['join null', 'linked 2'])
    expect(told(played, 2)).toEqual(['join null', 'linked 1', 'linked 3'])
  })

  test('is known from the setup: nobody counts it in before', () => {
    const played = clubRun(['add:2@5'])
    const config = simulationConfig(club, { nodes: 4, topology: 'line', fault: ['add:2@5'] })
    expect(config.setup.absent).toEqual([])
    expect(played.simulation.stateOf(3)).toMatchObject({ members: [2] })
  })

  test('asks like the others from then on, whatever the load', () => {
    for (const load of ['heavy', 'closed:1', 'light', 'poisson:1']) {
      const { events, report } = clubRun(['add:2@5'], { load, entries: 60 })
      const requests = timesOf(events, 'request').filter(([, node]) => node === 2)
      expect(requests.length).toBeGreaterThan(0)
      expect(Math.min(...requests.map(([at]) => at))).toBeGreaterThanOrEqual(5)
      expect(report).toMatchObject({ entries: 60, unserved: 0 })
    }
  })

  test('again, after it left, begins anew', () => {
    const played = clubRun(['remove:2@5', 'add:2@20'])
    expect(told(played, 2)).toEqual(['join null', 'linked 1', 'linked 3'])
    expect(told(played, 1)).toEqual(['start', 'unlinked 2', 'linked 2'])
  })

  test('what is sent to it before comes back', () => {
    const { simulation, events } = clubRun(['add:3@2,via:2', 'add:2@5'])
    expect(only(events, 'lose').map(({ why, node }) => [why, node])).toEqual([['absent', 2]])
    expect(toldTo(simulation.stateOf(3))).toContain('coming? to 2 came back')
  })
})

describe('a node that leaves', () => {
  // shows helary-plouzeau-raynal-1988 7.2 Dynamic network reconfiguration
  test('is told so, is there until nothing of it is under way, and its neighbours hear that it is gone', () => {
    const played = clubRun(['remove:2@5'])
    const { events } = played
    expect(told(played, 2)).toEqual(['start', 'leave'])
    expect(only(events, 'depart', 'gone').map((event) => [unitsOf(event), event.is])).toEqual([
      [5, 'depart'],
      [7, 'gone'],
    ])
    expect(played.simulation.stateOf(2)).toMatchObject({ farewells: 0 })
    expect(told(played, 1)).toEqual(['start', 'unlinked 2'])
    expect(told(played, 3)).toEqual(['start', 'unlinked 2'])
  })

  test('has its turn first; who queues behind is sent away, and nobody asks there any more', () => {
    const { events, report } = clubRun(['remove:2@5'], {
      inside: 'constant:4',
      load: ['3 request 2', '4 request 2', '6 request 2', LATER],
    })
    expect(timesOf(events, 'request')).toEqual([
      [3, 2],
      [50, 0],
    ])
    expect(only(events, 'leave', 'depart').map((event) => [unitsOf(event), event.is])).toEqual([
      [7, 'leave'],
      [7, 'depart'],
      [54, 'leave'],
    ])
    expect(report).toMatchObject({ entries: 2, unserved: 0 })
  })

  test('paused, it is told when it goes on', () => {
    const { events } = clubRun(['pause:2@4-30', 'remove:2@5'])
    expect(only(events, 'depart').map(unitsOf)).toEqual([30])
  })

  test('crashed on its way out, it is gone for good', () => {
    const played = clubRun(['remove:2@5', 'crash:2@5.5', 'restart:2@9'])
    expect(only(played.events, 'gone').map(unitsOf)).toEqual([5.5])
    expect(only(played.events, 'restart')).toEqual([])
    expect(fired(played)).toEqual(['remove:2@5', 'crash:2@5.5'])
  })
})

describe('a channel', () => {
  // shows velazquez-1993 2.1 The model, failures
  test('that goes and comes back: both ends hear of it, and what was under way comes back', () => {
    const played = clubRun(['remove:1@4.5', 'unlink:1-2@5', 'link:1-2@9'])
    expect(told(played, 2)).toEqual(['start', 'unlinked 1'])
    expect(told(played, 1)).toEqual(['start', 'leave', 'unlinked 2', 'farewell to 2 came back'])
    expect(only(played.events, 'lose').map(({ why }) => why)).toEqual(['cut'])
    // Node 1 is gone by then: the channel is there for the next node.
    expect(fired(played)).toEqual(['remove:1@4.5', 'unlink:1-2@5', 'link:1-2@9'])
  })

  test('a new one between nodes that had none', () => {
    const played = clubRun(['link:3-0@5'])
    expect(told(played, 0)).toEqual(['start', 'linked 3'])
    expect(told(played, 3)).toEqual(['start', 'linked 0'])
  })

  test('what changes nothing does not happen', () => {
    const played = clubRun([
      'link:0-1@1',
      'unlink:0-3@1',
      'remove:2@2',
      'remove:2@2.5',
      'add:1@0.5',
      'remove:1@0.2',
    ])
    expect(fired(played)).toEqual(['remove:1@0.2', 'remove:2@2'])
  })

  test('a crashed end hears of it when it runs again', () => {
    const played = clubRun(['crash:1@1', 'unlink:1-2@5', 'restart:1@9'])
    expect(told(played, 1)).toEqual(['start', 'restart', 'unlinked 2'])
    expect(told(played, 2)).toEqual(['start', 'unlinked 1'])
  })

  test('the channels there are: those of the graph and the changes since', () => {
    const channels = new Channels(line(4))
    expect(channels.unlink(0, 1)).toBe(true)
    expect(channels.unlink(1, 0)).toBe(false)
    expect(channels.link(3, 0)).toBe(true)
    expect(channels.link(0, 3)).toBe(false)
    expect([0, 1, 2, 3].map((node) => channels.neighbours(node))).toEqual([[3], [2], [1, 3], [0, 2]])
    expect(channels.link(1, 0)).toBe(true)
    expect(channels.unlink(0, 3)).toBe(true)
    expect([0, 1, 2, 3].map((node) => channels.neighbours(node))).toEqual([[1], [0, 2], [1, 3], [2]])
  })
})

describe('what an algorithm has no rule for is refused', () => {
  test.each([
    ['add:1@5', 'permits has no rule for nodes that join'],
    ['remove:1@5', 'permits has no rule for nodes that leave'],
    ['link:1-2@5', 'permits has no rule for new channels'],
    ['unlink:1-2@5', 'permits has no rule for channels that go away'],
  ])('%s', (fault, complaint) => {
    const name = permits.facts.name
    const expected = complaint.replace('permits', name)
    expect(() => simulationConfig(permits, { nodes: 3, fault: [fault] })).toThrow(
      new InvalidInput(`fault: ${expected}`),
    )
    const [verb, argument] = fault.replace('@5', '').split(':')
    expect(() => playScenario(`world nodes=3\n${verb} ${argument}`, permits)).toThrow(
      new InvalidInput(`line 2: ${expected}`),
    )
  })

  test('the world cannot begin without the node where it begins', () => {
    expect(() => simulationConfig(club, { nodes: 3, fault: ['add:0@5'] })).toThrow(
      new InvalidInput('fault: node 0 cannot join later: the world begins with it'),
    )
    expect(() => simulationConfig(club, { nodes: 3, fault: ['remove:0@3', 'add:0@5'] })).not.toThrow()
  })
})

describe('on the stage', () => {
  const stage = (...lines: string[]) =>
    playScenario(['world nodes=3 topology=line absent=2', ...lines].join('\n'), club)

  test('nodes and channels come and go by commands', () => {
    const outcome = stage('add 2 via 0', 'under way', '----', '', 'unlink 1-2', 'link 0-2', '----', '')
    expect(outcome.split('\n').filter((line) => /^\d |^coming/.test(line))).toEqual([
      '2 joins through 0; sends coming? to 0',
      '2 has a channel to 1 now',
      '1 has a channel to 2 now',
      'coming? 2>0',
      '1 has no channel to 2 any more',
      '2 has no channel to 1 any more',
      '0 has a channel to 2 now',
      '2 has a channel to 0 now',
    ])
  })

  test('a node is gone when nothing of it is under way', () => {
    const outcome = stage('add 2', 'remove 2', 'deliver farewell 2>1', 'deliver well 1>2', '----', '')
    expect(outcome.split('\n').slice(-5, -1)).toEqual([
      '1 receives farewell from 2; sends well to 2',
      '2 receives well from 1',
      '2 is gone',
      '1 has no channel to 2 any more',
    ])
  })

  test('what cannot be handed over comes back', () => {
    const outcome = stage('add 2', 'remove 1', 'unlink 1-2', 'deliver farewell 1>2', '----', '')
    expect(outcome).toContain(
      'farewell from 1 to 2 is lost to a cut\n1 hears that farewell to 2 was not delivered',
    )
  })

  test.each([
    ['add 1', 'node 1 cannot join: it is idle'],
    ['add 7', '"7" is not a node: a whole number, 0 to 2'],
    ['add 2 via x', '"x" is not a node: a whole number, 0 to 2'],
    ['remove 2', 'node 2 cannot be removed: it is absent'],
    ['request 2', 'node 2 cannot ask: it is absent'],
    ['crash 2', 'node 2 cannot crash: it is absent already'],
    ['link 0-1', 'nodes 0 and 1 have a channel already'],
    ['unlink 0-2', 'nodes 0 and 2 have no channel'],
    ['link 0', '"0" is not a channel: A-B, two different nodes'],
    ['unlink 1-1', '"1-1" is not a channel: A-B, two different nodes'],
  ])('%s', (command, complaint) => {
    expect(() => stage(command)).toThrow(new InvalidInput(`line 2: ${complaint}`))
  })

  test('a crash on the way out ends it for good', () => {
    expect(stage('remove 1', 'crash 1', '----', '')).toContain('1 crashes\n1 is gone\n')
    expect(() => stage('remove 1', 'crash 1', 'restart 1')).toThrow('node 1 cannot restart: it is absent')
  })

  test('who is leaving neither asks nor leaves twice', () => {
    expect(() => stage('remove 1', 'request 1')).toThrow('line 3: node 1 cannot ask: it is leaving')
    expect(() => stage('remove 1', 'remove 1')).toThrow('line 3: node 1 is leaving already')
  })
})
