import { type BrokenVariant, comingLater, renamed } from '../src/broken-variant.ts'
import { ricartAgrawalaMembership } from '../src/permission/ricart-agrawala-membership.ts'
import type { Message, Place, State } from '../src/permission/ricart-agrawala-membership-state.ts'

const { receive } = ricartAgrawalaMembership

/** The sponsor goes on as if everyone had acknowledged. */
function dontWait(node: State, here: Place): void {
  const { ours, awaiting } = node
  if (node.question !== 'insert') return
  for (const other of awaiting) receive.ack(node, here, { type: 'ack', number: ours }, other)
}

/** What makes nobody a participant, and asks for no participant. */
function withoutLooking(node: State, { setup }: Place, handle: () => void): void {
  const { names } = node
  node.names = Array.from({ length: setup.nodes }, (_, name) => name)
  handle()
  node.names = names
}

export const variant: BrokenVariant = {
  algorithm: renamed<typeof ricartAgrawalaMembership>(
    'ricart-agrawala-membership-unacknowledged',
    comingLater(
      {
        ...ricartAgrawalaMembership,
        release(node, here) {
          ricartAgrawalaMembership.release(node, here)
          dontWait(node, here)
        },
        receive: {
          ...receive,
          join(node, here, message, from) {
            receive.join(node, here, message, from)
            dontWait(node, here)
          },
          reply(node, here, message, from) {
            receive.reply(node, here, message, from)
            dontWait(node, here)
          },
          request: (node, here, message: Extract<Message, { type: 'request' }>, from) =>
            withoutLooking(node, here, () => receive.request(node, here, message, from)),
          include: (node, here, message: Extract<Message, { type: 'include' }>, from) =>
            withoutLooking(node, here, () => receive.include(node, here, message, from)),
        },
      },
      1,
      0,
    ),
  ),
  of: 'ricart-agrawala-membership',
  published: 'ricart-agrawala-1981 §7.2.2',
  fails: 'exclusion',
  rule:
    'The sponsor broadcasts the identity of the new node and releases mutual exclusion. No node acknowledges. ' +
    'Every node tells its number and answers requests, even to a node it does not know. By 7.4 it may refuse, ' +
    'but need not.',
  failure:
    'The new node has its list and the highest number, and enters. A node that has not yet heard of it asks only ' +
    'the others, and enters too.',
  repair: 'The sponsor releases when all nodes have acknowledged, including the new one.',
  instance: { nodes: 3, requests: 1, channels: 'unordered' },
}
