/**
 * Maekawa (1985) for any number of nodes and any quorums of which each two meet; the text is `quorum/maekawa.ts`. The model is that of `arbiters.ts`: a
 * node tells those it has asked.
 *
 * Why exclusion follows: two nodes that are inside have the grant of a node that is in both quorums, and it remembers one grant at most.
 */

import type { ArbiterMessage, ArbiterState } from '@turnwise/algorithms/quorum/arbiter-state'
import { maekawa as algorithm } from '@turnwise/algorithms/quorum/maekawa'
import { and, equal, exists, rigid } from '../logic/formula.ts'
import { always, withSteps } from '../model.ts'
import type { Proof } from '../proof.ts'
import { arbiterModel, givingBack, grantingTwice, grants, seeArbiters } from './arbiters.ts'

/** The quorum of the first node has the second. */
const quorum = rigid('quorum', 'node', 'node')
const sets = { asked: quorum, told: quorum }

const model = arbiterModel(sets, {
  axiomsOfGoals: [
    always('any two quorums meet', { i: 'node', j: 'node' }, ({ i, j }) =>
      exists({ x: 'node' }, ({ x }) => and(quorum(i, x), quorum(j, x))),
    ),
  ],
})

const ALL = [0, 1, 2]

export const proof: Proof<ArbiterState, ArbiterMessage> = {
  algorithm,
  model,
  assumes: [
    'messages are neither lost nor doubled',
    'numbers and nodes are totally ordered',
    'any two quorums meet',
  ],
  leavesOut: ['INQUIRE and FAIL: a node may give a grant back at any moment before it enters'],
  see(world, note) {
    seeArbiters(world, note)
    const { setup } = world
    for (let node = 0; node < setup.nodes; node += 1)
      for (const other of setup.quorums?.of(node) ?? []) note.holds(quorum, node, other)
  },
  together: 4,
  tied: [
    { nodes: 2, requests: 2, sizes: { number: 5 } },
    { nodes: 3, requests: 1, sizes: { number: 4 } },
    // Here a rival's grant is given back, and not only the own one.
    { nodes: 3, requests: 1, askers: 2, quorums: [ALL, ALL, ALL], sizes: { number: 4 } },
  ],
  broken: [
    {
      name: 'grants-twice',
      rule: 'An arbiter grants to the next in its queue while another has its grant.',
      model: withSteps(model, ...grants(sets, grantingTwice)),
      breaks: { step: 'grants to another', clause: 'an arbiter remembers one grant at most' },
    },
    {
      name: 'yields-inside',
      rule: 'A node that is inside gives a grant back.',
      model: withSteps(model, ...givingBack(sets, (i) => equal(i, i))),
      breaks: {
        step: 'gives a grant back',
        clause: 'a node that is inside has an open request, and all grants for it',
      },
    },
  ],
}
