import type { Algorithm, NodeId } from '@turnwise/core/algorithm'
import { FENCE, FENCE_VALUE, toyFacts } from './toy-desk.ts'

interface ClubState {
  /** What the host told it, in order. */
  told: string[]
  members: NodeId[]
  /** Farewells that were not acknowledged yet. */
  farewells: number
  serial: number
}

type ClubMessage = { readonly type: 'farewell' } | { readonly type: 'well' } | { readonly type: 'coming?' }

/**
 * Membership: writes down which nodes come and go. A node that asks enters at once. A node that leaves says so to those
 * it knows and waits until they have answered.
 */
export const club: Algorithm<ClubState, ClubMessage> = {
  facts: toyFacts('club', { topology: 'connected', faults: ['add', 'remove', 'link', 'unlink'] }),
  options: {},
  shapes: {
    state: { told: 'data', members: { list: 'node' }, farewells: 'data', serial: FENCE_VALUE },
    messages: { farewell: {}, well: {}, 'coming?': {} },
    fence: FENCE,
  },
  init: (self, { topology, absent }) => ({
    told: [],
    members: topology.neighbours(self).filter((peer) => !absent.includes(peer) && !absent.includes(self)),
    farewells: 0,
    serial: 0,
  }),
  start: (node) => void node.told.push('start'),
  request(node, here) {
    node.serial += 1
    here.enter(node.serial)
  },
  release: () => {},
  receive: {
    farewell: (_node, here, _farewell, from) => here.send(from, { type: 'well' }),
    well(node) {
      node.farewells -= 1
    },
    'coming?': () => {},
  },
  undelivered: (node, _here, to, { type }) => void node.told.push(`${type} to ${to} came back`),
  restart: (node) => void node.told.push('restart'),
  join(node, here, sponsor) {
    node.told.push(`join ${sponsor}`)
    if (sponsor !== null) here.send(sponsor, { type: 'coming?' })
  },
  leave(node, here) {
    node.told.push('leave')
    node.farewells = node.members.length
    for (const member of node.members) here.send(member, { type: 'farewell' })
  },
  linked: (node, _here, peer) => hear(node, 'linked', peer),
  unlinked: (node, _here, peer) => hear(node, 'unlinked', peer),
}

function hear(node: ClubState, what: 'linked' | 'unlinked', peer: NodeId): void {
  node.told.push(`${what} ${peer}`)
  node.members = node.members.filter((member) => member !== peer)
  if (what === 'linked') node.members.push(peer)
}

export function toldTo(state: object): readonly string[] {
  return (state as ClubState).told
}
