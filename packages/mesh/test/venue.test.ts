import { afterEach, expect, test } from 'vitest'
import { MemoryEngine } from '../src/register/memory.ts'
import type { Register } from '../src/register/register.ts'
import { type Venue, venueAt } from '../src/venue.ts'

const opened: Venue[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((venue) => venue.close()))
})

async function secretAt(register: Register): Promise<unknown> {
  const venue = await venueAt(register, { listen: '127.0.0.1:0' })
  opened.push(venue)
  return venue.wiring.security?.secret
}

test('an engine that does not answer the first questions is asked again for the secret', async () => {
  const engine = new MemoryEngine()
  const register = engine.open('mesh')
  let unanswered = 2
  const busy: Register = {
    ...register,
    read: (cell) => {
      unanswered -= 1
      return unanswered < 0 ? register.read(cell) : Promise.reject(new Error('busy'))
    },
  }
  const secret = await secretAt(busy)
  expect(unanswered).toBeLessThan(0)
  expect(secret).toEqual(await secretAt(engine.open('mesh')))
})

test('a secret whose writing has no answer is read again, and is the same for all', async () => {
  const engine = new MemoryEngine()
  const register = engine.open('mesh')
  let outcomes = 0
  // The first is never done, and the second is, without a word.
  const lossy: Register = {
    ...register,
    cas: async (...change) => {
      outcomes += 1
      if (outcomes === 2) await register.cas(...change)
      return { kind: 'unknown', why: 'cut' }
    },
  }
  const secret = await secretAt(lossy)
  expect(outcomes).toBe(2)
  expect(secret).toEqual(await secretAt(engine.open('mesh')))
})
