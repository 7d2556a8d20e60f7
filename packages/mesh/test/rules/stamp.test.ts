import { describe, expect, test } from 'vitest'
import { SOUND } from '../../broken/under.ts'
import { begun, provenBy } from './proof.ts'

describe('R19 the stamp of a voter', () => {
  test('owes from the last ack on, if the stamp of its last life tells when that was', () => {
    const script = begun(['a', 'b', 'c'], SOUND)
    script.now = 40
    script.restart('b', 30)
    expect(script.node('b').owed).toEqual({ 'a1.1': 110, 'c1.1': 110 })
    // A clock that jumped tells nothing of the last life.
    script.now = 50
    script.do('b', { kind: 'slept' })
    expect(script.node('b').owed).toEqual({ 'a1.1': 150, 'c1.1': 150 })
  })

  provenBy('stamps-late', 'the stamp is never before an ack that has left', (rules) => {
    let until = Number.NEGATIVE_INFINITY
    for (const now of [0, 3, 19, 20, 21, 22, 60]) {
      const next = rules.stamp(until, now, 20)
      expect(next).toBeGreaterThanOrEqual(Math.max(until, now))
      expect(next).toBeLessThanOrEqual(now + 20)
      until = next
    }
  })
})
