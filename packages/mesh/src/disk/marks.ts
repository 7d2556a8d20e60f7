/** Marks made with a key (R20). The key is made with the directory, never leaves it, and is part of every copy of it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Progress } from '../protocol/record.ts'
import type { Marks } from '../protocol/state.ts'

export function newKey(): string {
  return randomBytes(32).toString('base64url')
}

export function marksOf(key: string): Marks {
  // Every heartbeat has a mark, and it seldom changes.
  let last = { text: '', mark: '' }
  const of = ({ k, promised, accepted }: Progress): string => {
    const text = `${k} ${promised} ${accepted}`
    if (last.text !== text) last = { text, mark: hmac(key, text) }
    return last.mark
  }
  return {
    of,
    isOwn({ mark, k, promised, accepted }) {
      const own = Buffer.from(hmac(key, `${k} ${promised} ${accepted}`))
      const shown = Buffer.from(mark)
      return own.length === shown.length && timingSafeEqual(own, shown)
    },
  }
}

/** The first 128 bits. */
function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest().subarray(0, 16).toString('base64url')
}
