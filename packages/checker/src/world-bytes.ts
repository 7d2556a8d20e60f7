import { byteAt, intAt } from '@turnwise/core/bounds'
import { MOST_NUMBERS } from './world-layout.ts'

// A world as bytes: its numbers one after the other, seven bits to a byte, the last byte of each below 128.

/** No number of 32 bits takes more than five bytes. */
export const MOST_BYTES = 5 * MOST_NUMBERS

/** Worlds one after the other, and how many bytes each takes. */
export interface WrittenWorlds {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly sizes: Uint16Array<ArrayBuffer>
}

/** Writes a world at a place and returns where it ends. */
export function encodeWorld(world: Int32Array, size: number, bytes: Uint8Array, start: number): number {
  let at = start
  for (let i = 0; i < size; i += 1) {
    let value = intAt(world, i)
    while (value >= 0x80) {
      bytes[at] = (value & 0x7f) | 0x80
      at += 1
      value >>>= 7
    }
    bytes[at] = value
    at += 1
  }
  return at
}

/** Reads the world between two places and returns how many numbers it has. */
export function decodeWorld(bytes: Uint8Array, start: number, end: number, world: Int32Array): number {
  let at = start
  let size = 0
  while (at < end) {
    let byte = byteAt(bytes, at)
    at += 1
    let value = byte & 0x7f
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = byteAt(bytes, at)
      at += 1
      value |= (byte & 0x7f) << shift
    }
    world[size] = value
    size += 1
  }
  return size
}
