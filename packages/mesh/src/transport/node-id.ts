/** The id of a node as a program gives it. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Id } from '../protocol/record.ts'
import { isUnicode, shown } from './checks.ts'
import { id as isId } from './lease-codec.ts'

/** Ids are in every heartbeat. Peers close the connection at one that they cannot read, and the node would lose its locks. */
export function requireId(id: unknown): Id {
  const complaint = isId(id) ?? (isUnicode(String(id)) ? null : `${shown(id)} is not Unicode`)
  if (complaint !== null) throw new InvalidInput(`the id of a node: ${complaint}`)
  return id as Id
}
