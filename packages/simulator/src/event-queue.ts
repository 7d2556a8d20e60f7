import { byteAt, doubled, floatAt, intAt } from '@turnwise/core/bounds'

/**
 * The pending events, earliest first; events of the same tick in the order in which they were scheduled, so
 * that a run is a function of its seed. A heap with four children per place over flat arrays: fewer levels
 * than a binary heap, and no object per event. What an event carries lies in a slot beside the heap.
 */
export class EventQueue {
  /** The event that `pop` took out. */
  time = 0
  kind = 0
  node = 0
  /** A second node (the sender of a message), or a number the kind gives meaning to. */
  other = 0
  /** The number of a message or of a timer. */
  id = 0
  payload: unknown = null

  length = 0
  #times = new Float64Array(INITIAL)
  #slots = new Int32Array(INITIAL)

  #order = new Float64Array(INITIAL)
  #kinds = new Uint8Array(INITIAL)
  #nodes = new Int32Array(INITIAL)
  #others = new Int32Array(INITIAL)
  #ids = new Float64Array(INITIAL)
  readonly #payloads: unknown[] = Array.from({ length: INITIAL }, () => null)
  #free = Int32Array.from({ length: INITIAL }, (_, slot) => slot)
  #scheduled = 0

  push(time: number, kind: number, node: number, other: number, id: number, payload: unknown): void {
    if (this.length === this.#times.length) this.#grow()
    const slot = intAt(this.#free, this.length)
    this.#scheduled += 1
    this.#order[slot] = this.#scheduled
    this.#kinds[slot] = kind
    this.#nodes[slot] = node
    this.#others[slot] = other
    this.#ids[slot] = id
    this.#payloads[slot] = payload

    // A new event is the last of its tick, so it rises only above strictly later ones.
    const times = this.#times
    const slots = this.#slots
    let place = this.length
    this.length += 1
    while (place > 0) {
      const above = (place - 1) >> 2
      if (floatAt(times, above) <= time) break
      times[place] = floatAt(times, above)
      slots[place] = intAt(slots, above)
      place = above
    }
    times[place] = time
    slots[place] = slot
  }

  /** Takes the earliest event out into the fields; false when there is none. */
  pop(): boolean {
    if (this.length === 0) return false
    const slot = intAt(this.#slots, 0)
    this.time = floatAt(this.#times, 0)
    this.kind = byteAt(this.#kinds, slot)
    this.node = intAt(this.#nodes, slot)
    this.other = intAt(this.#others, slot)
    this.id = floatAt(this.#ids, slot)
    this.payload = this.#payloads[slot]
    this.#payloads[slot] = null
    this.length -= 1
    this.#free[this.length] = slot
    if (this.length > 0) this.#sink(floatAt(this.#times, this.length), intAt(this.#slots, this.length))
    return true
  }

  /** When the earliest event is due; infinite when there is none. */
  get nextTime(): number {
    return this.length === 0 ? Number.POSITIVE_INFINITY : floatAt(this.#times, 0)
  }

  /**
   * Asks for every event, earliest first, when it is to happen: never, if the answer is null. All of them are moved for
   * that: it is for hands, not for rules.
   */
  edit(timeOf: (event: Pending) => number | null): void {
    const kept: { readonly event: Pending; readonly at: number }[] = []
    while (this.pop()) {
      const { time, kind, node, other, id, payload } = this
      const event = { time, kind, node, other, id, payload }
      const at = timeOf(event)
      if (at !== null) kept.push({ event, at })
    }
    for (const { event, at } of kept)
      this.push(at, event.kind, event.node, event.other, event.id, event.payload)
  }

  /** The pending events of these kinds, the earliest first. Nothing is moved. */
  listed(kinds: ReadonlySet<number>): Pending[] {
    const found: { readonly event: Pending; readonly order: number }[] = []
    for (let place = 0; place < this.length; place += 1) {
      const slot = intAt(this.#slots, place)
      const kind = byteAt(this.#kinds, slot)
      if (!kinds.has(kind)) continue
      const event = {
        time: floatAt(this.#times, place),
        kind,
        node: intAt(this.#nodes, slot),
        other: intAt(this.#others, slot),
        id: floatAt(this.#ids, slot),
        payload: this.#payloads[slot],
      }
      found.push({ event, order: floatAt(this.#order, slot) })
    }
    return found
      .toSorted((a, b) => a.event.time - b.event.time || a.order - b.order)
      .map(({ event }) => event)
  }

  /** Fills the hole at the top: the smaller child moves up until the last event fits. */
  #sink(time: number, slot: number): void {
    const times = this.#times
    const slots = this.#slots
    const order = this.#order
    const length = this.length
    const rank = floatAt(order, slot)
    let place = 0
    for (;;) {
      let child = 4 * place + 1
      if (child >= length) break
      const end = child + 4 < length ? child + 4 : length
      let least = child
      let leastTime = floatAt(times, child)
      for (child += 1; child < end; child += 1) {
        const childTime = floatAt(times, child)
        if (
          childTime < leastTime ||
          (childTime === leastTime &&
            floatAt(order, intAt(slots, child)) < floatAt(order, intAt(slots, least)))
        ) {
          least = child
          leastTime = childTime
        }
      }
      if (time < leastTime || (time === leastTime && rank < floatAt(order, intAt(slots, least)))) break
      times[place] = leastTime
      slots[place] = intAt(slots, least)
      place = least
    }
    times[place] = time
    slots[place] = slot
  }

  #grow(): void {
    const length = this.#times.length
    this.#times = doubled(this.#times)
    this.#slots = doubled(this.#slots)
    this.#order = doubled(this.#order)
    this.#kinds = doubled(this.#kinds)
    this.#nodes = doubled(this.#nodes)
    this.#others = doubled(this.#others)
    this.#ids = doubled(this.#ids)
    this.#free = doubled(this.#free)
    for (let slot = length; slot < 2 * length; slot += 1) {
      this.#free[slot] = slot
      this.#payloads.push(null)
    }
  }
}

/** An event outside the queue. */
export interface Pending {
  readonly time: number
  readonly kind: number
  readonly node: number
  readonly other: number
  readonly id: number
  readonly payload: unknown
}

/** Most runs have fewer events pending, and the room for a thousand takes longer to make than a short run. */
const INITIAL = 32
