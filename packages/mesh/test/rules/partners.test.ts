/** R1: who sends heartbeats to whom. */
import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DERIVED } from '../../src/protocol/derived.ts'
import type { Effect } from '../../src/protocol/events.ts'
import type { MessageOf } from '../../src/protocol/messages.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { areAcquainted, expected } from '../../src/protocol/partners.ts'
import { blank, type Id } from '../../src/protocol/record.ts'
import type { Node } from '../../src/protocol/state.ts'

const LEASE = 1000
const peers = ['a', 'b', 'c', 'd', 'e']
const settings = { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0 }

function nodeOf(id: Id, voters: readonly Id[] = ['a', 'b']): Node {
  return start(id, { peers, voters, settings, roundTrip: 5 }, blank(`${id}1`), 0).node
}

/** What it says of itself in two ticks, and to whom. */
function beats(node: Node, now: number): { to: Id[]; suspects: readonly Id[] } {
  const effects = [...handle(node, { kind: 'tick' }, now), ...handle(node, { kind: 'tick' }, now)]
  const sent = effects.filter((effect: Effect) => effect.kind === 'send')
  const heartbeats = sent.filter(({ message }) => message.type === 'heartbeat')
  const first = get(heartbeats, 0).message as MessageOf<'heartbeat'>
  return { to: heartbeats.map(({ to }) => to), suspects: first.suspects }
}

function heartbeatOf(id: Id): MessageOf<'heartbeat'> {
  const session = { voterId: `${id}1`, k: 1 }
  const said = { begun: null, accepted: null, promised: 0, mark: '', suspects: [], wish: null }
  return { type: 'heartbeat', session, at: 0, lease: LEASE, ...said }
}

function alter(node: Node, what: string, voters: readonly Id[] | null): void {
  const ids = voters ?? []
  const named = ids.map((id) => ({ id, voterId: `${id}1` }))
  const record = voters && { epoch: 1, voters: named, oldVoters: null, members: [], settings, table: {} }
  switch (what) {
    case 'begun':
      node.begun = record
      return
    case 'installed':
      node.installed = record && { record, ballot: 'a/1/1' }
      return
    case 'accepted':
      node.durable = { ...node.durable, accepted: record }
      return
    case 'configured':
      node.config = { ...node.config, voters: ids }
      return
    case 'ordered':
      node.order = voters && { voters, firstEpoch: 1, overrides: false }
  }
}

describe('heartbeats (R1)', () => {
  test('a voter speaks to everyone, and misses everyone', () => {
    expect(beats(nodeOf('a'), 600)).toEqual({ to: ['b', 'c', 'd', 'e'], suspects: ['b', 'c', 'd', 'e'] })
  })

  test('one that does not vote speaks to voters, and misses them alone', () => {
    expect(beats(nodeOf('c'), 600)).toEqual({ to: ['a', 'b'], suspects: ['a', 'b'] })
  })

  test('without a view it answers everyone that speaks to it: voters may be others than it was told', () => {
    const node = nodeOf('c')
    handle(node, { kind: 'receive', from: 'e', message: heartbeatOf('e') }, 500)
    expect(beats(node, 600)).toEqual({ to: ['a', 'b', 'e'], suspects: ['a', 'b'] })
    expect(beats(node, 500 + LEASE)).toEqual({ to: ['a', 'b'], suspects: ['a', 'b'] })
  })

  test('in a view the voters of that view count, old ones too', () => {
    const node = nodeOf('c')
    const voter = (id: Id) => ({ id, voterId: `${id}1` })
    const members = peers.map((id) => ({ id, session: { voterId: `${id}1`, k: 1 } }))
    const view = { epoch: 1, voters: [voter('d')], oldVoters: [voter('a')], members, settings, table: {} }
    node.begun = view
    handle(node, { kind: 'receive', from: 'e', message: heartbeatOf('e') }, 500)
    expect(beats(node, 600).to).toEqual(['a', 'd'])
    node.begun = { ...view, voters: [voter('c')] }
    expect(beats(node, 700).to).toEqual(['a', 'b', 'd', 'e'])
  })

  test('whatever changes, what a node keeps in mind of voters is never an old answer', () => {
    const change = fc.record({
      what: fc.constantFrom('begun', 'installed', 'accepted', 'configured', 'ordered'),
      voters: fc.option(fc.subarray(peers, { minLength: 1 })),
    })
    const answers = (node: Node) => [expected(node), ...peers.map((id) => areAcquainted(node, id, 'e'))]
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
        const node = nodeOf('c')
        for (const { what, voters } of changes) {
          alter(node, what, voters)
          const kept = answers(node)
          delete node[DERIVED]
          const afresh = answers(node)
          expect(kept).toEqual(afresh)
        }
      }),
    )
  })

  test('GONE goes the same way (R22): others hear of it by the next view', () => {
    const gone = handle(nodeOf('c'), { kind: 'leave' }, 100).filter(({ kind }) => kind === 'send')
    expect(gone).toMatchObject([
      { to: 'a', message: { type: 'gone' } },
      { to: 'b', message: { type: 'gone' } },
    ])
  })
})
