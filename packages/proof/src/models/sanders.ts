/**
 * Sanders (1987) for any number of nodes and any information structure under conditions a and b of section 4, in the form of the footnote, which does not demand that
 * every node tells itself; the text is `quorum/sanders.ts`. The model is that of `arbiters.ts`. An arbiter forgets a grant at once to a node that will not tell it when it has left.
 *
 * Why exclusion follows: let two nodes be inside. If a node is in both inform sets, it has granted to both, and remembers one grant at most. If not, each has
 * asked the other, and the other has granted. Who has granted and asks comes later: it asked when it had seen the stamp, or its own request stood in
 * its queue behind the other. So each would come later than the other.
 */

import type { ArbiterMessage, ArbiterState } from '@turnwise/algorithms/quorum/arbiter-state'
import { sanders as algorithm } from '@turnwise/algorithms/quorum/sanders'
import { and, equal, exists, implies, or, rigid } from '../logic/formula.ts'
import { always, withSteps } from '../model.ts'
import type { Proof } from '../proof.ts'
import { arbiterModel, grantingInAnyOrder, grants, ordered, seeArbiters } from './arbiters.ts'

/** The request set of the first node has the second. */
const asked = rigid('asked', 'node', 'node')
/** The inform set of the first node has the second. */
const told = rigid('told', 'node', 'node')
const sets = { asked, told }

const model = arbiterModel(sets, {
  axioms: [
    always('a: every node that is told was asked', { i: 'node', j: 'node' }, ({ i, j }) =>
      implies(told(i, j), asked(i, j)),
    ),
  ],
  axiomsOfGoals: [
    always(
      'b: two inform sets meet, or each of the two asks the other and tells itself',
      { i: 'node', j: 'node' },
      ({ i, j }) =>
        or(
          equal(i, j),
          and(asked(i, j), asked(j, i), told(i, i), told(j, j)),
          exists({ x: 'node' }, ({ x }) => and(told(i, x), told(j, x))),
        ),
    ),
  ],
  more: ordered(sets),
})

/** Here a rival's grant is given back, and the own one if a node grants to itself first. */
const ALL_OF_THREE = '0.1.2/0.1.2/0.1.2:0.1.2/0.1.2/0.1.2'

export const proof: Proof<ArbiterState, ArbiterMessage> = {
  algorithm,
  model,
  assumes: [
    'messages are neither lost nor doubled',
    'numbers and nodes are totally ordered',
    'a node asks whom it tells',
    'any two inform sets meet, or each of the two nodes asks the other and tells itself',
  ],
  leavesOut: ['INQUIRE and FAIL: a node may give a grant back at any moment before it enters'],
  see(world, note) {
    seeArbiters(world, note)
    const { inform, request } = world.setup.structure ?? { inform: [], request: [] }
    inform.forEach((others, node) => {
      for (const other of others) note.holds(told, node, other)
    })
    request.forEach((others, node) => {
      for (const other of others) note.holds(asked, node, other)
    })
  },
  together: 4,
  tied: [
    { nodes: 2, requests: 2, structure: 'ricart-agrawala', sizes: { number: 5 } },
    { nodes: 3, requests: 1, structure: 'central', sizes: { number: 4 } },
    { nodes: 3, requests: 1, askers: 2, structure: ALL_OF_THREE, set: ['own=first'], sizes: { number: 4 } },
  ],
  further: [{ nodes: 3, requests: 1, structure: 'figure-2', sizes: { number: 4 } }],
  broken: [
    {
      name: 'grants-in-any-order',
      rule: 'An arbiter grants to any request in its queue, not to the smallest stamp.',
      model: withSteps(model, ...grants(sets, grantingInAnyOrder)),
      breaks: {
        step: 'grants to another',
        clause: 'a node that has granted a request, and asks and tells itself, comes later',
      },
    },
  ],
}
