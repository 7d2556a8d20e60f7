import { describe, expect, test, vi } from 'vitest'
import { LeaseMemory } from '../../src/lease/shared-memory.ts'

const SLOT = 3
const TAG = 17

describe('the race between the thread that acknowledges and the one that closes', () => {
  test('the thread that closes sees the debt of the thread that acknowledges, in every order of their steps', () => {
    let acknowledged = 0
    let refused = 0
    // `owe` is three operations: look, write, look again. Closing is two: forbid, then read.
    for (let forbidAt = 0; forbidAt <= 3; forbidAt += 1) {
      for (let readAt = forbidAt; readAt <= 3; readAt += 1) {
        const memory = new LeaseMemory()
        memory.allow(SLOT, TAG)
        let debt: number | null = null
        const forbid = () => memory.forbid(SLOT)
        const read = () => {
          debt = memory.owed(SLOT)
        }
        const steps: Record<number, () => void> = {}
        const put = (at: number, step: () => void) => {
          const earlier = steps[at]
          steps[at] = () => {
            earlier?.()
            step()
          }
        }
        put(forbidAt, forbid)
        put(readAt, read)
        const sent = oweBetween(memory, steps)
        if (forbidAt === 3) forbid()
        if (readAt === 3) read()
        if (sent) acknowledged += 1
        else refused += 1
        expect(sent && debt === null, `forbidden before step ${forbidAt}, read before step ${readAt}`).toBe(
          false,
        )
      }
    }
    expect(acknowledged).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(0)
  })

  test('whom the other thread has forbidden is not acknowledged', () => {
    const memory = new LeaseMemory()
    memory.allow(SLOT, TAG)
    memory.forbid(SLOT)
    expect(memory.owe(SLOT, TAG, 500)).toBe(false)
    expect(memory.owed(SLOT)).toBeNull()
  })
})

/** Runs `owe` with steps of the other thread put before its atomic operations of these numbers. */
function oweBetween(memory: LeaseMemory, steps: Readonly<Record<number, () => void>>): boolean {
  let operation = 0
  let isInside = false
  const { load, store } = Atomics
  const between = () => {
    if (isInside) return
    isInside = true
    const number = operation
    operation += 1
    steps[number]?.()
    isInside = false
  }
  vi.spyOn(Atomics, 'load').mockImplementation((...given: Parameters<typeof load>) => {
    between()
    return load(...given)
  })
  vi.spyOn(Atomics, 'store').mockImplementation((...given: Parameters<typeof store>) => {
    between()
    return store(...given)
  })
  const sent = memory.owe(SLOT, TAG, 500)
  vi.restoreAllMocks()
  return sent
}

describe('what the threads share', () => {
  test('times are rounded against the node that relies on them', () => {
    const memory = new LeaseMemory()
    memory.acknowledged(1, 0, 10.0009)
    expect(memory.acked(1, 0)).toBe(10)
    memory.allow(SLOT, TAG)
    memory.owe(SLOT, TAG, 10.0001)
    expect(memory.owed(SLOT)).toBe(10.001)
  })

  test('an earlier ack does not take back a later one, and lives are kept apart', () => {
    const memory = new LeaseMemory()
    memory.acknowledged(1, 0, 20)
    memory.acknowledged(1, 0, 10)
    expect(memory.acked(1, 0)).toBe(20)
    expect(memory.acked(2, 0)).toBeNull()
    memory.beginLife(1)
    expect(memory.acked(1, 0)).toBeNull()
  })

  test('a tag tells sessions apart that use one slot in turn', () => {
    const memory = new LeaseMemory()
    memory.allow(SLOT, TAG + 1)
    expect(memory.owe(SLOT, TAG, 500)).toBe(false)
    expect(memory.owe(SLOT, TAG + 1, 500)).toBe(true)
  })
})
