import { broken, scenario, test } from '../evidence.ts'
import type { Section } from './section.ts'

const RULES = ['permission/ricart-agrawala']
const here = (title: string) => test('ricart-agrawala', title)

/** Sections 1 to 6 and the appendix as far as `ricart-agrawala` itself goes; the rest is in `ricart-agrawala-later.ts`. */
export const ricartAgrawala: readonly Section[] = [
  {
    section: '1 Introduction',
    describes: 'any delays, any order; cheaper than Lamport',
    files: [...RULES, 'permission/lamport'],
    shownBy: [
      here('section 1: messages may arrive in another order than they were sent'),
      test(
        'lamport',
        'every entry costs exactly 3(n-1) messages: a request, a reply and a release for each other node',
      ),
    ],
    command: 'compare ricart-agrawala lamport --nodes 5,10,20',
  },
  {
    section: '2.1 Description',
    describes: 'ask all, enter when all have replied; reply at once or after the own turn',
    files: RULES,
    shownBy: [scenario('ricart-agrawala/three-nodes')],
    command: 'simulate ricart-agrawala --nodes 3 --load heavy --entries 6',
  },
  {
    section: '2.2 Specification',
    describes: 'three processes at each node, their shared variables, the decision table of a request',
    files: RULES,
    shownBy: [
      broken('ricart-agrawala-printed'),
      broken('ricart-agrawala-without-tie-break'),
      scenario('ricart-agrawala/repeated-reply'),
    ],
    command: 'check ricart-agrawala-printed --nodes 2 --requests any',
  },
  {
    section: '2.2 Specification, several requests at a node',
    describes: 'a node serializes the requests of its own callers',
    files: ['simulator/callers', 'simulator/workload'],
    shownBy: [
      test(
        'simulator/workload',
        'they do not wait for each other: those that find their node busy queue there, and their wait counts',
      ),
    ],
    command: 'simulate ricart-agrawala --nodes 3 --load poisson:0.3',
  },
  {
    section: '2.3 Example (Figure 1)',
    describes: 'three nodes, a tie, a request that overtakes a reply',
    files: RULES,
    shownBy: [scenario('ricart-agrawala/three-nodes')],
    command: 'check ricart-agrawala --nodes 3',
  },
  {
    section: '2.4 Discussion',
    describes: 'a virtual order, first come first served; nobody is shut out',
    files: RULES,
    shownBy: [
      here('section 2.4: the order is first come, first served up to messages under way'),
      test('checker/counts', '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages'),
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: '3.1 Mutual Exclusion',
    describes: 'no two nodes inside together',
    files: [...RULES, 'checker/judge'],
    shownBy: [test('checker/counts', '%i nodes: %i states'), broken('ricart-agrawala-without-tie-break')],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: '3.2 Deadlock',
    describes: 'no circle of nodes that defer each other',
    files: [...RULES, 'checker/property'],
    shownBy: [test('checker/counts', '%i nodes: %i states')],
    command: 'check ricart-agrawala --nodes 3 --requests 2',
  },
  {
    section: '3.3 Starvation',
    describes: 'a waiting number becomes the lowest',
    files: [...RULES, 'checker/starvation'],
    shownBy: [test('checker/counts', '%i nodes: %i states')],
    command: 'check ricart-agrawala --nodes 2 --requests any',
  },
  {
    section: '4 Message Traffic, 4.1 Concurrent Processing',
    describes: 'exactly 2(N-1) messages',
    files: RULES,
    shownBy: [here('section 4: exactly 2(n-1) messages per entry, whatever the load')],
    command: 'simulate ricart-agrawala --nodes 20 --load heavy',
  },
  {
    section: '5.1 Definition of Delay, 5.2 Assumptions',
    describes: 'from asking to entering, in message delays; no use of timing, nobody keeps the section',
    files: ['core/judges/cost'],
    shownBy: [
      test('core/judges-cost', 'runs from the arrival of the caller to the entry; warm-up is left out'),
      test('core/judges-cost', 'from an exit to the next entry, where the next had asked before the exit'),
    ],
    command: 'simulate ricart-agrawala --nodes 9 --json',
  },
  {
    section: '5.3.1 Bound 1, 5.4 Compliance',
    describes: 'one round trip without conflict',
    files: RULES,
    shownBy: [here('bound 1: without conflict a request waits one round trip')],
    command: 'simulate ricart-agrawala --nodes 9 --load light',
  },
  {
    section: '5.3.2 Bound 2, 5.4 Compliance',
    describes: 'with conflict the tie-break decides, half of the time against the earlier',
    files: RULES,
    shownBy: [
      here('bound 2: of two that ask at once the loser waits for the winner, half the time the earlier one'),
    ],
    command: 'simulate ricart-agrawala --nodes 2 --load closed:1 --latency uniform:1,3',
  },
  {
    section: '5.3.3 Bound 3, 5.4 Compliance',
    describes: 'one message delay from an exit to the next entry',
    files: RULES,
    shownBy: [
      here('bound 3: after an exit the next that waits enters one message delay later'),
      test(
        'simulator/every-algorithm',
        'when everyone always waits, a hand-over takes as many hops as the facts say',
      ),
    ],
    command: 'simulate ricart-agrawala --nodes 9 --load heavy',
  },
  {
    section: '6.6 Readers and Writers',
    describes: 'readers do not defer readers',
    files: [...RULES, 'permission/pairwise'],
    shownBy: [
      scenario('ricart-agrawala/readers-and-writers'),
      test('simulator/readers', 'readers are inside together, a writer alone'),
      test('pairwise', 'random walks: writers alone, fences rise, and everyone is served'),
    ],
    command: 'check ricart-agrawala --nodes 3 --readers 0.5',
  },
  {
    section: 'Appendix, without order',
    describes: 'at most N(N+1)/2 - 1 entries of others before an own one',
    files: [...RULES, 'checker/extremes'],
    shownBy: [
      test('checker/counts', '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages'),
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any --channels unordered',
  },
  {
    section: 'Appendix, with order',
    describes: 'at most 2(N-1) entries of others before an own one',
    files: [...RULES, 'checker/extremes'],
    shownBy: [
      test('checker/counts', '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages'),
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any --channels fifo',
  },
]
