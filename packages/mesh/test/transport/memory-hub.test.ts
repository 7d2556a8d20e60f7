import { type Fault, faultFrom } from '@turnwise/core/faults'
import { describe, expect, test } from 'vitest'
import { atLeast } from '../../../../test/present.ts'
import { MemoryHub } from '../../src/transport/memory-hub.ts'
import { codec, Node, range } from './transport-contract.ts'

/** Time that passes when it is told to; of the same time, what was asked for first. */
class VirtualTime {
  now = 0
  #asked = 0
  #due: { at: number; order: number; action: () => void }[] = []

  after(delay: number, action: () => void): () => void {
    this.#asked += 1
    const entry = { at: this.now + delay, order: this.#asked, action }
    this.#due.push(entry)
    return () => {
      this.#due = this.#due.filter((other) => other !== entry)
    }
  }

  run(until: number = Number.POSITIVE_INFINITY): void {
    for (;;) {
      const [next] = this.#due.toSorted((a, b) => a.at - b.at || a.order - b.order)
      if (next === undefined || next.at > until) break
      this.#due = this.#due.filter((entry) => entry !== next)
      this.now = next.at
      next.action()
    }
    if (until !== Number.POSITIVE_INFINITY) this.now = until
  }
}

const ids = ['a', 'b', 'c']

function world(faults: readonly string[], seed = 1) {
  const time = new VirtualTime()
  const schedule: Fault[] = faults.map((text) => faultFrom(text, ids.length))
  const delay = (random: { fraction(): number }) => 1 + random.fraction()
  const hub = new MemoryHub({ ids, codec, timers: time, seed, delay, faults: schedule })
  const nodes = ids.map((id) => new Node(id, hub.transport(id)))
  for (const node of nodes) void node.transport.start(node)
  time.run(0)
  const [a, b, c] = atLeast(3, nodes)
  return { time, hub, a, b, c }
}

/** What b hears of two hundred numbers of a, one in each unit of time. */
function heardOf(faults: readonly string[], seed = 1): number[] {
  const { time, a, b } = world(faults, seed)
  for (const number of range(1, 200)) time.after(number, () => a.say('b', number))
  time.run()
  return b.from('a')
}

describe('faults of a hub', () => {
  test('none: everything, in order, although delays differ', () => {
    expect(heardOf([])).toEqual(range(1, 200))
    expect(heardOf(['spike:0.2,10'])).toEqual(range(1, 200))
  })

  test('loss and repetition, the same for the same seed', () => {
    const lossy = heardOf(['drop:0.3'])
    expect(lossy.length).toBeGreaterThan(110)
    expect(lossy.length).toBeLessThan(170)
    expect(heardOf(['drop:0.3'])).toEqual(lossy)
    expect(heardOf(['drop:0.3'], 2)).not.toEqual(lossy)
    const repeated = heardOf(['duplicate:0.3'])
    expect(new Set(repeated).size).toBe(200)
    expect(repeated.length).toBeGreaterThan(230)
  })

  test('a cut loses what is sent, and what arrives, while it lasts', () => {
    const heard = heardOf(['cut:0>1@50-100'])
    expect(heard.filter((number) => number < 48)).toEqual(range(1, 47))
    expect(heard.filter((number) => number >= 50 && number < 100)).toEqual([])
    expect(heard.filter((number) => number >= 100)).toEqual(range(100, 101))
    expect(heardOf(['cut:1>0@50-100'])).toEqual(range(1, 200))
  })

  test('a split, and cuts that overlap', () => {
    expect(heardOf(['split:0/1,2@20-60', 'cut:0-1@40-80']).filter((number) => number >= 20)).toEqual(
      range(80, 121),
    )
  })

  test('a pause delays, and loses nothing', () => {
    const { time, a, b } = world(['pause:1@10-50'])
    time.after(20, () => a.say('b', 1))
    time.run(40)
    expect(b.messages).toEqual([])
    expect(a.transport.backlog('b')).toBeGreaterThan(0)
    time.run()
    expect(b.from('a')).toEqual([1])
    expect(a.transport.backlog('b')).toBe(0)
  })

  test('what is not of a network is refused', () => {
    expect(() => world(['crash:0@10'])).toThrow('"crash:0@10" is not a network fault')
  })
})

test('nothing of an earlier life is heard after a node has come again, and nothing reaches a later life', async () => {
  const { time, hub, a, b } = world([])
  a.say('b', 1)
  b.say('a', 2)
  await a.transport.close()
  const again = new Node('a', hub.transport('a'))
  await again.transport.start(again)
  again.say('b', 3)
  time.run()
  expect(b.heard).toEqual(['+a', '+c', '-a', '+a', 'a 3'])
  expect(again.messages).toEqual([])
})

test('a hub knows its nodes', () => {
  expect(() => world([]).hub.transport('z')).toThrow('"z" is not a node of this hub')
})
