import { describe, expect, test } from 'vitest'
import { Keeper } from '../../src/lease/keeper.ts'
import { SharedLedger } from '../../src/lease/shared-ledger.ts'
import { LeaseMemory } from '../../src/lease/shared-memory.ts'
import type { Message, MessageOf } from '../../src/protocol/messages.ts'
import { handle, start } from '../../src/protocol/node.ts'
import { blank, type Roster } from '../../src/protocol/record.ts'
import type { Node } from '../../src/protocol/state.ts'

const LEASE = 1000
const settings = { algorithm: 'carvalho-roucairol', lease: LEASE, drift: 0 }
const session = (voterId: string, k = 1) => ({ voterId, k })

const ROSTER: Roster = {
  epoch: 1,
  voters: ['a', 'b', 'c'].map((id) => ({ id, voterId: `${id}1` })),
  oldVoters: null,
  members: ['a', 'b', 'c'].map((id) => ({ id, session: session(`${id}1`) })),
  settings,
}

/** Node a with a lease thread, which hears and speaks here; a has accepted a view of three. */
function withKeeper(cover = () => true) {
  const { ledger, node, ...rest } = beginning('a', cover)
  node.durable = { ...node.durable, accepted: ROSTER }
  ledger.settle(node)
  return { ledger, node, ...rest }
}

/** A node that has no view yet. */
function beginning(id: string, cover = () => true) {
  const sent: { to: string; message: Message }[] = []
  const memory = new LeaseMemory()
  const keeper = new Keeper(memory, LEASE, (to, message) => sent.push({ to, message }), cover)
  const ledger = new SharedLedger(memory, (slots) => keeper.learn(slots))
  const config = { peers: ['a', 'b', 'c', 'd'], voters: ['a', 'b', 'c'], settings, roundTrip: 5 }
  const { node } = start(id, config, { ...blank(`${id}1`), longest: LEASE }, 0)
  return { sent, memory, keeper, ledger, node }
}

function heartbeat(voterId: string, at: number, k = 1): MessageOf<'heartbeat'> {
  return {
    type: 'heartbeat',
    session: session(voterId, k),
    at,
    lease: LEASE,
    begun: 1,
    accepted: 1,
    promised: 1,
    mark: '',
    suspects: [],
    wish: null,
  }
}

describe('the lease thread as a voter (R2)', () => {
  test('acknowledges a member, and owes it from now', () => {
    const { keeper, sent, ledger } = withKeeper()
    keeper.receives('b', heartbeat('b1', 100), 150)
    expect(sent).toEqual([
      { to: 'b', message: { type: 'ack', session: session('b1'), at: 100, voterId: 'a1' } },
    ])
    expect(ledger.close({ ...ROSTER, members: [] })).toContainEqual(['b1.1', 150 + LEASE])
  })

  test('acknowledges what renews the lease alone, in the same way', () => {
    const { keeper, sent, ledger } = withKeeper()
    const renewal = { type: 'renew', session: session('b1'), at: 100, lease: LEASE } as const
    expect(keeper.receives('b', renewal, 150)).toBe(true)
    expect(keeper.receives('b', { ...renewal, lease: LEASE + 1 }, 150)).toBe(false)
    expect(sent).toEqual([
      { to: 'b', message: { type: 'ack', session: session('b1'), at: 100, voterId: 'a1' } },
    ])
    expect(ledger.close({ ...ROSTER, members: [] })).toContainEqual(['b1.1', 150 + LEASE])
  })

  test('no ack leaves before the stamp covers it, or at all if it cannot (R19)', () => {
    let covered = 0
    const { keeper, sent } = withKeeper(() => {
      expect(sent).toEqual([])
      covered += 1
      return covered > 1
    })
    expect(keeper.receives('b', heartbeat('b1', 100), 150)).toBe(false)
    expect(sent).toEqual([])
    expect(keeper.receives('b', heartbeat('b1', 100), 150)).toBe(true)
    expect(sent).toHaveLength(1)
  })

  test.each([
    ['a stranger', heartbeat('x1', 100)],
    ['another session of a member', heartbeat('b1', 100, 2)],
    ['a lease longer than the disk remembers (R19)', { ...heartbeat('b1', 100), lease: LEASE + 1 }],
  ])('does not acknowledge %s', (_, message) => {
    const { keeper, sent } = withKeeper()
    keeper.receives('b', message, 150)
    expect(sent).toEqual([])
  })

  test('nobody is acknowledged for another', () => {
    const { keeper, sent } = withKeeper()
    keeper.receives('c', heartbeat('b1', 100), 150)
    expect(sent).toEqual([])
  })

  test('a node that is not in the record about to be accepted is no longer acknowledged (R13)', () => {
    const { keeper, sent, ledger } = withKeeper()
    keeper.receives('b', heartbeat('b1', 100), 150)
    const without = { ...ROSTER, epoch: 2, members: ROSTER.members.filter(({ id }) => id !== 'b') }
    expect(ledger.close(without)).toEqual([['b1.1', 150 + LEASE]])
    keeper.receives('b', heartbeat('b1', 200), 250)
    keeper.receives('c', heartbeat('c1', 200), 250)
    expect(sent.map(({ to }) => to)).toEqual(['b', 'c'])
  })

  test('a promise of a higher view that drops the record lets acks go on', () => {
    const { keeper, sent, ledger, node } = withKeeper()
    ledger.close({ ...ROSTER, members: [] })
    node.closing = null
    ledger.settle(node)
    keeper.receives('b', heartbeat('b1', 100), 150)
    expect(sent).toHaveLength(1)
  })
})

describe('the lease thread as a member (R4)', () => {
  const ack = (voterId: string, at: number, k = 1): Message => ({
    type: 'ack',
    session: session('a1', k),
    at,
    voterId,
  })

  /** What the program's thread says of itself, at this time. */
  function says({ keeper, node }: { keeper: Keeper; node: Node }, at: number): void {
    const message = { ...heartbeat('a1', at), session: { voterId: 'a1', k: node.durable.k } }
    const to = ['b', 'c'].map((peer) => ({ peer, by: 'thread' as const }))
    keeper.says({ heartbeat: message, to }, at)
  }

  test('notes acks of this session, which count when the program looks', () => {
    const world = withKeeper()
    says(world, 100)
    world.keeper.receives('b', ack('b1', 100), 120)
    world.ledger.collect(world.node)
    expect(world.node.acked).toEqual({ b1: 100 })
  })

  test('notes them for a node that does not vote, in each view that it begins', () => {
    const { keeper, ledger, node } = beginning('d')
    const members = [...ROSTER.members, { id: 'd', session: session('d1') }]
    const acknowledged = (epoch: number, voters: Roster['voters'], [voter, id]: [string, string]) => {
      node.begun = { ...ROSTER, epoch, voters, members, table: {} }
      ledger.follow(node, true)
      const beat = { ...heartbeat('d1', 100 * epoch), session: session('d1', node.durable.k) }
      keeper.says({ heartbeat: beat, to: [{ peer: id, by: 'thread' }] }, 100 * epoch)
      keeper.receives(id, { type: 'ack', session: beat.session, at: beat.at, voterId: voter }, beat.at + 20)
      ledger.collect(node)
      return node.acked[voter]
    }
    ledger.follow(node, true)
    expect(acknowledged(1, ROSTER.voters, ['b1', 'b'])).toBe(100)
    expect(acknowledged(2, [{ id: 'b', voterId: 'b2' }], ['b2', 'b'])).toBe(200)
  })

  test('notes those of the voters of a view, though it had accepted another record with the same epoch', () => {
    const world = withKeeper()
    const { ledger, node } = world
    const voters = [...ROSTER.voters.slice(0, 2), { id: 'c', voterId: 'c2' }]
    node.begun = { ...ROSTER, voters, table: {} }
    ledger.follow(node, true)
    says(world, 100)
    world.keeper.receives('c', ack('c2', 100), 120)
    ledger.collect(node)
    expect(node.acked).toEqual({ c2: 100 })
  })

  test('no voter acknowledges for another, nor what was not sent yet', () => {
    const world = withKeeper()
    says(world, 100)
    world.keeper.receives('c', ack('b1', 100), 120)
    world.keeper.receives('b', ack('b1', 500), 120)
    world.ledger.collect(world.node)
    expect(world.node.acked).toEqual({})
  })

  test('acks of an earlier session, or from before the clock was distrusted, do not count', () => {
    const world = withKeeper()
    says(world, 100)
    world.keeper.receives('b', ack('b1', 100), 120)
    world.node.durable = { ...world.node.durable, k: 2 }
    // The new session is not on disk yet.
    world.ledger.follow(world.node, false)
    world.ledger.collect(world.node)
    expect(world.node.acked).toEqual({})
    world.ledger.settle(world.node)
    says(world, 200)
    world.keeper.receives('b', ack('b1', 150), 220)
    world.ledger.collect(world.node)
    expect(world.node.acked).toEqual({})
    world.keeper.receives('b', ack('b1', 200, 2), 230)
    world.ledger.distrust(world.node)
    world.ledger.collect(world.node)
    expect(world.node.acked).toEqual({})
    // It waited in a socket while the machine slept.
    handle(world.node, { kind: 'slept' }, 240)
    says(world, 250)
    world.keeper.receives('b', ack('b1', 200, 2), 250)
    world.ledger.collect(world.node)
    expect(world.node.acked).not.toHaveProperty('b1')
    world.keeper.receives('b', ack('b1', 250, 2), 260)
    world.ledger.collect(world.node)
    expect(world.node.acked).toHaveProperty('b1', 250)
  })

  test('repeats the heartbeat while the program is busy, and lets the lease run out when it is stuck', () => {
    const world = withKeeper()
    world.ledger.alive(100)
    says(world, 100)
    world.keeper.tick(150)
    expect(world.sent.splice(0)).toMatchObject([{ message: { at: 100 } }, { message: { at: 100 } }])
    world.keeper.tick(449)
    expect(world.sent).toEqual([])
    world.keeper.tick(450)
    expect(world.sent).toMatchObject([
      { to: 'b', message: { type: 'heartbeat', at: 450 } },
      { to: 'c', message: { at: 450 } },
    ])
    // Stuck for longer than 0.4 of a lease: others must not wait for it for ever.
    world.keeper.tick(660)
    world.keeper.meets('b', 660)
    expect(world.sent).toHaveLength(2)
    world.ledger.alive(570)
    world.keeper.tick(670)
    expect(world.sent).toHaveLength(4)
    // Whom the program tells itself, beside its work, is told here of the lease alone.
    const to = [
      { peer: 'b', by: 'thread' },
      { peer: 'c', by: 'work' },
      { peer: 'd', by: 'work alone' },
    ] as const
    world.keeper.says({ heartbeat: { ...heartbeat('a1', 685), promised: 2 }, to }, 685)
    expect(world.sent.splice(4)).toMatchObject([
      { to: 'b', message: { type: 'heartbeat', at: 685 } },
      { to: 'c', message: { type: 'renew', at: 685, lease: LEASE } },
      { to: 'd', message: { type: 'renew', at: 685 } },
    ])
    // Late, so that they would take the program for silent; but not whom its work does not reach.
    world.keeper.tick(1034)
    expect(world.sent).toHaveLength(4)
    world.ledger.alive(700)
    world.keeper.tick(1035)
    expect(world.sent.splice(4).map(({ message }) => message.type)).toEqual([
      'heartbeat',
      'heartbeat',
      'renew',
    ])
    // A way to one of them is there: it need not wait for the next.
    world.keeper.meets('b', 1040)
    world.keeper.meets('x', 1040)
    expect(world.sent.slice(4)).toMatchObject([{ to: 'b', message: { at: 1040 } }])
  })

  test('its own voter acknowledges it too while the program is busy, and owes it from then on', () => {
    const world = withKeeper()
    const { keeper, ledger, node } = world
    ledger.alive(100)
    says(world, 100)
    keeper.tick(450)
    ledger.collect(node)
    expect(node.acked).toEqual({ a1: 450 })
    expect(ledger.close({ ...ROSTER, members: [] })).toContainEqual(['a1.1', 450 + LEASE])
    // R13: this voter accepts a record without this node.
    ledger.alive(600)
    keeper.tick(650)
    ledger.collect(node)
    expect(node.acked).toEqual({ a1: 450 })
  })

  test('no voter acknowledges itself for longer than others may wait for it, or if its stamp cannot cover it', () => {
    const stuck = withKeeper()
    stuck.ledger.alive(100)
    says(stuck, 100)
    stuck.keeper.tick(600)
    const uncovered = withKeeper(() => false)
    uncovered.ledger.alive(100)
    says(uncovered, 100)
    uncovered.keeper.tick(450)
    for (const { ledger, node } of [stuck, uncovered]) {
      ledger.collect(node)
      expect(node.acked).toEqual({})
    }
  })

  test('the work of the node itself ends, so the thread speaks for it for ten leases', () => {
    const world = withKeeper()
    world.ledger.alive(0)
    says(world, 0)
    world.sent.length = 0
    world.ledger.works(true)
    for (let now = 0; now <= 12 * LEASE; now += 50) world.keeper.tick(now)
    expect(world.sent.at(-1)).toMatchObject({ to: 'c', message: { at: 9950 } })
    world.sent.length = 0
    world.ledger.works(false)
    world.keeper.tick(LEASE)
    expect(world.sent).toEqual([])
  })

  test('a heartbeat goes with the ack, unless one went a moment ago; and the program’s own does not go besides', () => {
    const world = withKeeper()
    world.ledger.alive(100)
    says(world, 100)
    world.sent.length = 0
    world.keeper.receives('b', heartbeat('b1', 190), 190)
    world.keeper.receives('b', heartbeat('b1', 200), 200)
    const types = () => world.sent.splice(0).map(({ to, message }) => `${message.type} to ${to}`)
    expect(types()).toEqual(['ack to b', 'ack to b', 'heartbeat to b'])
    expect([world.keeper.hasTold('b', 299), world.keeper.hasTold('c', 299)]).toEqual([true, false])
    says(world, 350)
    expect(types()).toEqual(['heartbeat to c'])
    // Other words are said in any case.
    const news = { ...heartbeat('a1', 360), session: { voterId: 'a1', k: world.node.durable.k }, promised: 2 }
    world.keeper.says({ heartbeat: news, to: [{ peer: 'b', by: 'thread' }] }, 360)
    expect(types()).toEqual(['heartbeat to b'])
    // Whose work goes another way is told that way alone: if it does not get through, this must not hide it (R8).
    world.keeper.says({ heartbeat: news, to: [{ peer: 'b', by: 'work' }] }, 370)
    world.ledger.alive(600)
    world.keeper.receives('b', heartbeat('b1', 600), 600)
    expect(types()).toEqual(['renew to b', 'ack to b'])
  })

  test('what else the program tells the thread does not put off when the thread speaks for it', () => {
    const world = withKeeper()
    world.ledger.alive(100)
    says(world, 100)
    expect([world.keeper.dueIn(100), world.keeper.dueIn(400), world.keeper.dueIn(460)]).toEqual([350, 50, 0])
    world.keeper.tick(460)
    expect(world.keeper.dueIn(500)).toBe(160)
    // Stuck: looked at again as often, and no more.
    world.keeper.tick(700)
    expect(world.keeper.dueIn(700)).toBe(200)
    says(world, 710)
    expect(world.keeper.dueIn(710)).toBe(350)
  })

  test('a program that moves and does not speak is spoken for as long as that lasts', () => {
    const world = withKeeper()
    says(world, 0)
    world.sent.length = 0
    for (let now = 0; now <= 10 * LEASE; now += 50) {
      world.ledger.alive(now)
      world.keeper.tick(now)
    }
    const times = world.sent.flatMap(({ to, message }) =>
      to === 'b' && message.type === 'heartbeat' ? [message.at] : [],
    )
    expect([times[0], times.at(-1)]).toEqual([350, 9950])
    expect(Math.max(...times.slice(1).map((at, i) => at - (times[i] ?? 0)))).toBe(200)
  })

  test('one that does not vote may rest: the thread waits longer for its program', () => {
    const world = withKeeper()
    const voters = ROSTER.voters.filter(({ id }) => id !== 'a')
    world.node.durable = { ...world.node.durable, accepted: { ...ROSTER, epoch: 2, voters } }
    world.ledger.settle(world.node)
    world.ledger.alive(100)
    says(world, 100)
    world.sent.length = 0
    world.keeper.tick(699)
    expect(world.sent).toEqual([])
    world.keeper.tick(700)
    expect(world.sent).toHaveLength(2)
    world.keeper.tick(900)
    expect(world.sent).toHaveLength(2)
  })
})
