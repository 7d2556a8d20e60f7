/**
 * Checks the bytes of a frame before they are decoded. The decoder supports extensions (dates, sets, compiled records) that no
 * message uses, and allocates what a length says. So this accepts only nil, booleans, numbers, texts, lists, and maps with texts
 * as keys. No list is longer than the remaining bytes, and nothing is nested deeply.
 */
import { isUtf8 } from 'node:buffer'
import { byteAt } from '@turnwise/core/bounds'
import { BadFrame } from './bad-frame.ts'

const DEEPEST = 24

/** This key would reach the prototype of the decoded object. */
const PROTO = Buffer.from('__proto__')

/** Throws BadFrame unless the bytes are exactly one value of these kinds. */
export function requireWellFormed(bytes: Uint8Array): void {
  const end = new Scan(bytes).value(0, DEEPEST)
  if (end !== bytes.length) throw new BadFrame(`${bytes.length - end} bytes follow the message`)
}

/** In a text of so many bytes it is quicker to see at each that it is ASCII than to ask. */
const SHORT = 64

class Scan {
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Where the value that begins at `at` ends. */
  value(at: number, depth: number): number {
    const tag = this.#byte(at)
    if (tag < 0x80 || tag >= 0xe0) return at + 1
    if (tag < 0x90) return this.#map(at + 1, tag & 0x0f, depth)
    if (tag < 0xa0) return this.#list(at + 1, tag & 0x0f, depth)
    if (tag < 0xc0) return this.#text(at + 1, tag & 0x1f)
    switch (tag) {
      case 0xc0: // nil
      case 0xc2: // false
      case 0xc3: // true
        return at + 1
      case 0xcc: // 8-bit numbers
      case 0xd0:
        return this.#skip(at + 1, 1)
      case 0xcd: // 16-bit numbers
      case 0xd1:
        return this.#skip(at + 1, 2)
      case 0xce: // 32-bit numbers
      case 0xd2:
        return this.#skip(at + 1, 4)
      case 0xcb: // double
        return this.#skip(at + 1, 8)
      case 0xd9:
        return this.#text(at + 2, this.#number(at + 1, 1))
      case 0xda:
        return this.#text(at + 3, this.#number(at + 1, 2))
      case 0xdb:
        return this.#text(at + 5, this.#number(at + 1, 4))
      case 0xdc:
        return this.#list(at + 3, this.#number(at + 1, 2), depth)
      case 0xdd:
        return this.#list(at + 5, this.#number(at + 1, 4), depth)
      case 0xde:
        return this.#map(at + 3, this.#number(at + 1, 2), depth)
      case 0xdf:
        return this.#map(at + 5, this.#number(at + 1, 4), depth)
      default:
        throw new BadFrame(`unsupported value of kind 0x${tag.toString(16)}`)
    }
  }

  #list(at: number, length: number, depth: number): number {
    requireDepth(depth)
    let position = at
    for (let item = 0; item < length; item += 1) position = this.value(position, depth - 1)
    return position
  }

  #map(at: number, length: number, depth: number): number {
    requireDepth(depth)
    let position = at
    for (let item = 0; item < length; item += 1) position = this.value(this.#key(position), depth - 1)
    return position
  }

  #key(at: number): number {
    const tag = this.#byte(at)
    const isText = (tag >= 0xa0 && tag < 0xc0) || (tag >= 0xd9 && tag <= 0xdb)
    if (!isText) throw new BadFrame('a key is not a text')
    const end = this.value(at, 0)
    const start = at + (tag < 0xc0 ? 1 : 1 + (1 << (tag - 0xd9)))
    if (end - start === PROTO.length && PROTO.equals(this.#bytes.subarray(start, end))) {
      throw new BadFrame('a key is __proto__')
    }
    return end
  }

  #text(at: number, length: number): number {
    const end = this.#skip(at, length)
    const bytes = this.#bytes
    let position = at
    if (length <= SHORT) while (position < end && byteAt(bytes, position) < 0x80) position += 1
    if (position < end && !isUtf8(bytes.subarray(position, end))) throw new BadFrame('a text is not UTF-8')
    return end
  }

  #byte(at: number): number {
    if (at >= this.#bytes.length) throw new BadFrame('the message is cut short')
    return byteAt(this.#bytes, at)
  }

  #number(at: number, width: 1 | 2 | 4): number {
    this.#skip(at, width)
    let number = 0
    for (let position = at; position < at + width; position += 1)
      number = number * 256 + byteAt(this.#bytes, position)
    return number
  }

  #skip(at: number, length: number): number {
    const end = at + length
    if (end > this.#bytes.length) throw new BadFrame('the message is cut short')
    return end
  }
}

function requireDepth(depth: number): void {
  if (depth === 0) throw new BadFrame(`values nest deeper than ${DEEPEST}`)
}
