import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { watcher } from './contract-toys.ts'
import { messageOf, only, type Played, play, receipts } from './harness.ts'
import { permits } from './toy-desk.ts'

const lamport = algorithmNamed('lamport')
const ricartAgrawala = algorithmNamed('ricart-agrawala')

/** The faults that happened, as they were written. */
function fired({ simulation }: Played): string[] {
  return [...simulation.firedFaults].map(({ text }) => text)
}

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

  // shows helary-plouzeau-raynal-1988 7 Enhancements, loss of messages
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
    const altered = get(only(events, 'corrupt'), 0)
    const original = messageOf(events, altered.id)
    expect(original).toEqual({ type: 'permit', fence: 1 })
    expect(altered.message.type).toBe('permit')
    expect(altered.message).not.toEqual(original)
    expect(only(events, 'enter')[0]?.fence).toBe(
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

  // shows velazquez-1993 2.1 The model, channels
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
