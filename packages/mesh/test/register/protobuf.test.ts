import { expect, test } from 'vitest'
import { casRequest, changeIn, keysIn, rangeRequest } from '../../src/register/etcd-messages.ts'
import { fieldsOf, message } from '../../src/register/protobuf.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test.each([0n, 1n, 127n, 128n, 300n, 2n ** 28n - 1n, 2n ** 28n, 2n ** 53n + 1n, 2n ** 63n - 1n])(
  'the number %d comes back',
  (number) => {
    expect([...fieldsOf(message([6, number]))]).toEqual([[6, number]])
  },
)

test('texts and messages come back, in their order', () => {
  const inner = message([1, 'ключ'], [20, 'x'.repeat(200)])
  const read = [...fieldsOf(message([2, inner], [1, ''], [3, 7n]))]
  expect(read).toEqual([
    [2, inner],
    [1, Buffer.alloc(0)],
    [3, 7n],
  ])
})

test('the bytes are those of the specification', () => {
  expect(message([1, 150n], [2, 'testing'])).toEqual(hex('08 96 01 12 07 74 65 73 74 69 6e 67'))
})

test('fields of other kinds are left out', () => {
  // A number of 64 bits, one of 32 bits, and a 1.
  expect([...fieldsOf(hex('09 0102030405060708 15 01020304 18 01'))]).toEqual([[3, 1n]])
})

test.each(['08', '0880', '0a02 61', '09 01', '15 01', '0b', '08 ffffffffffffffffffffff01'])(
  'no message: %s',
  (bytes) => {
    expect(() => [...fieldsOf(hex(bytes))]).toThrow()
  },
)

test('what is asked of etcd', () => {
  expect(rangeRequest({ key: Buffer.from('a'), end: Buffer.from('b') })).toEqual(hex('0a01 61 1201 62'))
  expect(rangeRequest({ key: Buffer.from('a'), keysOnly: true })).toEqual(hex('0a01 61 4001'))
  expect(casRequest('a', '9', null)).toEqual(hex('0a07 1002 1a01 61 3009 1205 1a03 0a01 61'))
  expect(casRequest('a', '0', 'v')).toEqual(hex('0a07 1002 1a01 61 3000 1208 1206 0a01 61 1201 76'))
})

test('what etcd answers', () => {
  const header = message([1, 14_841_639_068_965_178_418n], [3, 9_007_199_254_740_993n])
  const row = message([1, 'a/b'], [2, 5n], [3, 9_007_199_254_740_993n], [5, '"ü"'])
  expect(keysIn(message([1, header], [2, row], [4, 1n]))).toEqual([
    { key: 'a/b', value: '"ü"', revision: '9007199254740993' },
  ])
  expect(keysIn(message([1, header]))).toEqual([])
  expect(changeIn(message([1, header], [2, 1n]))).toBe('9007199254740993')
  expect(changeIn(message([1, header]))).toBe(null)
})
