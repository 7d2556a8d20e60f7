import { renamed } from '../src/broken-variant.ts'
import { announce, propose, ringElection } from '../src/election/ring-election.ts'
import type { InnocentVariant } from '../src/innocent-variant.ts'

export const variant: InnocentVariant = {
  name: 'ring-election-without-flag',
  algorithm: renamed<typeof ringElection>('ring-election-without-flag', {
    ...ringElection,
    receive: {
      ...ringElection.receive,
      election(node, here, { id }) {
        if (node.ring.down.includes(id)) return
        if (id === here.self) announce(node, here)
        else propose(node, here, Math.max(id, here.self))
      },
    },
  }),
  of: 'ring-election',
  published: 'kessler-2024, the ring-based algorithm',
  rule: 'A process always replaces a lower number by its own, whether or not its own is under way already.',
  suspicion: 'The highest gets its own number back several times and announces itself several times.',
  harmless: 'It does, but it always announces the same coordinator. It only costs messages.',
}
