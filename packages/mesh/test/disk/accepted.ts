import type { Durable } from '../../src/protocol/record.ts'

/** What a voter of a mesh of one keeps: it has promised more than it has accepted. */
export const ACCEPTED: Durable = {
  voterId: 'v',
  k: 3,
  promised: { epoch: 4, ballot: 'a/v.3/1' },
  longest: 2000,
  accepted: {
    epoch: 3,
    voters: [{ id: 'a', voterId: 'v' }],
    oldVoters: null,
    members: [{ id: 'a', session: { voterId: 'v', k: 3 } }],
    settings: { algorithm: 'suzuki-kasami', lease: 2000, drift: 0.002 },
  },
}
