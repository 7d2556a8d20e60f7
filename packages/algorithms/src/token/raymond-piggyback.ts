/**
 * Raymond 1989, here after Velazquez 1993, section 4: a node that passes the privilege on and asks for it back says
 * both in one message. The rest is as in `raymond`.
 *
 * Costs 2 to 3 messages per entry when all nodes ask. A lone request costs as much as in `raymond`.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import { sendingThrough } from '@turnwise/core/extension'
import type { Topology } from '@turnwise/core/topology'
import { type Message as BaseMessage, raymond, type State } from './raymond.ts'

export type Message =
  | BaseMessage
  /** Both at once: the sender asks for the privilege back. */
  | Both<{ readonly fence: number }>

export const raymondPiggyback: Algorithm<State, Message> = {
  ...raymond,
  facts: {
    ...raymond.facts,
    name: 'raymond-piggyback',
    title: 'Raymond tree, piggybacking',
    idea:
      'Raymond with fewer messages. A node that hands the token on while others wait behind it asks for it back at ' +
      'once, and says both in one message.',
    messages: {
      ...raymond.facts.messages,
      // Twice over each edge, as in `raymond`. A node that has others to serve asks in the same message; only a leaf
      // has none.
      heavy: (setup) => ({
        ...raymond.facts.messages.heavy(setup),
        mean: (2 * (setup.nodes - 1) + leaves(setup.topology)) / setup.nodes,
      }),
    },
  },
  shapes: {
    ...raymond.shapes,
    messages: { ...raymond.shapes.messages, 'privilege-and-request': raymond.shapes.messages.privilege },
  },
  tokens: {
    held: ({ fence }) => (fence === null ? 0 : 1),
    carried: ({ type }) => (type === 'request' ? 0 : 1),
  },

  request: (node, here, ask) => inOne(here, (place) => raymond.request(node, place, ask)),
  release: (node, here) => inOne(here, (place) => raymond.release(node, place)),
  receive: {
    request: (node, here, request, from) =>
      inOne(here, (place) => raymond.receive.request(node, place, request, from)),
    privilege: (node, here, privilege, from) =>
      inOne(here, (place) => raymond.receive.privilege(node, place, privilege, from)),
    'privilege-and-request': (node, here, { fence }, from) =>
      inOne(here, (place) => {
        raymond.receive.privilege(node, place, { type: 'privilege', fence }, from)
        raymond.receive.request(node, place, { type: 'request' }, from)
      }),
  },
}

/** The privilege message with a request added. */
export type Both<Privilege> = Omit<Privilege, 'type'> & { readonly type: 'privilege-and-request' }

type Saying = { readonly type: string }
type PrivilegeOf<M> = Extract<M, { readonly type: 'privilege' }>

/** A request that follows a privilege goes to the same node, the new HOLDER, so `act` sends both as one. */
export function inOne<M extends Saying>(
  here: Here<M | Both<PrivilegeOf<M>>>,
  act: (here: Here<M>) => void,
): void {
  const sent: { to: NodeId; message: M }[] = []
  act(sendingThrough<M, object>(here, (to, message) => void sent.push({ to, message })))
  sent.forEach(({ to, message }, place) => {
    if (message.type === 'request' && sent[place - 1]?.message.type === 'privilege') return
    if (message.type !== 'privilege' || sent[place + 1]?.message.type !== 'request') here.send(to, message)
    else here.send(to, { ...(message as PrivilegeOf<M>), type: 'privilege-and-request' })
  })
}

function leaves(topology: Topology): number {
  let count = 0
  for (let node = 0; node < topology.nodes; node += 1) if (topology.neighbours(node).length === 1) count += 1
  return count
}
