/**
 * The members of the view that a node has begun, by id. To look at each of very many members takes longer than all else that most of
 * them do in a change of view. So a change only looks at those that leave and come.
 */
import { derived } from './derived.ts'
import type { Id, Member } from './record.ts'
import type { Node } from './state.ts'

export interface Members {
  readonly list: readonly Member[]
  readonly byId: Map<Id, Member>
  /** The list that was last made from this one, and how it differs. */
  next: Next | null
}

interface Next {
  readonly list: readonly Member[]
  readonly gone: readonly Id[]
  readonly come: readonly Member[]
}

export function memberOf(node: Node, id: Id): Member | undefined {
  return membersOf(node).byId.get(id)
}

/** Members that stay keep their places, and newcomers follow. */
export function membersAfter(node: Node, gone: readonly Id[], come: readonly Member[]): readonly Member[] {
  const before = membersOf(node)
  const list = [...before.list]
  for (const id of gone) {
    const member = before.byId.get(id)
    if (member !== undefined) list.splice(list.indexOf(member), 1)
  }
  list.push(...come)
  before.next = { list, gone, come }
  return list
}

function membersOf(node: Node): Members {
  const list = node.begun?.members ?? NOBODY
  const known = derived(node)
  const before = known.members
  if (before?.list === list) return before
  const byId = before?.next?.list === list ? changed(before.byId, before.next) : byIdOf(list)
  known.members = { list, byId, next: null }
  return known.members
}

const NOBODY: readonly Member[] = []

function byIdOf(members: readonly Member[]): Map<Id, Member> {
  return new Map(members.map((member) => [member.id, member]))
}

/** In place: nobody asks for the members of the view before any more. */
function changed(byId: Map<Id, Member>, { gone, come }: Next): Map<Id, Member> {
  for (const id of gone) byId.delete(id)
  for (const member of come) byId.set(member.id, member)
  return byId
}
