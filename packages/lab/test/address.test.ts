import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readAddress, writeAddress } from '../src/shell/address.ts'

test('an address is read as it was written', () => {
  const name = fc.string({ minLength: 1 })
  fc.assert(
    fc.property(fc.string(), fc.dictionary(name, name), (room, query) => {
      const address = { room, query: { ...query } }
      expect(readAddress(writeAddress(address))).toEqual(address)
    }),
  )
})

test('it stays readable, and leaves out what is not said', () => {
  const query = { algorithm: 'maekawa', latency: 'uniform:1,2', fault: undefined, set: '' }
  expect(writeAddress({ room: 'theatre', query })).toBe('#/theatre?algorithm=maekawa&latency=uniform:1,2')
})

test('what somebody typed does not throw', () => {
  expect(readAddress('')).toEqual({ room: '', query: {} })
  expect(readAddress('#')).toEqual({ room: '', query: {} })
  expect(readAddress('#/%zz?a=%zz')).toEqual({ room: '%zz', query: { a: '%zz' } })
})
