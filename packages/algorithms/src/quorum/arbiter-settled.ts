/**
 * Which messages of arbiter.ts make no difference any more, for `turnwise check --settle`: a FAIL or INQUIRE that its receiver ignores, because
 * it is inside or no longer has the request that the message names.
 *
 * Proof. Such a receipt changes nothing, so it commutes with every step. It stays so. A node that is inside stays inside until its request ends.
 * A later request has a larger time, because the clock of a node never falls.
 */
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import type { ArbiterMessage, ArbiterState } from './arbiter-state.ts'

interface UnderWay {
  readonly to: NodeId
  readonly message: ArbiterMessage
}

export function settled(
  states: readonly Pick<ArbiterState, 'ours'>[],
  underWay: readonly UnderWay[],
): boolean[] {
  return underWay.map(({ to, message }) => {
    const { ours } = get(states, to)
    const isIgnored = ours === null || ours.inside || ours.time !== message.time
    return isIgnored && (message.type === 'fail' || message.type === 'inquire')
  })
}
