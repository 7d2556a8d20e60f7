import { type BrokenElection, renamed } from '../src/broken-variant.ts'
import { bully } from '../src/election/bully.ts'
import { win } from '../src/election/bully-rules.ts'

export const variant: BrokenElection = {
  algorithm: renamed<typeof bully>('bully-never-off', {
    ...bully,
    // RE1 has no condition: a process that misses the coordinator itself begins, whatever its state.
    elect(node, here) {
      node.election = 'off'
      bully.elect(node, here)
    },
    suspect(node, here, peer) {
      if (node.coordinator === peer) node.election = 'off'
      bully.suspect?.(node, here, peer)
    },
    timeout(node, here, timer) {
      if (timer !== 'answer') return bully.timeout?.(node, here, timer)
      win(node, here)
      node.election = 'awaits answer'
    },
    receive: {
      ...bully.receive,
      election(node, here, message, from) {
        if (node.coordinator !== here.self) return bully.receive.election(node, here, message, from)
        here.because?.('node {self} is coordinator, and its election is still on: it answers, and no more')
        here.send(from, { type: 'answer' })
      },
      coordinator(node, here, message, from) {
        const { election } = node
        bully.receive.coordinator(node, here, message, from)
        if (node.election === 'off') node.election = election
      },
    },
  }),
  of: 'bully',
  published: 'kessler-2024 RE1, RH2',
  fails: 'can-end',
  rule: 'An election turns the state of a process to ELECTION-ON. No rule turns it back to ELECTION-OFF.',
  failure:
    'Another process misses the coordinator later, and asks. The highest one alive answers, but begins no election, since its state is ' +
    'still on. So no announcement comes, and the other asks for ever.',
  repair: 'A process that becomes coordinator, or hears who is, turns its state to ELECTION-OFF.',
  instance: { nodes: 3, requests: 1, channels: 'unordered', dead: '2' },
}
