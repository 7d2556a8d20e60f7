import type { Mode } from '@turnwise/core/algorithm'
import { describe, expect, test } from 'vitest'
import { present } from '../../test/present.ts'
import { Register } from '../src/fenced-register.ts'
import { History } from '../src/history.ts'
import { forgotten, judge, quietSince, unserved } from '../src/judges.ts'
import type { Access, Entry } from '../src/torture-messages.ts'

/** A log, written as it would be told. Each turn is known by its number; its node is a letter, its process a number. */
class Log {
  readonly #entries: Entry[] = []
  readonly #register = new Register()

  begins(id: string, life: number, at = 0): this {
    return this.#add({ is: 'begins', at, id, life })
  }

  asks(id: string, life: number, turn: number, at: number, mode: Mode = 'exclusive', name = 'L'): this {
    return this.#add({ is: 'asks', id, life, turn, name, mode, at })
  }

  granted(id: string, life: number, turn: number, at: number, until: number, fence: number): this {
    return this.#add({ is: 'granted', id, life, turn, at, until, fence: String(fence), stays: 5 })
  }

  beats(id: string, life: number, turn: number, at: number, until: number): this {
    const holds = [{ turn, until }]
    return this.#add({ is: 'beats', id, life, at, epoch: 1, members: [], hasLease: true, holds })
  }

  releases(id: string, life: number, turn: number, at: number): this {
    return this.#add({ is: 'releases', id, life, turn, at })
  }

  loses(id: string, life: number, turn: number, at: number): this {
    return this.#add({ is: 'loses', id, life, turn, at })
  }

  stolen(id: string, life: number, turn: number, at: number): this {
    return this.#add({ is: 'loses', id, life, turn, at, why: 'stolen' })
  }

  /** For one of two permits. */
  asksPermit(id: string, life: number, turn: number): this {
    return this.#add({ is: 'asks', id, life, turn, name: 'S', mode: 'exclusive', at: 0, permits: 2 })
  }

  /** For names of a group. */
  asksNames(id: string, life: number, turn: number, ...resources: readonly number[]): this {
    return this.#add({ is: 'asks', id, life, turn, name: 'G', mode: 'exclusive', at: 0, resources })
  }

  givesUp(id: string, life: number, turn: number, at: number): this {
    return this.#add({ is: 'gives-up', id, life, turn, at, why: 'TimeoutError' })
  }

  does(deed: 'kill' | 'stop', id: string, at: number): this {
    return this.#add({ is: 'does', at, deed: { do: deed, id, meets: null } })
  }

  /** What the register makes of it, unless another outcome is planted. */
  uses(id: string, life: number, access: Access, planted?: { taken: boolean; value: number }): this {
    return this.#add({ id, life, ...access, ...(planted ?? this.#register.access(access)) })
  }

  add(entry: Entry): this {
    return this.#add(entry)
  }

  #add(entry: Entry): this {
    this.#entries.push(entry)
    return this
  }

  get history(): History {
    const history = new History()
    for (const entry of this.#entries) history.add(entry)
    return history
  }

  get found(): string[] {
    return judge(this.history).map(({ judge: who, text }) => `${who}: ${text}`)
  }
}

/** Processes 1 of a and 2 of b, each with a turn of its own number. */
function two(mode: Mode = 'exclusive'): Log {
  return new Log().begins('a', 1).begins('b', 2).asks('a', 1, 1, 0, mode).asks('b', 2, 2, 0, mode)
}

const reads = (turn: number, fence: number, mode: Mode = 'exclusive'): Access => {
  return { is: 'reads', turn, name: 'L', mode, fence: String(fence) }
}
const writes = (turn: number, fence: number, value: number): Access => {
  return { is: 'writes', turn, name: 'L', fence: String(fence), value }
}

describe('the register and a thief', () => {
  const stolen = () =>
    two().granted('a', 1, 1, 10, 1000, 1).stolen('a', 1, 1, 20).granted('b', 2, 2, 20, 1000, 2)

  test('who was robbed and writes after the thief was there is refused, and that is well', () => {
    const log = stolen()
      .uses('a', 1, reads(1, 1))
      .uses('b', 2, reads(2, 2))
      .uses('a', 1, writes(1, 1, 1))
    expect(log.found).toEqual([])
  })

  test('if it were taken that is found', () => {
    const log = stolen().uses('b', 2, reads(2, 2))
    log.uses('a', 1, writes(1, 1, 1), { taken: true, value: 1 })
    expect(log.found).toEqual(['register: L: process 1 of a with fence 1 came after 2, and was taken'])
  })
})

describe('exclusion', () => {
  test('one after the other is well', () => {
    const log = two().granted('a', 1, 1, 10, 1000, 1).releases('a', 1, 1, 20).granted('b', 2, 2, 20, 1000, 2)
    expect(log.found).toEqual([])
  })

  test('two whose leases run are found, in whatever order it is heard', () => {
    const told =
      'process 1 of a alone with fence 1 from 10.0 to 1000.0; process 2 of b alone with fence 2 from 20.0 to 1000.0'
    expect(two().granted('a', 1, 1, 10, 1000, 1).granted('b', 2, 2, 20, 1000, 2).found).toEqual([
      `exclusion: L: ${told}: they hold it together`,
    ])
    expect(two().granted('b', 2, 2, 20, 1000, 2).granted('a', 1, 1, 10, 1000, 1).found).toHaveLength(1)
  })

  test('who shares is inside with those who share, and with nobody else', () => {
    const log = two('shared').granted('a', 1, 1, 10, 1000, 1).granted('b', 2, 2, 20, 1000, 1)
    expect(log.found).toEqual([])
    log.begins('c', 3).asks('c', 3, 3, 0).granted('c', 3, 3, 30, 1000, 2)
    expect(log.found).toHaveLength(1)
  })

  test('as many as there are permits are inside together, and no more', () => {
    const log = new Log()
    for (const life of [1, 2, 3])
      log.begins(present('abc'[life - 1]), life).asksPermit(present('abc'[life - 1]), life, life)
    log.granted('a', 1, 1, 10, 1000, 7).granted('b', 2, 2, 20, 1000, 5)
    expect(log.found).toEqual([])
    log.releases('a', 1, 1, 30).granted('c', 3, 3, 30, 1000, 8)
    expect(log.found).toEqual([])
    log.begins('d', 4).asksPermit('d', 4, 4).granted('d', 4, 4, 40, 1000, 9)
    expect(log.found).toEqual([
      'exclusion: S: process 2 of b alone with fence 5 from 20.0 to 1000.0; process 3 of c alone with fence 8 from 30.0 to ' +
        '1000.0; process 4 of d alone with fence 9 from 40.0 to 1000.0: they hold more permits than there are',
    ])
  })

  test('those with different names of a group are inside together, those with a common one never', () => {
    const log = new Log().begins('a', 1).begins('b', 2).begins('c', 3)
    log.asksNames('a', 1, 1, 0, 1).granted('a', 1, 1, 10, 100, 16)
    log.asksNames('b', 2, 2, 2).granted('b', 2, 2, 20, 100, 32)
    expect(log.found).toEqual([])
    log.asksNames('c', 3, 3, 1, 2).granted('c', 3, 3, 50, 100, 8)
    expect(log.found.map((text) => text.split(':')[0]).toSorted()).toContain('exclusion')
    expect(log.found.join('\n')).toContain('process 3 of c with names 1, 2 alone with fence 8')
    expect(log.found.join('\n')).toContain('they have fences that do not rise')
  })

  test('two permits never have the same fence, though they need not rise', () => {
    const log = new Log().begins('a', 1).begins('b', 2).asksPermit('a', 1, 1).asksPermit('b', 2, 2)
    log.granted('a', 1, 1, 10, 1000, 7).granted('b', 2, 2, 20, 1000, 7)
    expect(log.found).toEqual([
      'fence: S: process 1 of a alone with fence 7 from 10.0 to 1000.0; process 2 of b alone with fence 7 from 20.0 to ' +
        '1000.0: they have the same fence',
    ])
  })

  test('whom a lock was stolen from holds it no more: a thief that came before it was told is found', () => {
    const told = two().granted('a', 1, 1, 10, 1000, 1).stolen('a', 1, 1, 20).granted('b', 2, 2, 20, 1000, 2)
    expect(told.found).toEqual([])
    const early = two().granted('a', 1, 1, 10, 1000, 1).granted('b', 2, 2, 20, 1000, 2).stolen('a', 1, 1, 21)
    expect(early.found).toHaveLength(1)
  })

  test('two callers of one process exclude each other too', () => {
    const log = new Log().begins('a', 1).asks('a', 1, 1, 0).asks('a', 1, 2, 0)
    expect(log.granted('a', 1, 1, 10, 1000, 1).granted('a', 1, 2, 11, 1000, 2).found).toHaveLength(1)
  })

  test('names are apart', () => {
    const log = new Log()
      .begins('a', 1)
      .begins('b', 2)
      .asks('a', 1, 1, 0)
      .asks('b', 2, 2, 0, 'exclusive', 'M')
    expect(log.granted('a', 1, 1, 10, 1000, 1).granted('b', 2, 2, 20, 1000, 1).found).toEqual([])
  })

  test('a lease that has ended counts to its end, however late its holder finds out', () => {
    const stopped = two()
      .granted('a', 1, 1, 10, 100, 1)
      .granted('b', 2, 2, 150, 1000, 2)
      .loses('a', 1, 1, 900)
    expect(stopped.found).toEqual([])
    const tooEarly = two()
      .granted('a', 1, 1, 10, 100, 1)
      .granted('b', 2, 2, 99, 1000, 2)
      .loses('a', 1, 1, 900)
    expect(tooEarly.found).toHaveLength(1)
  })

  test('a renewal counts', () => {
    const log = two()
      .granted('a', 1, 1, 10, 100, 1)
      .beats('a', 1, 1, 60, 150)
      .granted('b', 2, 2, 120, 1000, 2)
    expect(log.found).toHaveLength(1)
  })

  test('who is killed holds no longer; who is stopped does', () => {
    const killed = two().granted('a', 1, 1, 10, 1000, 1).does('kill', 'a', 50).granted('b', 2, 2, 60, 1000, 2)
    expect(killed.found).toEqual([])
    const stopped = two()
      .granted('a', 1, 1, 10, 1000, 1)
      .does('stop', 'a', 50)
      .granted('b', 2, 2, 60, 1000, 2)
    expect(stopped.found).toHaveLength(1)
  })

  test('what a dead process said late counts only up to its death', () => {
    const log = two().does('kill', 'a', 50).granted('a', 1, 1, 10, 1000, 1).granted('b', 2, 2, 60, 1000, 2)
    expect(log.found).toEqual([])
    expect(log.asks('b', 2, 3, 0).granted('b', 2, 3, 40, 1000, 3).found.length).toBeGreaterThan(0)
  })

  test('a grant that was told when its lease was over says nothing', () => {
    const log = two().granted('b', 2, 2, 60, 1000, 2).granted('a', 1, 1, 70, 65, 1).loses('a', 1, 1, 71)
    expect(log.found).toEqual([])
  })
})

test('fences that do not rise are found', () => {
  const log = two().granted('a', 1, 1, 10, 1000, 5).releases('a', 1, 1, 20).granted('b', 2, 2, 30, 1000, 5)
  expect(log.found).toEqual([
    'fence: L: process 1 of a alone with fence 5 from 10.0 to 20.0; process 2 of b alone with fence 5 from 30.0 to 1000.0: they have fences that do not rise',
  ])
})

describe('the register', () => {
  const turns = () => two().granted('a', 1, 1, 10, 100, 1).uses('a', 1, reads(1, 1))

  test('refuses a caller that was too late, and that is well', () => {
    const log = turns()
      .granted('b', 2, 2, 150, 1000, 2)
      .uses('b', 2, reads(2, 2))
      .uses('a', 1, writes(1, 1, 1))
    log
      .loses('a', 1, 1, 170)
      .uses('b', 2, writes(2, 2, 1))
      .releases('b', 2, 2, 200)
    expect(log.found).toEqual([])
    expect(log.history.uses.map(({ taken }) => taken)).toEqual([true, true, false, true])
  })

  test('that takes what is stale is found, and the write that is lost by it', () => {
    const log = turns()
      .granted('b', 2, 2, 150, 1000, 2)
      .uses('b', 2, reads(2, 2))
      .uses('b', 2, writes(2, 2, 1))
    log.uses('a', 1, writes(1, 1, 1), { taken: true, value: 1 }).loses('a', 1, 1, 170)
    expect(log.found).toEqual([
      'register: L: process 1 of a with fence 1 came after 2, and was taken',
      'register: L: process 1 of a with fence 1 wrote 1 over 1: a write is lost',
    ])
  })

  test('that refuses one who holds the lock is found', () => {
    const log = turns()
      .uses('a', 1, writes(1, 1, 1), { taken: false, value: 0 })
      .releases('a', 1, 1, 20)
    expect(log.found).toEqual([
      'register: L: process 1 of a with fence 1 held the lock, and was refused: 1 was there before',
    ])
  })

  test('that changes under one who shares is found', () => {
    const shared = two('shared')
      .granted('a', 1, 1, 10, 1000, 1)
      .uses('a', 1, reads(1, 1, 'shared'))
    const same = () => shared.uses('a', 1, reads(1, 1, 'shared'))
    shared.uses('b', 2, writes(2, 2, 1))
    same().releases('a', 1, 1, 20)
    expect(shared.found).toEqual([
      'register: L: process 1 of a with fence 1 shared the lock, and saw 0 change to 1',
    ])
  })
})

test('a process that ended by itself, or met what it should not, is found', () => {
  const log = two().add({ is: 'ends', at: 5, id: 'a', life: 1, why: 'Error: x' })
  log.add({ is: 'trouble', id: 'b', life: 2, at: 6, text: 'InvalidStateError: y' })
  expect(log.found).toEqual(['member: a ended by itself: Error: x', 'member: b: InvalidStateError: y'])
})

test('a process that was not heard for too long was held up until it was', () => {
  const history = new History(500)
  const beat = (at: number, life = 1) =>
    history.add({ is: 'beats', id: 'a', life, at, epoch: 1, members: [], hasLease: true, holds: [] })
  history.add({ is: 'begins', at: 0, id: 'a', life: 1 })
  for (const at of [1000, 1100, 1600]) beat(at)
  expect(quietSince(history, 50)).toBe(50)
  beat(2101)
  expect(quietSince(history, 50)).toBe(2101)
  expect(quietSince(history, 3000)).toBe(3000)
  history.add({ is: 'stalled', at: 2500, milliseconds: 600 })
  expect(quietSince(history, 50)).toBe(2500)
  // Another process of the node was not there before.
  history.add({ is: 'begins', at: 5000, id: 'a', life: 2 })
  beat(9000, 2)
  expect(quietSince(history, 50)).toBe(2500)
})

describe('when the faults are over', () => {
  const served = (log: Log) => unserved(log.history, ['a', 'b'], ['L'], 100, 400).map(({ text }) => text)
  const waiting = (log: Log) => forgotten(log.history, 100, 400).map(({ text }) => text)

  test('a caller that was let in since, or gave up, is no concern', () => {
    const log = two()
      .granted('a', 1, 1, 150, 1000, 1)
      .releases('a', 1, 1, 160)
      .granted('b', 2, 2, 170, 1000, 2)
    expect(waiting(log)).toEqual([])
    expect(served(log)).toEqual([])
    expect(waiting(two().givesUp('a', 1, 1, 50).granted('b', 2, 2, 60, 1000, 1))).toEqual([])
  })

  test('a caller that waits since before is forgotten', () => {
    expect(waiting(two().granted('a', 1, 1, 150, 1000, 1))).toEqual([
      'L: process 2 of b asked (alone) 0.4 s ago, and waits still, though nothing was wrong for 0.3 s',
    ])
  })

  test('a caller that asked later, or died, is not', () => {
    const log = two().givesUp('a', 1, 1, 10).does('kill', 'b', 50).asks('a', 1, 3, 150)
    expect(waiting(log)).toEqual([])
  })

  test('a caller that was let in only before, or never, was not served', () => {
    const log = two().granted('a', 1, 1, 90, 1000, 1).releases('a', 1, 1, 160)
    expect(served(log)).toEqual([
      'L: a was not let in, though nothing was wrong for 0.3 s',
      'L: b was not let in, though nothing was wrong for 0.3 s',
    ])
  })
})

describe('a disk that a process must not go on with', () => {
  const started = (disk: 'clone' | 'old-copy') =>
    new Log().add({ is: 'begins', at: 0, id: 'a', life: 1, disk })
  const ends = (why: string): Entry => ({ is: 'ends', at: 5, id: 'a', life: 1, why })

  test('it says so and ends, which is well', () => {
    expect(started('clone').add(ends('Error: it belongs to node "b", not to node "a"')).found).toEqual([])
    expect(started('old-copy').add(ends('Error: the state of node a is an old copy')).found).toEqual([])
  })

  test('a node that joins with the directory of another is found', () => {
    const log = started('clone').add({ is: 'joined', at: 5, id: 'a', life: 1 })
    expect(log.found).toEqual(["member: a joined with a copy of another's disk"])
    // It was not old: nothing had happened since it was copied.
    expect(started('old-copy').add({ is: 'joined', at: 5, id: 'a', life: 1 }).found).toEqual([])
  })

  test('a node that ends for any other reason, or says that of a sound disk, is found', () => {
    expect(started('clone').add(ends('Error: x')).found).toEqual(['member: a ended by itself: Error: x'])
    const sound = new Log().begins('a', 1).add(ends('Error: it belongs to node "b"'))
    expect(sound.found).toEqual(['member: a ended by itself: Error: it belongs to node "b"'])
  })

  test('on a full disk it stops, until another process has room again', () => {
    const trouble = (life: number): Entry => ({ is: 'trouble', id: 'a', life, at: 9, text: 'Error: ENOSPC' })
    const log = new Log().begins('a', 1).add({ is: 'does', at: 1, deed: { do: 'fill', id: 'a' } })
    expect(log.add(trouble(1)).found).toEqual([])
    expect(log.begins('a', 2, 7).add(trouble(2)).found).toEqual(['member: a: Error: ENOSPC'])
  })
})
