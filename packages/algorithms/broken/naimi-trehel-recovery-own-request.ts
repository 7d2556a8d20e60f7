import { type BrokenVariant, renamed } from '../src/broken-variant.ts'
import { naimiTrehelRecovery } from '../src/token/naimi-trehel-recovery.ts'

const { receive, facts } = naimiTrehelRecovery

export const variant: BrokenVariant = {
  algorithm: renamed<typeof naimiTrehelRecovery>('naimi-trehel-recovery-own-request', {
    ...naimiTrehelRecovery,
    // A presumption may be wrong at any moment, and nothing but messages comes of it.
    facts: { ...facts, timers: { ...facts.timers, waiting: 'pace', consulting: 'pace' } },
    // What a node would tell itself it does at once: its successor gets the token and enters.
    release(node, here) {
      if (node.next !== here.self) return naimiTrehelRecovery.release(node, here)
      node.next = null
      here.enter((node.fence ?? 0) + 1)
    },
    receive: {
      ...receive,
      request(node, here, request, from) {
        // What it would pass on to itself goes nowhere.
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
  rule: 'A root that waits notes the origin of any request as its NEXT, itself too.',
  failure:
    'A node that presumed a failure too early asks again. One request has made everyone point at it, so the other ' +
    'comes back to it: it is its own successor, and is let in again when it leaves, unasked.',
  repair: 'A request that comes back to its origin is dropped.',
  instance: { nodes: 2, requests: 1, channels: 'unordered' },
}
