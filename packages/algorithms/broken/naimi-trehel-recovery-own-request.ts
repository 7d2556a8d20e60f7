import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { naimiTrehelRecovery } from '../src/token/naimi-trehel-recovery.ts'

const { receive, facts } = naimiTrehelRecovery

export const variant: BrokenVariant = {
  algorithm: renamed<typeof naimiTrehelRecovery>('naimi-trehel-recovery-own-request', {
    ...naimiTrehelRecovery,
    // A node may presume a failure wrongly at any moment; that must cost messages and nothing else.
    facts: { ...facts, timers: { ...facts.timers, waiting: 'pace', consulting: 'pace' } },
    // A node sends itself no message, it acts at once: its successor gets the token and enters.
    release(node, here) {
      if (node.next !== here.self) return naimiTrehelRecovery.release(node, here)
      node.next = null
      here.enter((node.fence ?? 0) + 1)
    },
    receive: {
      ...receive,
      request(node, here, request, from) {
        // A request that the node would pass on to itself goes nowhere.
        if (node.last === here.self) return
        const isOwn = request.origin === here.self && node.phase === 'waiting' && node.last === null
        if (!isOwn) return receive.request(node, here, request, from)
        node.next = here.self
        node.last = here.self
      },
    },
  }),
  of: 'naimi-trehel-recovery',
  published: null,
  fails: 'rules',
  rule: 'A waiting root notes the origin of any request as its NEXT, even if that is the root itself.',
  failure:
    'A node that presumed a failure too early asks again. One of its requests has made all nodes point at it, so the ' +
    'other comes back to it. Now it is its own successor: when it leaves, it is let in again without having asked.',
  repair: 'The origin drops a request that comes back to it.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
