import { expect, test } from 'vitest'
import { withDuration } from '../src/rooms/theatre/webm-duration.ts'

const bytes = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(' ', ''), 'hex'))
const HEADER = '1a45dfa3 84 42868101'
const SEGMENT = '18538067 01ffffffffffffff'
const CLUSTER = '1f43b675 ff e78100'

test('the duration is written into the head of a film', () => {
  const file = bytes(`${HEADER} ${SEGMENT} 1549a966 87 2ad7b1830f4240 ${CLUSTER}`)
  const info = '1549a966 0100000000000012 2ad7b1830f4240 448988 40a7700000000000'
  expect(withDuration(file, 3000)).toEqual(bytes(`${HEADER} ${SEGMENT} ${info} ${CLUSTER}`))
  // It is there now.
  expect(withDuration(withDuration(file, 3000), 4000)).toEqual(withDuration(file, 3000))
})

test.each([
  ['nothing', ''],
  ['no film', '48656c6c6f'],
  ['a head without information', `${HEADER} ${SEGMENT} ${CLUSTER}`],
  ['a segment that says how long it is', `${HEADER} 18538067 8c 1549a966 87 2ad7b1830f4240 ${CLUSTER}`],
])('%s is left as it is', (_, text) => {
  expect(withDuration(bytes(text), 3000)).toEqual(bytes(text))
})
