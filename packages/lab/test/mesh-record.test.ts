import { readdirSync, readFileSync } from 'node:fs'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { readTrace } from '@turnwise/core/trace/trace'
import { describe, expect, test } from 'vitest'
import { counterAt } from '../src/run/counters.ts'
import { type Moment, momentAt } from '../src/run/moment.ts'
import { firstLook, oneTrace, openTrace, worldIn } from '../src/run/opened.ts'
import { type Property, propertiesAt } from '../src/run/properties.ts'
import { record } from '../src/run/recording-builder.ts'
import { playable } from '../src/run/spec.ts'
import { viewSetup } from '../src/run/view-setup.ts'
import { pointersOf } from '../src/scene/beliefs.ts'

/**
 * Recorded by `turnwise up --nodes 3 --algorithm naimi-trehel --lease 500ms --for 5s --kill b@1s-3s --record DIRECTORY`:
 * the first view is of a, b and c, the second of a and c, the third of all again.
 */
const RECORDS = new URL('./records/', import.meta.url)
const parts = readdirSync(RECORDS).map((file) => readFileSync(new URL(file, RECORDS), 'utf8'))

function opened(texts: readonly string[]) {
  const { spec, played, notes } = openTrace(oneTrace(texts.map(readTrace)), playable)
  const recording = record(played)
  const { algorithm, setup } = worldIn(spec).config
  const at = (position: number) => momentAt(recording, position, algorithm)
  const property = (moment: Moment, name: Property['name']) =>
    propertiesAt(recording, moment, algorithm).find((one) => one.name === name)
  const moments = Array.from({ length: recording.happenings.length + 1 }, (_, position) => at(position))
  return { spec, recording, notes, algorithm, setup, moments, property }
}

describe('the record of a mesh', () => {
  const whole = opened(parts)

  test('shows the variables of every node, and which of them an event changed', () => {
    const { moments, recording } = whole
    expect(recording.noStates).toBeNull()
    const entered = moments.filter(({ happening }) =>
      happening?.consequences.some(({ is }) => is === 'enter'),
    )
    expect(entered.length).toBeGreaterThan(20)
    for (const { nodes, happening } of entered) {
      const { state } = get(nodes, happening?.node ?? 0)
      expect(state).toMatchObject({ requesting: true, fence: expect.any(Number) })
    }
    // A node that passes the token on has none from then on, and the record shows that it had one.
    const handedOn = moments.filter(({ nodes }) =>
      nodes.some(
        ({ state, before }) => fenceOf(before) !== null && fenceOf(state) === null && state !== null,
      ),
    )
    expect(handedOn.length).toBeGreaterThan(10)
  })

  test('with a view everything begins anew, and who is not in it has no variables', () => {
    const { moments } = whole
    const epochs = [...new Set(moments.map(({ view }) => view?.epoch ?? 0))]
    expect(epochs).toEqual([0, 1, 2, 3])
    for (const moment of moments.filter(({ view }) => view?.epoch === 2)) {
      expect(moment.view?.members).toEqual([2, 0])
      expect(moment.nodes[1]?.state).toBeNull()
      expect(moment.nodes[1]?.status).toBe('absent')
    }
    expect(moments[0]?.nodes.map(({ status }) => status)).toEqual(['idle', 'idle', 'idle'])
    const begun = moments.filter(({ happening }) => happening?.cause.view !== undefined)
    expect(begun).toHaveLength(8)
    for (const { happening, nodes } of begun) {
      // A waiting node asks anew at once, and that is then the state.
      const asks = (happening?.consequences.length ?? 0) > 0
      expect(nodes[happening?.node ?? 0]?.state).toMatchObject({ next: null, requesting: asks })
    }
  })

  test('numbers nodes as the record does, whatever numbers the algorithm gives them', () => {
    const { moments, algorithm } = whole
    // The lock is at home at node c, which is the first for the algorithm and the last of the record.
    const first = moments.find(({ view }) => view?.begun.size === 3) as Moment
    const pointers = first.nodes.flatMap(({ node, state }) => pointersOf(algorithm, node, state ?? {}))
    expect(pointers).toEqual([
      { field: 'last', order: 0, from: 0, to: 2 },
      { field: 'last', order: 0, from: 1, to: 2 },
    ])
  })

  test('has one token whenever all members have begun the view, and says why it cannot tell when they have not', () => {
    const { moments, property } = whole
    const tokens = moments.map((moment) => property(moment, 'tokens'))
    expect(tokens.filter((one) => one?.holds === false)).toEqual([])
    expect(tokens.filter((one) => one?.holds === true).length).toBeGreaterThan(60)
    const reasons = new Set(tokens.flatMap((one) => (one?.holds === null ? [one.reason] : [])))
    expect(reasons).toContain('No view has begun yet.')
    expect(reasons).toContain('Node 1 is not seen to have begun view 3, and may have the token.')
  })

  test('tells of exclusion what it shows, and not more', () => {
    const { moments, property, recording } = whole
    expect(property(get(moments, firstLook(recording)), 'exclusion')?.holds).toBe(true)
    const killed = moments.findIndex(({ happening }) => happening?.cause.is === 'unseen')
    expect(property(get(moments, killed), 'exclusion')).toMatchObject({
      holds: null,
      reason: expect.stringContaining('the record does not show node 1'),
    })
  })

  test('counts messages beside the formula for the nodes of the view', () => {
    const { moments, recording, algorithm, setup } = whole
    const counter = (moment: Moment) => {
      const { own } = viewSetup(algorithm, setup, moment.view?.members ?? [], {})
      return counterAt(recording, moment, algorithm, own, 'hands')
    }
    const first = moments.findLast(({ view }) => view?.epoch === 1) as Moment
    const second = moments.findLast(({ view }) => view?.epoch === 2) as Moment
    expect(counter(first).theory?.max).toBe(heavyOf(algorithm, setup))
    expect(counter(second).theory?.max).toBeLessThan(counter(first).theory?.max ?? 0)
    expect(counter(second).entries).toBeGreaterThan(10)
  })
})

describe('a record of which something is missing', () => {
  test('one part tells of its node, and says that nothing is told of the others', () => {
    const { moments, recording, notes, property, algorithm, setup } = opened(parts.slice(0, 1))
    expect(recording.untold).toEqual([1, 2])
    expect(notes).toContain('there is no part of node 1 (b)')
    const moment = get(moments, firstLook(recording))
    expect(moment.nodes.map(({ state }) => state !== null)).toEqual([true, false, false])
    expect(moment.nodes.map(({ status }) => status).slice(1)).toEqual(['absent', 'absent'])
    expect(property(moment, 'exclusion')?.holds).toBeNull()
    expect(property(moment, 'tokens')).toMatchObject({
      holds: null,
      reason: 'Nodes 1, 2 are not seen to have begun view 3, and may have the token.',
    })
    expect(counterAt(recording, moment, algorithm, setup, 'hands').remark).toBe(
      'The record does not show what nodes 1, 2 sent.',
    )
  })

  test('a recording that begins in the middle knows the variables from its first line on', () => {
    const amid = parts.map((text) => {
      const [header, ...lines] = text.split('\n')
      const begin = lines.findIndex((line) => line.includes('"view 3 '))
      return [header, ...(begin < 0 ? [] : lines.slice(begin))].join('\n')
    })
    const { moments, property, recording } = opened(amid)
    const moment = get(moments, firstLook(recording))
    expect(moment.nodes.every(({ state }) => state !== null)).toBe(true)
    expect(property(moment, 'tokens')?.holds).toBe(true)
    expect(moments[0]?.nodes.every(({ state }) => state === null)).toBe(true)
  })

  test('without variables it says so, instead of finding others', () => {
    const bare = parts.map((text) => text.replaceAll(/,"view":.*(?=\})|,"state":.*(?=\})/g, ''))
    const { recording, moments, property } = opened(bare)
    expect(recording.noStates).toBe('The nodes that recorded this did not record their variables.')
    expect(moments.at(-1)?.nodes.every(({ state }) => state === null)).toBe(true)
    expect(property(get(moments, 5), 'tokens')).toMatchObject({
      holds: null,
      reason: `The place of the token is unknown. ${recording.noStates}`,
    })
  })
})

function fenceOf(state: { readonly fence?: number | null } | null): number | null {
  return state?.fence ?? null
}

function heavyOf(algorithm: AnyProtocol, setup: Parameters<typeof counterAt>[3]): number {
  if (isElection(algorithm)) throw new Error('an election has no load')
  const { messages } = algorithm.facts
  return Math.max(messages.light(setup).max, messages.heavy(setup).max)
}
