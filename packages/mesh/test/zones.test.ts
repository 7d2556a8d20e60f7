/** Zones change whose turn is next, and nothing else. */
import { env } from 'node:process'
import { get } from '@turnwise/core/bounds'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { SOUND } from '../broken/under.ts'
import { join } from '../src/join.ts'
import type { MeshNode } from '../src/mesh.ts'
import type { Effect, Event } from '../src/protocol/events.ts'
import { survivesOf } from '../src/protocol/losses.ts'
import type { Message } from '../src/protocol/messages.ts'
import type { Roster, ViewRecord } from '../src/protocol/record.ts'
import type { Rules } from '../src/protocol/rules.ts'
import type { Node } from '../src/protocol/state.ts'
import { zoneNumbers, zoneOfSeats } from '../src/protocol/zones.ts'
import type { Transport } from '../src/transport/transport.ts'
import { meetingPlanFor } from './meeting/plan.ts'
import { simulateMeeting } from './meeting/register.ts'
import { STEADY, starter } from './meshes.ts'
import { planFor } from './simulation/plan.ts'
import { type Beside, simulate } from './simulation/voters.ts'

const FIRST = Number(env['PROPERTY_SEED'] ?? 2012)

describe('who is near whom', () => {
  const members = (zones: Readonly<Record<string, string | null>>) => ({
    members: Object.entries(zones).map(([id, zone]) => ({
      id,
      session: { voterId: id, k: 1 },
      ...(zone !== null && { zone }),
    })),
  })

  test('members of one zone; a member without a zone is near nobody', () => {
    const view = members({ a: 'east', b: null, c: 'west', d: 'east', e: null })
    expect(zoneNumbers(view, ['c', 'd', 'e', 'a', 'b'])).toEqual([1, 0, 4, 0, 6])
    expect(zoneOfSeats([1, 0], 2)).toEqual([1, 1, 0, 0])
  })

  test('nobody, where nobody states a zone, or all state the same', () => {
    expect(zoneNumbers(members({ a: null, b: null }), ['a', 'b'])).toBeNull()
    expect(zoneNumbers(members({ a: 'east', b: 'east', c: null }), ['a', 'b', 'c'])).toBeNull()
  })
})

describe('losses that a mesh survives', () => {
  const view = (
    zones: readonly (string | null)[],
    voters: readonly number[],
    old: readonly number[] | null,
  ): Roster => {
    const id = (node: number) => 'abcdefghi'.charAt(node)
    const votes = (nodes: readonly number[]) => nodes.map((node) => ({ id: id(node), voterId: id(node) }))
    return {
      epoch: 1,
      voters: votes(voters),
      oldVoters: old && votes(old),
      members: zones.map((zone, node) => ({
        id: id(node),
        session: { voterId: id(node), k: 1 },
        ...(zone !== null && { zone }),
      })),
      settings: { algorithm: 'token-queue', lease: 1000, drift: 0 },
    }
  }

  /** Whether a majority is left of both sets, counted one by one. */
  const goesOn = ({ voters, oldVoters }: Roster, lost: ReadonlySet<string>) =>
    [voters, oldVoters ?? voters].every(
      (set) => set.filter(({ id }) => !lost.has(id)).length > set.length / 2,
    )

  test('are those that leave a majority of both sets, for any zones, voters and missing ones', () => {
    const someOf = (nodes: number) => fc.uniqueArray(fc.nat(nodes - 1), { minLength: 1 })
    const world = fc
      .integer({ min: 1, max: 7 })
      .chain((nodes) =>
        fc.tuple(
          fc.array(fc.constantFrom('x', 'y', 'z', null), { minLength: nodes, maxLength: nodes }),
          someOf(nodes),
          fc.option(someOf(nodes)),
          fc.uniqueArray(fc.nat(nodes - 1), { maxLength: 2 }),
        ),
      )
    fc.assert(
      fc.property(world, ([zones, voters, old, away]) => {
        const roster = view(zones, voters, old)
        const ids = roster.members.map(({ id }) => id)
        const gone = away.map((node) => get(ids, node))
        const survives = survivesOf(roster, gone)
        const subsets = Array.from({ length: 2 ** ids.length }, (_, bits) =>
          ids.filter((__, i) => bits & (2 ** i)),
        )
        const left = ids.filter((id) => !gone.includes(id))
        const fits = (count: number) =>
          subsets
            .filter((lost) => lost.length === count && lost.every((id) => left.includes(id)))
            .every((lost) => goesOn(roster, new Set([...gone, ...lost])))
        if (survives.nodes > 0) expect(fits(survives.nodes)).toBe(true)
        if (survives.nodes < left.length)
          expect(fits(survives.nodes + 1) && goesOn(roster, new Set(gone))).toBe(false)
        for (const zone of new Set(zones)) {
          if (zone === null) continue
          const lost = new Set([...gone, ...ids.filter((_, node) => zones[node] === zone)])
          expect([zone, survives.zones.includes(zone)]).toEqual([zone, goesOn(roster, lost)])
          expect(survives.notZones.includes(zone)).toBe(!survives.zones.includes(zone))
        }
      }),
      { seed: FIRST, numRuns: 300 },
    )
  })
})

describe('members of two zones', () => {
  const IDS = ['a', 'b', 'c', 'd']
  const ZONES = { a: 'north', b: 'south', c: 'north', d: 'south' }

  async function joined(
    zones: Readonly<Record<string, string>>,
    crossed: Message[] = [],
  ): Promise<MeshNode[]> {
    let next = 0
    const wrap = (transport: Transport) => watched(transport, IDS[next++] as keyof typeof ZONES, crossed)
    return Promise.all(IDS.map(starter({ ids: IDS, voters: IDS, lease: STEADY, wrap, zones })))
  }

  /** Keeps the lock messages that leave a zone. */
  function watched(transport: Transport, from: keyof typeof ZONES, crossed: Message[]): Transport {
    const send = transport.send.bind(transport)
    transport.send = (to, message) => {
      const isLock = message.type === 'link' && message.payload.kind === 'lock'
      if (isLock && ZONES[from] !== ZONES[to as keyof typeof ZONES]) crossed.push(message)
      send(to, message)
    }
    return transport
  }

  /** All ask again and again. How often the lock went to the other zone. */
  async function crossings(nodes: readonly MeshNode[]): Promise<number> {
    const order: number[] = []
    const takeTurns = async (node: MeshNode, zone: number) => {
      for (let i = 0; i < 100; i += 1) await node.locks.request('L', () => order.push(zone))
    }
    await Promise.all(nodes.map((node, i) => takeTurns(node, i % 2)))
    return order.filter((zone, i) => i > 0 && zone !== order[i - 1]).length
  }

  test('turns stay in a zone for a while; while one zone alone asks, no message of the lock leaves it', async () => {
    const crossed: Message[] = []
    const nodes = await joined(ZONES, crossed)
    const count = await crossings(nodes)
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan(60)
    const north = nodes.filter((_, i) => i % 2 === 0)
    await crossings(north)
    crossed.length = 0
    await crossings(north)
    expect(crossed).toEqual([])
    await Promise.all(nodes.map((node) => node.leave()))
  })

  test('without zones turns go around', async () => {
    const nodes = await joined({})
    expect(await crossings(nodes)).toBeGreaterThan(150)
    await Promise.all(nodes.map((node) => node.leave()))
  })
})

describe('where a zone comes from', () => {
  afterEach(() => {
    delete env['TURNWISE_ZONE']
  })

  test('the environment, if the options have none; an empty one is none', async () => {
    env['TURNWISE_ZONE'] = 'eu-west'
    const zoneOf = async (zone?: string) => {
      const mesh = await join(zone === undefined ? {} : { zone })
      const stated = mesh.status.zones[mesh.id]
      await mesh.leave()
      return stated
    }
    expect(await zoneOf()).toBe('eu-west')
    expect(await zoneOf('us-east')).toBe('us-east')
    env['TURNWISE_ZONE'] = ''
    expect(await zoneOf()).toBeUndefined()
    env['TURNWISE_ZONE'] = 'eu/west'
    await expect(join({})).rejects.toThrow(/^TURNWISE_ZONE: "eu\/west" is not 1 to 63 letters/)
  })
})

describe('random worlds, in which a node that starts again may be in another zone', () => {
  const wishes = { algorithm: 'token-queue', zones: 2, shared: 0.3 }

  test('voters decide views: one holder, rising fences, everyone enters when faults end', () => {
    for (let seed = FIRST; seed < FIRST + extent(2, 30, 100); seed += 1) {
      expect([seed, simulate(planFor(seed, wishes)).violation]).toEqual([seed, null])
    }
  })

  test('a register decides views: the same', () => {
    for (let seed = FIRST; seed < FIRST + extent(2, 30, 100); seed += 1) {
      expect([seed, simulateMeeting(meetingPlanFor(seed, { plan: wishes })).violation]).toEqual([seed, null])
    }
  })

  test('nodes that disagree about zones: the order is another, and nothing else is lost', () => {
    let others = 0
    for (let seed = FIRST; seed < FIRST + extent(1, 20, 100); seed += 1) {
      const plan = planFor(seed, { ...wishes, nodes: 4, crashes: 0, idle: 5 })
      const [agreed, apart] = [new Opinions(SOUND), new Opinions(null)]
      simulate(plan, agreed.rules, null, agreed)
      expect([seed, simulate(plan, apart.rules, null, apart).violation]).toEqual([seed, null])
      if (apart.grants.join(' ') !== agreed.grants.join(' ')) others += 1
    }
    expect(others).toBeGreaterThan(0)
  })
})

/** Keeps who was let in. Without rules each node turns the zones of a record around in its own way. */
class Opinions implements Beside {
  readonly grants: string[] = []
  readonly rules: Rules
  #self = 0
  readonly #known = new WeakMap<ViewRecord, Map<number, ViewRecord>>()

  constructor(rules: Rules | null) {
    this.rules = rules ?? { ...SOUND, startsFrom: (record) => this.#seen(record) }
  }

  before(node: Node): void {
    this.#self = node.id.charCodeAt(0)
  }

  after(_: Event, effects: readonly Effect[], { id }: Node): void {
    for (const { kind } of effects) if (kind === 'grant') this.grants.push(id)
  }

  #seen(record: ViewRecord): ViewRecord {
    const own = this.#known.get(record) ?? new Map<number, ViewRecord>()
    this.#known.set(record, own)
    const seen = own.get(this.#self) ?? {
      ...record,
      members: record.members.map((member, i) => ({ ...member, zone: `zone-${((i + this.#self) % 3) % 2}` })),
    }
    own.set(this.#self, seen)
    return seen
  }
}
