/** Random programs at three nodes that hold and await locks and names of a group. The nodes run the protocol, and nobody models it. */
import { get } from '@turnwise/core/bounds'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { extent } from '../../../test/extent.ts'
import { present } from '../../../test/present.ts'
import { SOUND } from '../broken/under.ts'
import { type Circle, Graph } from '../src/protocol/circles.ts'
import { groupKey, isGroup, lockKey } from '../src/protocol/names.ts'
import { standings } from '../src/protocol/query.ts'
import { Script } from './script.ts'

const NODES = ['a', 'b', 'c']
const ACTORS = [0, 1, 2, 3, 4, 5, 6]
/** Callers want the first three. With eight names each node has eight seats. */
const GROUP = groupKey('G', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])

interface Asked {
  readonly name: string
  readonly caller: number
}

/** Each actor waits for at most one thing, and keeps all that it has meanwhile. */
class Programs {
  readonly #script = new Script(NODES, SOUND)
  readonly #asked = new Map<number, Asked[]>(ACTORS.map((actor) => [actor, []]))
  #count = 0

  constructor() {
    this.#script.do('a', { kind: 'renew' })
    this.#script.beat(...NODES)
  }

  ask(actor: number, name: string, resources?: readonly number[]): void {
    if (this.isWaiting(actor) || (name === GROUP && !this.#hasSeat(actor))) return
    this.#count += 1
    const caller = this.#count
    const about = { id: caller, asked: caller, info: null, holders: [`=${actor}`] }
    this.#of(actor).push({ name, caller })
    this.#script.do(nodeOf(actor), {
      kind: 'request',
      name,
      caller,
      mode: 'exclusive',
      priority: 0,
      steals: false,
      about,
      ...(resources && { resources }),
    })
  }

  /** A caller without a seat waits for the first of eight that is free. No circle says that. */
  #hasSeat(actor: number): boolean {
    const local = this.#script.node(nodeOf(actor)).names.get(GROUP)
    return local?.seats.some(({ instance }) => instance === null || instance.phase === 'idle') !== false
  }

  giveUp(actor: number): void {
    if (!this.isWaiting(actor)) return
    const { name, caller } = this.#of(actor).pop() as Asked
    this.#script.do(nodeOf(actor), { kind: 'cancel', name, caller })
  }

  end(actor: number): void {
    const last = this.isWaiting(actor) ? undefined : this.#of(actor).pop()
    if (last !== undefined) this.#script.release(nodeOf(actor), last.name, last.caller as never)
  }

  /** Everyone who can go on ends everything, until nobody can. */
  finish(): void {
    for (let before = -1; before !== this.#left; ) {
      before = this.#left
      for (const actor of ACTORS) while (this.#of(actor).length > 0 && !this.isWaiting(actor)) this.end(actor)
    }
  }

  get #left(): number {
    return ACTORS.reduce((sum, actor) => sum + this.#of(actor).length, 0)
  }

  isWaiting(actor: number): boolean {
    const last = this.#of(actor).at(-1)
    const waiting = last && this.#script.node(nodeOf(actor)).names.get(last.name)?.waiting
    return waiting?.some(({ caller }) => caller === last?.caller) === true
  }

  /** The actors that wait in this circle. */
  actorsIn(circle: Circle): readonly number[] {
    const ids = circle.map(({ waits }) => waits.about.id)
    return ACTORS.filter((actor) => this.#of(actor).some(({ caller }) => ids.includes(caller)))
  }

  circles(): readonly Circle[] {
    const { nodes, now } = this.#script
    const told = NODES.map((id) => ({ id, names: standings(present(nodes[id]), { only: 'holders' }, now) }))
    return new Graph(told).circles()
  }

  #of(actor: number): Asked[] {
    return this.#asked.get(actor) as Asked[]
  }
}

function nodeOf(actor: number): string {
  return get(NODES, actor % NODES.length)
}

const actor = fc.constantFrom(...ACTORS)
const step = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant('ask' as const), actor, fc.constantFrom('p', 'q')) },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constant('take' as const), actor, fc.subarray([0, 1, 2], { minLength: 1 })),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constant('end' as const), actor) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('giveUp' as const), actor) },
)

test('who is in a circle stays there, and who is in none comes through', () => {
  let found = 0
  let behind = 0
  const property = fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
    const programs = new Programs()
    for (const each of steps) {
      if (each[0] === 'ask') programs.ask(each[1], lockKey(each[2]))
      else if (each[0] === 'take') programs.ask(each[1], GROUP, each[2])
      else programs[each[0]](each[1])
    }
    for (;;) {
      const circles = programs.circles()
      programs.finish()
      if (circles.length === 0) break
      found += 1
      const seats = circles.flat().flatMap((each) => each.behind.filter(({ name }) => isGroup(name)))
      behind += Math.min(1, seats.length)
      for (const circle of circles)
        for (const each of programs.actorsIn(circle)) expect(programs.isWaiting(each)).toBe(true)
      for (const circle of circles) {
        const [victim] = programs.actorsIn(circle.slice(0, 1))
        if (victim !== undefined) programs.giveUp(victim)
      }
    }
    expect(ACTORS.filter((each) => programs.isWaiting(each))).toEqual([])
  })
  fc.assert(property, { numRuns: extent(150, 1000, 5000) })
  expect(found).toBeGreaterThan(30)
  expect(behind).toBeGreaterThan(3)
})
