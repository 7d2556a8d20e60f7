/**
 * How `nishio-li-manning` gets over a node that fails and does not come back. Velazquez 1993, section 4, has the new token
 * wait for the ACKs of all: a node that is silent is asked again, since a controller that fails is expected back with
 * its memory. That is safe whatever happens, and stops everyone where one stays away. Of removal the survey says that it
 * takes little more. Our rule, with `detector`: whom the failure detector names is removed, as if it had said so itself.
 *
 * Why it is safe: whoever is dead has no token. What it has sent may be of a later age than any proposal, since who says
 * NACK outbids the proposer, and the NACK may be under way still. So nobody takes a token from one that is removed, an ACK
 * tells whom its sender has removed, and it counts where that includes all whom the proposer has removed: whoever has
 * acknowledged before is asked again (`nishio-li-manning-earlier-ack`).
 * It takes a detector that names the dead only: where it names one that is inside, or where a network splits and either
 * side names the other, there are two tokens. Why nobody starves: every silence that an inquiry, a recovery or a
 * departure waits for ends with an answer or with this.
 *
 * A regeneration costs 2(n-2) messages if the failure was noticed before. Nobody may know how often the one that failed
 * has entered, so a new token has the fences of its age.
 *
 * Whoever comes back was replaced, and its token with it: it asks all others, like one without memory, whatever it
 * remembers (`nishio-li-manning-returns-with-token`). That holds if all have noticed its failure by then, so it is not
 * claimed.
 */
import type { Algorithm, Here, NodeId } from '@turnwise/core/algorithm'
import type { Message, Options, State } from './nishio-li-manning.ts'
import { finishRecovery, remind, startRecovery } from './nishio-li-manning-membership.ts'
import { ask, countAcks, inquire } from './nishio-li-manning-regeneration.ts'

type Rules = Algorithm<State, Message, Options>

export function withDetector(rules: Rules): Rules {
  const { receive, tokens } = rules
  return {
    ...rules,
    ...(tokens === undefined ? {} : { tokens: countingMembersOnly(tokens) }),
    suspect: remove,
    restore(node, _here, peer) {
      node.members[peer] = true
    },
    restart: startRecovery,
    receive: {
      ...receive,
      request(node, here, message, from) {
        // What the dead asked for before they died comes late: the token would be lost with them.
        if (node.members[from]) receive.request(node, here, message, from)
      },
      token(node, here, message, from) {
        if (node.members[from]) receive.token(node, here, message, from)
        else if (node.waiting && node.inquiry === null && node.recovery === null) ask(node, here)
      },
      ack(node, here, message, from) {
        const knows = node.members.every((isMember, other) => isMember || message.members?.[other] !== true)
        if (knows) receive.ack(node, here, message, from)
      },
    },
  }
}

function countingMembersOnly(tokens: NonNullable<Rules['tokens']>): NonNullable<Rules['tokens']> {
  return {
    held: (state) => tokens.held(state),
    carried: (message) => tokens.carried(message),
    isVoid: (message, receiver, from, to) =>
      !receiver.members[from] || tokens.isVoid?.(message, receiver, from, to) === true,
  }
}

/** Nobody need wait for it any longer. What was acknowledged while it may have had the token has to be so again. */
function remove(node: State, here: Here<Message, Options>, peer: NodeId): void {
  node.members[peer] = false
  finishRecovery(node, here)
  if (node.departure !== null) {
    // Perhaps it was the heir, and has handed the token on already: it is not given to another, but missed if it is lost.
    node.departure.bequest = null
    remind(node, here)
  }
  if (node.inquiry === null) return
  node.inquiry.granted.fill(null)
  inquire(node, here)
  countAcks(node, here, node.inquiry)
}
