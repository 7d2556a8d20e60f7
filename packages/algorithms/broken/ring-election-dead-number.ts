import { type BrokenElection, renamed } from '../src/broken-variant.ts'
import { announce, propose, ringElection } from '../src/election/ring-election.ts'

export const variant: BrokenElection = {
  algorithm: renamed<typeof ringElection>('ring-election-dead-number', {
    ...ringElection,
    receive: {
      ...ringElection.receive,
      election(node, here, { id }) {
        if (id === here.self) announce(node, here)
        else if (id > here.self) propose(node, here, id)
        else if (node.best === null) propose(node, here, here.self)
      },
    },
  }),
  of: 'ring-election',
  published: 'kessler-2024, the ring-based algorithm',
  fails: 'can-end',
  rule: 'A process passes on every number above its own. The lecture leaves failures during an election open.',
  failure: 'A process crashes after sending its number. No process owns that number: it goes round for ever.',
  repair: 'Drop the number of a process known to be down. Each participant sends its best number again.',
  instance: { nodes: 3, requests: 1, channels: 'fifo', crashes: 1 },
}
