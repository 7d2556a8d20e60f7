/**
 * `npm run bench`: how fast the simulator is, as a ratio to a bare loop on a binary heap in the same run, so
 * that the machine's mood cancels out; and how fast the checker is, in different states per second.
 */
import { setTimeout } from 'node:timers/promises'
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { type Instance, NO_TROUBLE } from '@turnwise/checker/instance'
import { Search } from '@turnwise/checker/search'
import { get } from '@turnwise/core/bounds'
import { randomStream } from '@turnwise/core/random'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { Simulation } from '@turnwise/simulator/simulation'
import { Command } from 'commander'
import { addCheckOptions, type CheckOptions, instanceFrom } from '../packages/cli/src/cli/check-options.ts'
import { CheckThread } from '../packages/cli/src/cli/check-thread.ts'
import { searchTogether } from '../packages/cli/src/cli/threaded-search.ts'
import { atLeast, present } from '../test/present.ts'

/** The second thread of a check, as it is installed. */
const CHECK_THREAD = new URL('../packages/cli/dist/cli/check-worker.js', import.meta.url)
/** `--once` shows that everything runs; its figures are of one round each. */
const isOnce = process.argv.includes('--once')
const ROUNDS = isOnce ? 1 : 5
const SEARCHES = isOnce ? 1 : 3
const PENDING = 10_000

function run(name: string, nodes: number, entries: number, load: string, set: string[] = []): Simulation {
  return new Simulation(simulationConfig(algorithmNamed(name), { nodes, entries, load, set }))
}

function instanceOf(name: string, nodes: number): Instance {
  const algorithm = algorithmNamed(name)
  const { channels, timing } = algorithm.facts
  return {
    algorithm,
    setup: simulationConfig(algorithm, { nodes }).setup,
    requests: 1,
    channels,
    timing,
    budgets: NO_TROUBLE,
  }
}

function timed(work: () => number): { count: number; seconds: number } {
  const started = performance.now()
  const count = work()
  return { count, seconds: (performance.now() - started) / 1000 }
}

/** The textbook heap: entries of time, order and payload, sifted up and down. */
class BinaryHeap {
  readonly #times: number[] = []
  readonly #orders: number[] = []
  readonly #payloads: unknown[] = []
  #pushed = 0

  push(time: number, payload: unknown): void {
    let place = this.#times.length
    const order = this.#pushed
    this.#pushed += 1
    this.#put(place, time, order, payload)
    while (place > 0) {
      const parent = (place - 1) >> 1
      if (get(this.#times, parent) <= time) break
      this.#put(place, get(this.#times, parent), get(this.#orders, parent), this.#payloads[parent])
      place = parent
    }
    this.#put(place, time, order, payload)
  }

  pop(): number {
    const first = get(this.#times, 0)
    const time = this.#times.pop() ?? 0
    const order = this.#orders.pop() ?? 0
    const payload = this.#payloads.pop()
    const { length } = this.#times
    let place = 0
    for (;;) {
      let child = 2 * place + 1
      if (child >= length) break
      if (child + 1 < length && this.#before(child + 1, get(this.#times, child), get(this.#orders, child)))
        child += 1
      if (!this.#before(child, time, order)) break
      this.#put(place, get(this.#times, child), get(this.#orders, child), this.#payloads[child])
      place = child
    }
    this.#put(place, time, order, payload)
    return first
  }

  #before(place: number, time: number, order: number): boolean {
    return get(this.#times, place) < time || (this.#times[place] === time && get(this.#orders, place) < order)
  }

  #put(place: number, time: number, order: number, payload: unknown): void {
    this.#times[place] = time
    this.#orders[place] = order
    this.#payloads[place] = payload
  }
}

function heapLoop(times: number): number {
  const random = randomStream(1, 'bench')
  const delays = Float64Array.from({ length: 4096 }, () => 1 + random.below(1_000_000))
  const heap = new BinaryHeap()
  for (let i = 0; i < PENDING; i += 1) heap.push(present(delays[i % 4096]), null)
  for (let i = 0; i < times; i += 1) heap.push(heap.pop() + present(delays[i % 4096]), null)
  return times
}

function median(values: readonly number[]): number {
  return get(
    values.toSorted((a, b) => a - b),
    Math.floor(values.length / 2),
  )
}

const millions = (perSecond: number) => `${(perSecond / 1e6).toFixed(2)} million/s`

const rates: { simulator: number; heap: number }[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const simulation = run('raymond', PENDING, 60_000, 'closed:200000')
  const simulator = timed(() => simulation.runToEnd().events)
  const heap = timed(() => heapLoop(2_000_000))
  rates.push({ simulator: simulator.count / simulator.seconds, heap: heap.count / heap.seconds })
}
const simulator = median(rates.map((rate) => rate.simulator))
const heap = median(rates.map((rate) => rate.heap))
process.stdout.write(`simulator, raymond, ${PENDING} nodes, ${PENDING} events under way, median of ${ROUNDS}
  events                 ${millions(simulator)}
  binary heap, pop+push  ${millions(heap)}
  ratio                  ${(simulator / heap).toFixed(2)}
`)

const broadcast = timed(() => run('ricart-agrawala', 1000, 100, 'heavy').runToEnd().events)
process.stdout.write(`ricart-agrawala, 1,000 nodes, 100 entries, heavy load
  ${broadcast.count.toLocaleString('en-US')} events in ${broadcast.seconds.toFixed(2)} s
`)

const searches = Array.from({ length: SEARCHES }, () => {
  const search = new Search(instanceOf('lamport', 3), {
    mostStates: 10_000_000,
    edges: true,
    followFences: false,
  })
  const { seconds } = timed(() => {
    while (!search.run(100_000));
    return search.states
  })
  return { search, perSecond: search.states / seconds }
})
const { search } = get(searches, 0)
const known = search.store.memory / search.states
const steps = (search.edges?.memory ?? 0) / search.states
process.stdout.write(`checker, lamport, 3 nodes, one request each, fifo, median of ${SEARCHES}
  different states       ${search.states.toLocaleString('en-US')}
  states                 ${Math.round(median(searches.map(({ perSecond }) => perSecond))).toLocaleString('en-US')}/s
  memory                 ${Math.round(known + steps)} bytes per state, ${Math.round(known)} without the steps between them
`)

/** States per second by one thread and by two, one after the other in the same run. */
async function searchedByBoth(line: string): Promise<{ states: number; one: number; two: number }> {
  const [name, ...words] = atLeast(1, line.split(' '))
  const options = addCheckOptions(new Command()).parse(words, { from: 'user' }).opts<CheckOptions>()
  const { instance, mostStates } = instanceFrom(algorithmNamed(name), options)
  const begun = () => new Search(instance, { mostStates, edges: true, followFences: false })
  const rates: { one: number; two: number }[] = []
  const alone = begun()
  for (let round = 0; round < SEARCHES; round += 1) {
    const single = round === 0 ? alone : begun()
    const { seconds } = timed(() => {
      while (!single.run(5_000));
      return single.states
    })
    const thread = new CheckThread(name, options, CHECK_THREAD)
    while (!thread.isReady) await setTimeout(10)
    const shared = begun()
    const started = performance.now()
    await searchTogether(shared, thread, () => true)
    const together = (performance.now() - started) / 1000
    thread.stop()
    rates.push({ one: single.states / seconds, two: shared.states / together })
  }
  return {
    states: alone.states,
    one: median(rates.map(({ one }) => one)),
    two: median(rates.map(({ two }) => two)),
  }
}

for (const line of ['lamport', 'ricart-agrawala --nodes 4 --requests any --max-states 1000000']) {
  const { states, one, two } = await searchedByBoth(line)
  process.stdout.write(`checker, ${line}, ${states.toLocaleString('en-US')} states, median of ${SEARCHES}
  one worker             ${Math.round(one).toLocaleString('en-US')}/s
  two workers            ${Math.round(two).toLocaleString('en-US')}/s
  ratio                  ${(two / one).toFixed(2)}
`)
}

const huge = timed(() => run('raymond', 1_000_000, 10_000, 'light').runToEnd().events)
const { rss } = process.memoryUsage()
process.stdout.write(`raymond, 1,000,000 nodes, 10,000 entries, light load
  ${huge.count.toLocaleString('en-US')} events in ${huge.seconds.toFixed(2)} s, ${Math.round(rss / 1e6)} MB resident at most so far
`)

const zoned = isOnce ? 10_000 : 100_000
const began = process.cpuUsage()
const composed = run('composed', 1_000_000, zoned, 'light', ['zones=1000', 'inner=raymond']).runToEnd()
const { user, system } = process.cpuUsage(began)
process.stdout.write(`composed, 1,000,000 nodes in 1,000 zones, raymond within, ${zoned.toLocaleString('en-US')} entries, light load
  ${composed.events.toLocaleString('en-US')} events in ${((user + system) / 1e6).toFixed(2)} s of processor time
`)
