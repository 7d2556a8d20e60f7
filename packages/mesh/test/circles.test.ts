/** Random programs that hold and wait, and an oracle that knows all of them at one moment: what is found is a deadlock, and every deadlock is found. */
import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { circleText, Graph, type Told } from '../src/protocol/circles.ts'
import type { SeatStanding } from '../src/protocol/messages.ts'
import { electionKey, isGroup, lockKey, semaphoreKey } from '../src/protocol/names.ts'
import { GROUP, type Mode, NODES, World } from './waiting-world.ts'

const actor = fc.nat(4)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant('ask' as const),
      actor,
      name: fc.constantFrom('p', 'q', 'q', 'r').map(lockKey),
      mode: fc.constantFrom<Mode>('exclusive', 'shared', 'shared', 'update'),
      isNamed: fc.boolean(),
      asked: fc.nat(3),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('take' as const),
      actor,
      resources: fc.subarray([0, 1, 2], { minLength: 1 }),
      isNamed: fc.boolean(),
      asked: fc.nat(3),
      isLate: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('register' as const), actor }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('upgrade' as const), actor, asked: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('end' as const), actor }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('giveUp' as const), actor }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function play(world: World, steps: readonly Step[]): void {
  for (const each of steps) {
    if (each.does === 'ask') world.ask(each.actor, each.name, each.mode, each.isNamed, each.asked)
    else if (each.does === 'take')
      world.take(each.actor, each.resources, each.isNamed, each.asked, each.isLate)
    else if (each.does === 'upgrade') world.upgrade(each.actor, each.asked)
    else world[each.does](each.actor)
  }
}

const steps = (most: number) => fc.array(step, { maxLength: most })
const long = (most: number) => fc.array(step, { maxLength: most, size: 'max' })
/** What happens before each answer: of three nodes, twice, and of the moment between. */
const run = fc.tuple(long(30), ...Array.from({ length: 7 }, () => steps(3)))

test('what is in both answers of all was a deadlock at the moment between', () => {
  let found = 0
  let upgrades = 0
  let behind = 0
  let inGroup = 0
  let behindSeats = 0
  fc.assert(
    fc.property(run, ([before, ...between]) => {
      const world = new World()
      play(world, before)
      const answers = between.map((some, index) => {
        play(world, some)
        return index === 3 ? world.stuck() : world.tell(get(NODES, index < 3 ? index : index - 4))
      })
      const stuck = answers[3] as ReadonlySet<number>
      const first = new Graph(answers.slice(0, 3) as Told[])
      const second = new Graph(answers.slice(4) as Told[])
      for (const circle of first.circles()) {
        if (!second.has(circle)) continue
        found += 1
        if (circle.some(({ waits }) => waits.isUpgrade)) upgrades += 1
        if (circle.some(({ behind: ahead }) => ahead.some(({ name }) => !isGroup(name)))) behind += 1
        if (circle.some(({ waits }) => isGroup(waits.name))) inGroup += 1
        if (circle.some(({ behind: ahead }) => ahead.some(({ name }) => isGroup(name)))) behindSeats += 1
        const ids = circle.map(({ waits }) => waits.about.id)
        const actors = world.requests.filter(({ id }) => ids.includes(id)).map((each) => each.actor)
        for (const each of actors) expect(stuck).toContain(each)
        for (const { waits, holds } of circle)
          expect(waits.about.holders).toContain(holds.about.holders.at(-1))
      }
    }),
    { numRuns: extent(2000, 10_000, 50_000) },
  )
  expect(found).toBeGreaterThan(100)
  expect(Math.min(upgrades, behind, inGroup, behindSeats)).toBeGreaterThan(5)
})

test('every deadlock is found, and its youngest request once', () => {
  let found = 0
  fc.assert(
    fc.property(long(40), (all) => {
      const world = new World()
      play(world, all)
      world.register()
      // A finder of a circle ends its youngest request, until nothing is found: then nobody is stuck.
      for (;;) {
        const graph = new Graph(NODES.map((node) => world.tell(node)))
        const circles = graph.circles()
        if (circles.length === 0) break
        found += 1
        for (const circle of circles) {
          const orders = circle.map(({ waits: { node, about } }) => [about.asked, node, about.id] as const)
          const youngest = orders
            .toSorted(([x, m, i], [y, n, j]) => x - y || (m < n ? -1 : m > n ? 1 : i - j))
            .at(-1)
          const { waits } = get(circle, 0)
          expect([waits.about.asked, waits.node, waits.about.id]).toEqual(youngest)
        }
        expect(new Set(circles.map((circle) => get(circle, 0).waits.key)).size).toBe(circles.length)
        for (const circle of circles) {
          const { waits } = get(circle, 0)
          const victim = world.requests.find(({ id }) => id === waits.about.id)
          if (victim !== undefined) world.giveUp(victim.actor)
        }
      }
      expect([...world.stuck()]).toEqual([])
    }),
    { numRuns: extent(1500, 10_000, 50_000) },
  )
  expect(found).toBeGreaterThan(100)
})

/** x holds p and waits for q; y holds q and waits for p. */
function twoInACircle(
  keyOf: (name: string) => string,
  change: Partial<Record<'p' | 'q', object>> = {},
): Graph {
  const about = (id: number, holder: string) => ({ id, asked: id, info: '"\u202e"', holders: [holder] })
  const names = (holds: 'p' | 'q', waits: 'p' | 'q', id: number) => [
    {
      name: keyOf(holds),
      held: [
        { mode: 'exclusive' as const, age: 1, fence: { epoch: 1, counter: id }, about: about(id, '=x') },
      ],
      pending: [],
    },
    {
      name: keyOf(waits),
      held: [],
      pending: [{ mode: 'exclusive' as const, age: 1, about: { ...about(id + 1, '=x'), ...change[waits] } }],
    },
  ]
  return new Graph([
    { id: 'a', names: names('p', 'q', 1) },
    { id: 'b', names: names('q', 'p', 3) },
  ])
}

test('holders of two nodes that are called alike are two', () => {
  expect(twoInACircle(lockKey).circles()).toHaveLength(1)
  expect(twoInACircle(lockKey, { p: { holders: ['=y'] } }).circles()).toEqual([])
  expect(twoInACircle(lockKey, { q: { holders: [] } }).circles()).toEqual([])
})

test('semaphores and elections make no edge', () => {
  expect(twoInACircle((name) => semaphoreKey(name, 1, null)).circles()).toEqual([])
  expect(twoInACircle(electionKey).circles()).toEqual([])
})

/** x at node a holds p and waits for r of a group, whose holder waits for nobody. z at node b holds s and waits for p. */
function besideGroup(seats: Readonly<Record<'a' | 'b', readonly SeatStanding[]>>, nameless = false): Graph {
  const about = (id: number, holder: string) => ({ id, asked: id, info: null, holders: [holder] })
  const caller = (id: number, holder: string, ...resources: readonly number[]) => ({
    mode: 'exclusive' as const,
    age: 1,
    about: about(id, holder),
    resources,
  })
  const fence = { epoch: 1, counter: 1 }
  const y = caller(3, '=y', 0, 1)
  return new Graph([
    {
      id: 'a',
      names: [
        { name: lockKey('p'), held: [{ ...caller(1, '=x'), fence }], pending: [] },
        { name: GROUP, held: [], pending: [...(nameless ? [] : [y]), caller(2, '=x', 0)], seats: seats.a },
      ],
    },
    {
      id: 'b',
      names: [
        { name: GROUP, held: [{ ...caller(4, '=z', 1), fence }], pending: [], seats: seats.b },
        { name: lockKey('p'), held: [], pending: [caller(5, '=z')] },
      ],
    },
  ])
}

test('callers of a group wait for a seat only if that seat says so, and for the same request of it', () => {
  const ofX = { seat: 1, caller: 2, resources: [0], behind: [] }
  const ofY = (caller: number, behind: readonly number[]) => ({
    seat: 0,
    caller,
    resources: [0, 1],
    behind,
  })
  expect(besideGroup({ a: [], b: [] }).circles()).toEqual([])
  expect(besideGroup({ a: [ofY(3, []), ofX], b: [] }).circles()).toEqual([])
  const seen = besideGroup({ a: [ofY(3, [1]), ofX], b: [] })
  const circle = get(seen.circles(), 0)
  expect(circleText(circle)).toBe(
    'b holds "s" of "G" and waits for "p"; a holds "p" and waits for "r" of "G" behind 1 more',
  )
  // Its caller may go, but nobody else may have the seat.
  expect(besideGroup({ a: [ofY(3, []), ofX], b: [] }, true).has(circle)).toBe(true)
  expect(besideGroup({ a: [ofY(6, [1]), ofX], b: [] }).has(circle)).toBe(false)
})

test('who is in a circle, in one line that no terminal obeys', () => {
  const circle = get(twoInACircle(lockKey).circles(), 0)
  const escaped = '"\\u202e"'
  expect(circleText(circle)).toBe(
    `b ${escaped} holds "q" and waits for "p"; a ${escaped} holds "p" and waits for "q"`,
  )
})
