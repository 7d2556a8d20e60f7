/**
 * How the state of a voter is written: one line that says what this is, in which format, and the checksum of the rest,
 * then the state as JSON. It is small, it is written rarely, and an operator may want to read it.
 */
import { createHash } from 'node:crypto'
import type { Durable } from '../protocol/record.ts'
import { durableCheck } from '../transport/codec.ts'

const MARK = 'turnwise-state'
const FORMAT = 1

export function writeState(durable: Durable): string {
  const body = `${JSON.stringify(durable)}\n`
  return `${MARK} ${FORMAT} sha256:${checksum(body)}\n${body}`
}

/** The state, or in words what is wrong with the file. */
export function readState(content: string): Durable | string {
  const end = content.indexOf('\n')
  const [mark, format, sum] = content.slice(0, Math.max(0, end)).split(' ')
  if (mark !== MARK)
    return content === '' ? 'it is empty' : 'it is no state of turnwise, or its beginning is lost'
  if (!/^\d+$/.test(format ?? '')) return 'its first line is damaged'
  if (Number(format) !== FORMAT) return `it has format ${format}, and this version reads format ${FORMAT}`
  const body = content.slice(end + 1)
  if (sum !== `sha256:${checksum(body)}`) return 'its checksum is wrong: it is cut short or altered'
  return parsed(body)
}

function parsed(body: string): Durable | string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return 'it is not JSON'
  }
  return durableCheck(value) ?? (value as Durable)
}

function checksum(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}
