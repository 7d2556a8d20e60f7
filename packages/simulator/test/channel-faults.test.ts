import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { describe, expect, test } from 'vitest'
import { only, type Played, play, unitsOf } from './harness.ts'
import { permits } from './toy-desk.ts'

const ricartAgrawala = algorithmNamed('ricart-agrawala')

/** The faults that happened, as they were written. */
function fired({ simulation }: Played): string[] {
  return [...simulation.firedFaults].map(({ text }) => text)
}

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
  // shows velazquez-1993 2.1 The model, failures
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
