/**
 * What is worked out from a node or an instance, and kept because it is asked for often. It is no part of the state: texts, audits
 * and deep copies pass over symbols, and it is worked out again. A spread takes symbols along, so no node or instance is spread.
 */
import type { Members } from './membership.ts'
import type { Electorate } from './partners.ts'
import type { Id, Roster } from './record.ts'
import type { Node } from './state.ts'
import type { Worlds } from './view-worlds.ts'

export const DERIVED = Symbol('derived')

export interface Derived {
  /** The last answers of `peersOf` and of `isVoter`, with their inputs. Records and lists are replaced, never changed. */
  peers: {
    readonly configured: readonly Id[]
    readonly begun: Roster | null
    readonly accepted: Roster | null
    readonly all: readonly Id[]
  } | null
  electorate: Electorate | null
  /** Of the view that it has begun last. */
  members: Members | null
  worlds: Worlds | null
  /** How many names a table has. A table never changes once it is made, and every tick asks for its size. */
  readonly sizes: WeakMap<object, number>
}

export function derived(node: Node): Derived {
  node[DERIVED] ??= { peers: null, electorate: null, members: null, worlds: null, sizes: new WeakMap() }
  return node[DERIVED]
}
