/** The part of Google's Protocol Buffers that etcd's messages need: numbers that are not negative, bytes and texts, and messages. */

/** A field of a message: its number, and its value. A message is given as its bytes. */
export type Field = readonly [number: number, value: bigint | string | Uint8Array]

/** How a value is written. */
const VARINT = 0
const FIXED64 = 1
const LENGTH = 2
const FIXED32 = 5

export function message(...fields: readonly Field[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === 'bigint') return [varint(number * 8 + VARINT), varint(value)]
      const bytes = Buffer.from(value)
      return [varint(number * 8 + LENGTH), varint(bytes.length), bytes]
    }),
  )
}

function varint(value: number | bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) + 128)
  return Buffer.from([...bytes, Number(rest)])
}

/** The fields of a message in their order. Those of other kinds are left out. Throws if the message was cut short. */
export function* fieldsOf(bytes: Buffer): Generator<readonly [number: number, value: bigint | Buffer]> {
  for (let at = 0; at < bytes.length; ) {
    const [tag, afterTag] = readVarint(bytes, at)
    const [number, kind] = [Number(tag) >>> 3, Number(tag) & 7]
    at = afterTag
    if (kind === FIXED64) at += 8
    else if (kind === FIXED32) at += 4
    else {
      const [value, after] = readVarint(bytes, at)
      at = after
      if (kind === VARINT) yield [number, value]
      else if (kind === LENGTH) {
        at += Number(value)
        if (at <= bytes.length) yield [number, bytes.subarray(after, at)]
      } else throw new Error(`a field of kind ${kind}`)
    }
    if (at > bytes.length) throw new Error('a message that was cut short')
  }
}

function readVarint(bytes: Buffer, from: number): readonly [value: bigint, after: number] {
  // Nearly all numbers fit into 28 bits, and those are read without big integers.
  let small = 0
  for (let at = from; at < from + 4; at += 1) {
    const byte = bytes[at]
    if (byte === undefined) throw new Error('a message that was cut short')
    small += (byte & 127) * 2 ** (7 * (at - from))
    if (byte < 128) return [BigInt(small), at + 1]
  }
  let value = BigInt(small)
  for (let at = from + 4; at < from + 10; at += 1) {
    const byte = bytes[at]
    if (byte === undefined) throw new Error('a message that was cut short')
    value += BigInt(byte & 127) << BigInt(7 * (at - from))
    if (byte < 128) return [value, at + 1]
  }
  throw new Error('a number of more than 64 bits')
}
