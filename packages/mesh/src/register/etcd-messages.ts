/** The messages of etcd's service KV, with the numbers of their fields from its rpc.proto, kv.proto and auth.proto. */
import { fieldsOf, message } from './protobuf.ts'

/** A key with a prefix, or all of a range. */
export interface Keys {
  readonly key: Buffer
  /** The first key after the range. */
  readonly end?: Buffer
  readonly keysOnly?: boolean
}

export interface KeyValue {
  readonly key: string
  readonly value: string
  /** The revision of its last change. */
  readonly revision: string
}

export function rangeRequest({ key, end, keysOnly = false }: Keys): Buffer {
  return message([1, key], ...(end ? [[2, end] as const] : []), ...(keysOnly ? [[8, 1n] as const] : []))
}

export function keysIn(answer: Buffer): KeyValue[] {
  const found: KeyValue[] = []
  for (const [number, value] of fieldsOf(answer)) if (number === 2) found.push(keyValue(bytesOf(value)))
  return found
}

function keyValue(bytes: Buffer): KeyValue {
  let [key, value, revision] = ['', '', '0']
  for (const [number, field] of fieldsOf(bytes)) {
    if (number === 1) key = bytesOf(field).toString()
    else if (number === 3) revision = String(field)
    else if (number === 5) value = bytesOf(field).toString()
  }
  return { key, value, revision }
}

/** The target of a comparison. */
const MOD_REVISION = 2n

/** Replaces the key if its last change was this revision. 0: it is absent. `value` null: deletes it. */
export function casRequest(key: string, revision: string, value: string | null): Buffer {
  const compare = message([2, MOD_REVISION], [3, key], [6, BigInt(revision)])
  const change =
    value === null ? message([3, message([1, key])]) : message([2, message([1, key], [2, value])])
  return message([1, compare], [2, change])
}

/** What every answer begins with. */
export interface Header {
  readonly cluster: bigint
  /** Of the whole store, when the call was executed. */
  readonly revision: bigint
}

/** Null if the answer has none. */
export function headerIn(answer: Buffer): Header | null {
  for (const [number, value] of fieldsOf(answer)) if (number === 1) return headerFrom(bytesOf(value))
  return null
}

function headerFrom(bytes: Buffer): Header {
  let [cluster, revision] = [0n, 0n]
  for (const [number, value] of fieldsOf(bytes)) {
    if (number === 1) cluster = numberOf(value)
    else if (number === 3) revision = numberOf(value)
  }
  return { cluster, revision }
}

/** The revision of the change, or null if the comparison failed. */
export function changeIn(answer: Buffer): string | null {
  const { revision } = headerIn(answer) ?? { revision: 0n }
  // An answer that is empty by mistake is no refusal: the change may have happened.
  if (revision === 0n) throw new Error('an answer without a revision')
  for (const [number, value] of fieldsOf(answer)) if (number === 2 && value === 1n) return String(revision)
  return null
}

export function authenticateRequest(name: string, password: string): Buffer {
  return message([1, name], [2, password])
}

export function tokenIn(answer: Buffer): string {
  for (const [number, value] of fieldsOf(answer)) if (number === 2) return bytesOf(value).toString()
  throw new Error('an answer without a token')
}

function numberOf(value: bigint | Buffer): bigint {
  if (typeof value !== 'bigint') throw new Error('a text in place of a number')
  return value
}

function bytesOf(value: bigint | Buffer): Buffer {
  if (typeof value === 'bigint') throw new Error('a number in place of a text')
  return value
}
