import type { Algorithm } from '@turnwise/core/algorithm'
import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { type Message, type Options, type State, suzukiKasami } from '../src/token/suzuki-kasami.ts'

interface InterruptibleState extends State {
  /** Between the two steps of the release. */
  releasing: boolean
}

const algorithm: Algorithm<InterruptibleState, Message, Options> = {
  ...suzukiKasami,
  shapes: {
    ...suzukiKasami.shapes,
    state: { ...suzukiKasami.shapes.state, releasing: 'data' },
  },
  init: (self, setup) => ({ ...suzukiKasami.init(self, setup), releasing: false }),

  release(node, here) {
    suzukiKasami.release(node, here)
    if (node.token === null) return
    // No node was waiting. A second step clears the flag that the handler of requests reads.
    node.using = true
    node.releasing = true
    here.proceed('clear the flag')
  },

  proceed(node) {
    if (node.releasing) finishRelease(node)
  },

  /** The same process asks again only when its release is over. */
  request(node, here, ask) {
    if (node.releasing) finishRelease(node)
    suzukiKasami.request(node, here, ask)
  },
}

function finishRelease(node: InterruptibleState): void {
  node.using = false
  node.releasing = false
}

export const variant: BrokenVariant = {
  algorithm: renamed('suzuki-kasami-interruptible-release', algorithm),
  of: 'suzuki-kasami',
  published: 'velazquez-1993 appendix A; the failure in §4',
  fails: 'no-deadlock',
  rule: 'On leaving, the holder looks for waiting nodes, finds none, and only in a second step stops being busy.',
  failure: 'A request between the two steps is recorded but not answered. It waits beside an idle token.',
  repair: 'Make the release one indivisible step, or look again after the flag is cleared.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
