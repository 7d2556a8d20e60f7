import { get } from '@turnwise/core/bounds'
import { describe, expect, test } from 'vitest'
import { advance, durationAt, timeOf } from '../src/rooms/theatre/playback.ts'
import { FIRST, readQuery, withAlgorithm, writeQuery } from '../src/rooms/theatre/theatre-query.ts'
import { fitted } from '../src/run/fitted.ts'
import { offersFor } from '../src/run/offers.ts'
import { known, worldOf } from '../src/run/spec.ts'
import { specOf, watched } from './runs.ts'

describe('words that no longer fit', () => {
  test('are adjusted, each with a note; what fits stays', () => {
    expect(fitted(FIRST)).toEqual({ spec: FIRST, notes: [] })
    const { spec, notes } = fitted({ ...FIRST, nodes: 2 })
    expect(spec.load).toBe('script: 1 request 1; 4 request 0')
    expect(notes).toEqual(['With 2 nodes there is no node 2: its requests are left out.'])
    const alone = fitted({ ...FIRST, nodes: 2, load: 'script:0 request 3; 2 withdraw 3' })
    expect(alone.spec.load).toBe('light')
    const several = fitted({
      ...specOf({
        algorithm: 'kakugawa',
        nodes: 4,
        load: 'hot:1,2,3,4,5',
        fault: ['crash:9@5', 'crash:1@5'],
      }),
      k: 7,
      quorum: 'nonsense',
    })
    expect(several.spec).toMatchObject({ k: 4, quorum: undefined, load: 'hot:1,2,3,4', fault: ['crash:1@5'] })
    expect(several.notes).toHaveLength(4)
  })

  test('what cannot be adjusted stays as it is, and the run says why it cannot be played', () => {
    const spec = { ...FIRST, algorithm: 'maekava' }
    expect(fitted(spec)).toEqual({ spec, notes: [] })
  })
})

describe('the address of the theatre', () => {
  test('says nothing of the first run, and is read as it was written', () => {
    const first = { spec: FIRST, hands: [], position: null, isViolating: false }
    expect(Object.values(writeQuery(first)).filter(Boolean)).toEqual([])
    expect(readQuery({})).toEqual({ ...first, spec: readQuery({}).spec, trace: undefined })
    const spec = {
      ...readQuery({}).spec,
      algorithm: 'raymond-k',
      nodes: 7,
      k: 3,
      load: 'heavy',
      topology: 'grid',
      fault: ['crash:1@5', 'drop:0.1'],
      set: ['a=1', 'b=2'],
    }
    const hands = [{ after: 3, at: 5, act: { does: 'crash', node: 1 } as const }]
    const asked = { spec, hands, position: 12, trace: undefined, isViolating: false }
    expect(readQuery(writeQuery(asked))).toEqual(asked)
  })

  test('an algorithm that once was a setting of another is found by it', () => {
    const { spec } = readQuery({ algorithm: 'ricart-agrawala', set: 'modulus=5' })
    expect(spec).toMatchObject({ algorithm: 'ricart-agrawala-modulo', set: ['modulus=5'] })
  })

  test('nonsense in it becomes what it would be without', () => {
    const { spec, position, hands } = readQuery({ nodes: 'many', at: 'here', hands: '???' })
    expect(spec.nodes).toBe(FIRST.nodes)
    expect(position).toBeNull()
    expect(hands).toEqual([])
  })

  test('the first run is the example of the paper: who asks, who enters, and a request that overtakes a reply', () => {
    const { recording } = watched(FIRST)
    expect(recording.stays.map(({ node }) => node)).toEqual([1, 2, 0])
    const [request, reply] = ['request', 'reply'].map((type) =>
      recording.letters.find(
        (letter) => letter.message.type === type && letter.from === 0 && letter.to === 1,
      ),
    )
    expect(reply?.since).toBeLessThan(request?.since ?? 0)
    expect(request?.until).toBeLessThan(reply?.until ?? 0)
  })

  test('every algorithm can follow every other', () => {
    for (const before of ['raymond', 'maekawa', 'kakugawa', 'sanders', 'bully', 'helary-plouzeau-raynal'])
      for (const { facts } of known) {
        const spec = { ...specOf({ algorithm: before, nodes: 5 }), topology: 'tree', channels: 'fifo', k: 2 }
        expect(() => worldOf(withAlgorithm(spec, facts.name)), `${before} ${facts.name}`).not.toThrow()
      }
  })
})

describe('the pace', () => {
  const { recording } = watched()

  test('takes as long as all its steps, and stops at the end', () => {
    const last = recording.happenings.length
    const total = recording.happenings.reduce(
      (sum, _, position) => sum + durationAt(recording, position, 1),
      0,
    )
    expect(advance(recording, { position: 0, share: 0 }, total - 1, 1).position).toBe(last - 1)
    expect(advance(recording, { position: 0, share: 0 }, total + 1, 1)).toEqual({ position: last, share: 0 })
    expect(advance(recording, { position: 0, share: 0 }, total / 4 + 1, 4)).toEqual({
      position: last,
      share: 0,
    })
  })

  test('time runs on between two events', () => {
    const position = recording.happenings.findIndex(({ at }) => at > 0)
    expect(timeOf(recording, { position, share: 0 })).toBe(0)
    expect(timeOf(recording, { position, share: 0.5 })).toBe(get(recording.happenings, position).at / 2)
    expect(timeOf(recording, { position: 0, share: 0 })).toBe(0)
  })
})

describe('offers', () => {
  test('are what can be done: everything that is offered works', () => {
    for (const algorithm of ['ricart-agrawala', 'suzuki-kasami', 'bully']) {
      const run = watched({ algorithm, nodes: 4, latency: 'uniform:0.5,3' })
      const { recording, world } = run
      for (let position = 0; position < recording.happenings.length; position += 5) {
        const moment = run.at(position)
        const targets = [
          ...moment.nodes.map(({ node }) => ({ is: 'node', node }) as const),
          ...moment.underWay.slice(0, 2).map(({ id, to }) => ({ is: 'letter', id, to }) as const),
          { is: 'link', ends: [0, 1] } as const,
        ]
        const after = position === 0 ? 0 : get(recording.steps, position - 1)
        for (const target of targets)
          for (const { label, acts } of offersFor(target, moment, world.config.algorithm)) {
            const hands = acts.map((act) => ({ after, at: moment.at, act }))
            const { refused } = watched(run.spec, hands).played
            expect(
              refused.map(({ why }) => why),
              `${algorithm} ${position} ${label}`,
            ).toEqual([])
          }
      }
    }
  })
})
