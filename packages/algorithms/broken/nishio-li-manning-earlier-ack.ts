import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { nishioLiManning } from '../src/token/nishio-li-manning.ts'
import { making, nishioLiManningDetection } from '../src/token/nishio-li-manning-detection.ts'
import { countAcks } from '../src/token/nishio-li-manning-regeneration.ts'

const { facts, receive } = nishioLiManningDetection
const { request, token, ack } = nishioLiManning.receive

export const variant: BrokenVariant = {
  algorithm: renamed<typeof nishioLiManningDetection>('nishio-li-manning-earlier-ack', {
    ...nishioLiManningDetection,
    // A false alarm should do no harm, whenever it comes.
    facts: { ...facts, timers: { ...facts.timers, T: 'pace' } },
    suspect(node, here, peer) {
      node.members[peer] = false
      if (node.inquiry !== null) countAcks(node, making(node, here), node.inquiry)
    },
    receive: {
      ...receive,
      request,
      token,
      ack: (node, here, message, from) => ack(node, making(node, here), message, from),
    },
  }),
  of: 'nishio-li-manning-detection',
  published: null,
  fails: 'one-token',
  rule: 'A new token needs the ACKs of all nodes that have not failed, whenever they were sent.',
  failure:
    'The holder refuses a proposal, gives the token a later age, passes it on and fails. Its NACK is under way. ' +
    'But the proposer hears of the failure, has the ACKs of all others, and makes a second token.',
  repair:
    'Accept no token from a node that has failed. Count an ACK only if its sender knew of every failure that the ' +
    'proposer knows of.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', set: ['T=1'], crashes: 1 },
}
