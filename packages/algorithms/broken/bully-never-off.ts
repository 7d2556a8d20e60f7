import { type BrokenElection, renamed } from '../src/broken-variant.ts'
import { bully } from '../src/election/bully.ts'
import { win } from '../src/election/bully-rules.ts'

export const variant: BrokenElection = {
  algorithm: renamed<typeof bully>('bully-never-off', {
    ...bully,
    timeout(node, here, timer) {
      if (timer !== 'answer') return bully.timeout?.(node, here, timer)
      win(node, here)
      node.election = 'awaits answer'
    },
    receive: {
      ...bully.receive,
      coordinator(node, here, message, from) {
        const { election } = node
        bully.receive.coordinator(node, here, message, from)
        if (node.election === 'off') node.election = election
      },
    },
  }),
  of: 'bully',
  published: 'kessler-2024 RE1, RH2',
  fails: 'no-deadlock',
  rule: 'An election turns the state of a process to ELECTION-ON. No rule turns it back to ELECTION-OFF.',
  failure:
    'A process that misses the coordinator a second time believes its election is still on, and waits.',
  repair: 'A process that becomes coordinator, or hears who is, turns its state to ELECTION-OFF.',
  instance: { nodes: 2, requests: 2, channels: 'unordered', dead: '1' },
}
