import { Buffer } from 'node:buffer'
import { byteAt, get } from '@turnwise/core/bounds'
import { BadFrame } from './bad-frame.ts'

const KNOWN = 1024

/**
 * A cache of names and other texts that were read lately. Finding a text is faster than making it, and so are later lookups of it
 * in maps.
 */
export class KnownTexts {
  readonly #texts: string[] = Array.from({ length: KNOWN }, () => '')

  at(bytes: Uint8Array, start: number, length: number): string {
    let hash = length
    let all = 0
    for (let i = start; i < start + length; i += 1) {
      hash = (Math.imul(hash, 31) + byteAt(bytes, i)) | 0
      all |= byteAt(bytes, i)
    }
    if (all > 0x7f) throw new BadFrame('a text that is marked as ASCII is not')
    const place = (hash ^ (hash >>> 10)) & (KNOWN - 1)
    const known = get(this.#texts, place)
    if (isText(known, bytes, start, length)) return known
    const text = textOf(bytes, start, start + length)
    this.#texts[place] = text
    return text
  }
}

/** UTF-8, of which ASCII is a part. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString()
}

function isText(text: string, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false
  for (let i = 0; i < length; i += 1) if (text.charCodeAt(i) !== bytes[start + i]) return false
  return true
}
