/** Random programs that hold and wait, and an oracle that knows all of them at one moment: what is found is a deadlock, and every deadlock is found. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { circleText, Graph, type Told } from '../src/protocol/circles.ts'
import { electionKey, lockKey, semaphoreKey } from '../src/protocol/names.ts'

type Mode = 'exclusive' | 'shared' | 'update'

interface Request {
  readonly id: number
  readonly actor: number
  readonly name: string
  mode: Mode
  readonly asked: number
  readonly holders: readonly string[]
  /** 0 while it waits. */
  fence: number
  /** The hold that it upgrades. */
  readonly upgrades?: Request
}

const NODES = ['a', 'b', 'c']
const nodeOf = (actor: number) => NODES[Math.floor(actor / 2)]

/** Actors that do one thing after another: each waits for at most one lock, and gives back the last it got. */
class World {
  requests: Request[] = []
  #count = 0

  ask(actor: number, name: string, mode: Mode, isNamed: boolean, asked: number): void {
    if (this.waitOf(actor) !== undefined) return
    this.#count += 1
    const own = isNamed ? `=${actor}` : `#${this.#count}`
    const around = this.holdsOf(actor).map(({ holders }) => holders.at(-1) as string)
    const holders = [...around.filter((sign) => sign !== own), own]
    this.requests.push({ id: this.#count, actor, name, mode, asked, holders, fence: 0 })
    this.#grant()
  }

  /** The last lock that it got waits to be exclusive. Nobody is told what is held inside an upgrade, so it is none of an earlier lock. */
  upgrade(actor: number, asked: number): void {
    const hold = this.holdsOf(actor).at(-1)
    if (hold?.mode !== 'update' || this.waitOf(actor) !== undefined) return
    // Its own time tells it from an earlier try.
    this.#count += 1
    const time = asked + this.#count / 1000
    this.requests.push({ ...hold, mode: 'exclusive', asked: time, fence: 0, upgrades: hold })
    this.#grant()
  }

  end(actor: number): void {
    if (this.waitOf(actor) !== undefined) return
    const last = this.holdsOf(actor).at(-1)
    this.requests = this.requests.filter((request) => request !== last)
    this.#grant()
  }

  giveUp(actor: number): void {
    const wait = this.waitOf(actor)
    this.requests = this.requests.filter((request) => request !== wait)
    this.#grant()
  }

  #grant(): void {
    for (const request of this.requests) {
      if (request.fence > 0 || this.blockers(request).length > 0 || this.#isBehindWriter(request)) continue
      if (this.ahead(request).length > 0) continue
      this.#count += 1
      request.fence = this.#count
      if (request.upgrades === undefined) continue
      request.upgrades.mode = 'exclusive'
      request.upgrades.fence = request.fence
      this.requests = this.requests.filter((each) => each !== request)
    }
  }

  /** Callers of the same node that must get in before, and an upgrade there. */
  ahead(request: Request): readonly Request[] {
    if (request.upgrades !== undefined) return []
    const at = this.requests.indexOf(request)
    return this.requests.filter(
      ({ actor, name, fence, upgrades }, index) =>
        fence === 0 &&
        name === request.name &&
        nodeOf(actor) === nodeOf(request.actor) &&
        (index < at || upgrades !== undefined),
    )
  }

  /** Between nodes nobody is certain that a reader waits for this, so it is no edge. */
  #isBehindWriter({ id, name, upgrades }: Request): boolean {
    if (upgrades !== undefined) return false
    return this.requests.some(
      (each) => each.fence === 0 && each.id < id && each.name === name && each.mode === 'exclusive',
    )
  }

  waitOf(actor: number): Request | undefined {
    return this.requests.find((each) => each.actor === actor && each.fence === 0)
  }

  holdsOf(actor: number): readonly Request[] {
    return this.requests.filter((each) => each.actor === actor && each.fence > 0)
  }

  blockers({ name, mode, upgrades }: Request): readonly Request[] {
    const clash = (held: Request) =>
      [held.mode, mode].filter((each) => each !== 'shared').length >
      (held.mode === 'exclusive' || mode === 'exclusive' ? 0 : 1)
    return this.requests.filter(
      (each) => each.fence > 0 && each.name === name && each !== upgrades && clash(each),
    )
  }

  /** Takes away callers that can go on, again and again: those who are left never can. */
  stuck(): ReadonlySet<number> {
    const left = new Set(this.requests.map(({ actor }) => actor))
    const canGoOn = (actor: number) => {
      const wait = this.waitOf(actor)
      if (wait === undefined) return true
      return [...this.blockers(wait), ...this.ahead(wait)].every((each) => !left.has(each.actor))
    }
    for (let before = -1; before !== left.size; ) {
      before = left.size
      for (const actor of left) if (canGoOn(actor)) left.delete(actor)
    }
    return left
  }

  tell(node: string): Told {
    const here = this.requests.filter(({ actor }) => nodeOf(actor) === node)
    return {
      id: node,
      names: here.map(({ id, name, mode, asked, holders, fence }) => {
        const about = { id, asked, info: null, holders }
        return fence > 0
          ? { name, held: [{ mode, age: 0, fence: { epoch: 1, counter: fence }, about }], pending: [] }
          : { name, held: [], pending: [{ mode, age: 0, about }] }
      }),
    }
  }
}

const actor = fc.nat(4)
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant('ask' as const),
      actor,
      name: fc.constantFrom('p', 'q', 'q', 'r').map(lockKey),
      mode: fc.constantFrom<Mode>('exclusive', 'shared', 'shared', 'update'),
      isNamed: fc.boolean(),
      asked: fc.nat(3),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('upgrade' as const), actor, asked: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('end' as const), actor }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('giveUp' as const), actor }) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

function play(world: World, steps: readonly Step[]): void {
  for (const each of steps) {
    if (each.does === 'ask') world.ask(each.actor, each.name, each.mode, each.isNamed, each.asked)
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
  fc.assert(
    fc.property(run, ([before, ...between]) => {
      const world = new World()
      play(world, before)
      const answers = between.map((some, index) => {
        play(world, some)
        return index === 3 ? world.stuck() : world.tell(NODES[index < 3 ? index : index - 4])
      })
      const stuck = answers[3] as ReadonlySet<number>
      const first = new Graph(answers.slice(0, 3) as Told[])
      const second = new Graph(answers.slice(4) as Told[])
      for (const circle of first.circles()) {
        if (!second.has(circle)) continue
        found += 1
        if (circle.some(({ waits }) => waits.isUpgrade)) upgrades += 1
        if (circle.some(({ behind: ahead }) => ahead.length > 0)) behind += 1
        const ids = circle.map(({ waits }) => waits.about.id)
        const actors = world.requests.filter(({ id }) => ids.includes(id)).map((each) => each.actor)
        for (const each of actors) expect(stuck).toContain(each)
        for (const { waits, holds } of circle)
          expect(waits.about.holders).toContain(holds.about.holders.at(-1))
      }
    }),
    { numRuns: extent(1500, 10_000, 50_000) },
  )
  expect(found).toBeGreaterThan(100)
  expect(Math.min(upgrades, behind)).toBeGreaterThan(10)
})

test('every deadlock is found, and its youngest request once', () => {
  let found = 0
  fc.assert(
    fc.property(long(40), (all) => {
      const world = new World()
      play(world, all)
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
          const [{ waits }] = circle
          expect([waits.about.asked, waits.node, waits.about.id]).toEqual(youngest)
        }
        expect(new Set(circles.map(([{ waits }]) => waits.key)).size).toBe(circles.length)
        for (const [{ waits }] of circles) {
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

test('who is in a circle, in one line that no terminal obeys', () => {
  const [circle] = twoInACircle(lockKey).circles()
  const escaped = '"\\u202e"'
  expect(circleText(circle)).toBe(
    `b ${escaped} holds "q" and waits for "p"; a ${escaped} holds "p" and waits for "q"`,
  )
})
