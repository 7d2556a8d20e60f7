import { broken, scenario } from '../evidence.ts'
import type { Section } from './section.ts'

const RULES = ['permission/ricart-agrawala']

/** Sections 1 to 6 and the appendix as far as `ricart-agrawala` itself goes; the rest is in `ricart-agrawala-later.ts`. */
export const ricartAgrawala: readonly Section[] = [
  {
    section: '1 Introduction',
    describes: 'any delays, any order; cheaper than Lamport',
    files: [...RULES, 'permission/lamport'],
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
    describes: 'a virtual order, first come, first served; no node is shut out',
    files: RULES,
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: '3.1 Mutual Exclusion',
    describes: 'no two nodes inside together',
    files: [...RULES, 'checker/judge'],
    shownBy: [broken('ricart-agrawala-without-tie-break')],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: '3.2 Deadlock',
    describes: 'no circle of nodes that defer each other',
    files: [...RULES, 'checker/property'],
    command: 'check ricart-agrawala --nodes 3 --requests 2',
  },
  {
    section: '3.3 Starvation',
    describes: 'a waiting number becomes the lowest',
    files: [...RULES, 'checker/starvation'],
    command: 'check ricart-agrawala --nodes 2 --requests any',
  },
  {
    section: '4 Message Traffic, 4.1 Concurrent Processing',
    describes: 'exactly 2(N-1) messages',
    files: RULES,
    command: 'simulate ricart-agrawala --nodes 20 --load heavy',
  },
  {
    section: '5.1 Definition of Delay, 5.2 Assumptions',
    describes: 'from asking to entering, in message delays; no use of timing, no node keeps the section',
    files: ['core/judges/cost-judge'],
    command: 'simulate ricart-agrawala --nodes 9 --json',
  },
  {
    section: '5.3.1 Bound 1, 5.4 Compliance',
    describes: 'one round trip without conflict',
    files: RULES,
    command: 'simulate ricart-agrawala --nodes 9 --load light',
  },
  {
    section: '5.3.2 Bound 2, 5.4 Compliance',
    describes: 'with conflict the tie-break decides, half of the time against the earlier',
    files: RULES,
    command: 'simulate ricart-agrawala --nodes 2 --load closed:1 --latency uniform:1,3',
  },
  {
    section: '5.3.3 Bound 3, 5.4 Compliance',
    describes: 'one message delay from an exit to the next entry',
    files: RULES,
    command: 'simulate ricart-agrawala --nodes 9 --load heavy',
  },
  {
    section: '6.6 Readers and Writers',
    describes: 'readers do not defer readers',
    files: [...RULES, 'permission/pairwise'],
    shownBy: [scenario('ricart-agrawala/readers-and-writers')],
    command: 'check ricart-agrawala --nodes 3 --readers 0.5',
  },
  {
    section: 'Appendix, without order',
    describes: 'at most N(N+1)/2 - 1 entries of others before an own one',
    files: [...RULES, 'checker/extremes'],
    command: 'check ricart-agrawala --nodes 3 --requests any --channels unordered',
  },
  {
    section: 'Appendix, with order',
    describes: 'at most 2(N-1) entries of others before an own one',
    files: [...RULES, 'checker/extremes'],
    command: 'check ricart-agrawala --nodes 3 --requests any --channels fifo',
  },
]
