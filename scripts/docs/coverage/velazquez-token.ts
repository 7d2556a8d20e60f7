import { broken, scenario } from '../evidence.ts'
import type { Section } from './section.ts'

/** Sections 2 to 4 and appendix A. */
export const velazquezToken: readonly Section[] = [
  {
    section: '2 Requirements',
    describes: 'exclusion, entry in finite time, no endless selection, no prevention; some fairness',
    files: ['checker/judge', 'checker/property', 'checker/starvation', 'core/judges/order-judge'],
    command: 'check suzuki-kasami --nodes 3',
  },
  {
    section: '2 Centralized and distributed approach',
    describes: 'one coordinator decides, or all do',
    files: ['permission/central-coordinator', 'permission/ricart-agrawala'],
    shownBy: [scenario('central-coordinator/queue')],
    command: 'compare central-coordinator ricart-agrawala --load light --load heavy',
  },
  {
    section: '2.1 The model, nodes and requests',
    describes: 'numbered nodes, one open request each, one resource, the channels between nodes',
    files: ['core/setup', 'core/topology', 'simulator/callers'],
    command: 'algorithms',
  },
  {
    section: '2.1 The model, channels',
    describes: 'delivery, order, unpredictable delays, known topology',
    files: ['simulator/channels', 'simulator/latency', 'core/facts'],
    command: 'simulate lamport --channels unordered --latency exponential:1 --load heavy --nodes 3',
  },
  {
    section: '2.1 The model, failures',
    describes:
      'channels and nodes fail, recover, come and go; splits; values altered on the way; no node lies (malicious nodes are not modelled)',
    files: ['core/faults', 'simulator/failures', 'simulator/membership', 'simulator/corruption'],
    command:
      'simulate nishio-li-manning --fault split:0,1,2/3,4,5,6,7,8@20-40 --fault crash:4@50 --fault restart:4@70',
  },
  {
    section: '2.1 The model, performance',
    describes: 'messages per entry, without failures',
    files: ['core/judges/cost-judge', 'simulator/report'],
    command: 'compare --nodes 13 --load light --load heavy',
  },
  {
    section: '3.1 The token-based approach, a token that circulates',
    describes: 'a directed ring; dear at light load, cheap at high load',
    files: ['token/token-ring'],
    command: 'compare token-ring --load light --load heavy',
  },
  {
    section: '3.1 The token-based approach, a token that is asked for',
    describes: 'the holder chooses the next; lost and duplicate tokens are the trouble',
    files: ['token/suzuki-kasami', 'token/raymond', 'token/nishio-li-manning'],
    command: 'compare suzuki-kasami raymond naimi-trehel --nodes 10,40,160',
  },
  {
    section: '4 Ricart-Agrawala',
    describes: 'requests to all, numbers in the token, a circular list; N or 0 messages',
    files: ['token/ricart-agrawala-token'],
    shownBy: [scenario('ricart-agrawala-token/circular-search'), broken('ricart-agrawala-token-untested')],
    command: 'check ricart-agrawala-token --nodes 3',
  },
  {
    section: '4 Suzuki-Kasami',
    describes: 'a queue that travels with the privilege; N or 0 messages',
    files: ['token/suzuki-kasami'],
    shownBy: [scenario('suzuki-kasami/three-nodes'), scenario('suzuki-kasami/queue')],
    command: 'check suzuki-kasami --nodes 3 --set scan=ascending',
  },
  {
    section: '4 Suzuki-Kasami, bounded numbers',
    describes: 'rounds of L requests: L N + (N-1) messages for L entries',
    files: ['token/suzuki-kasami-bounded'],
    shownBy: [scenario('suzuki-kasami-bounded/round'), broken('suzuki-kasami-bounded-modulo')],
    command: 'check suzuki-kasami-bounded --nodes 2 --requests 3',
  },
  {
    section: '4 Mizuno-Neilsen-Rao',
    describes: 'the token is found by request sets and acquired sets that meet',
    files: ['token/mizuno-neilsen-rao', 'core/quorum/agreement'],
    shownBy: [
      scenario('mizuno-neilsen-rao/relation-link'),
      broken('mizuno-neilsen-rao-late-request'),
      broken('mizuno-neilsen-rao-any-acquired'),
    ],
    command: 'check mizuno-neilsen-rao --nodes 3',
  },
  {
    section: '4 Mizuno-Neilsen-Rao, cost',
    describes: 'trees, planes, grids; Suzuki and Kasami as a special case',
    files: ['token/mizuno-neilsen-rao', 'core/quorum/agreement'],
    command: 'simulate mizuno-neilsen-rao --nodes 32 --quorum grid --load heavy',
  },
  {
    section: '4 Neilsen-Mizuno',
    describes: 'a directed acyclic graph, LAST, NEXT and HOLDING; D+1 messages',
    files: ['token/neilsen-mizuno'],
    shownBy: [
      scenario('neilsen-mizuno/line'),
      scenario('neilsen-mizuno/star'),
      broken('neilsen-mizuno-idle-sink'),
      broken('neilsen-mizuno-busy-holding'),
    ],
    command: 'check neilsen-mizuno --nodes 3 --topology line --requests any',
  },
  {
    section: '4 Helary-Plouzeau-Raynal',
    describes: 'flooding with knowledge transfer, and the token on the way back',
    files: ['token/helary-plouzeau-raynal', 'token/helary-plouzeau-raynal-reconfiguration'],
    shownBy: [
      scenario('helary-plouzeau-raynal/lost-by-the-survey'),
      broken('helary-plouzeau-raynal-dates-addressee'),
    ],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology ring',
  },
  {
    section: '4 Raymond',
    describes: 'a tree, a queue of neighbours at each node; about log N messages',
    files: ['token/raymond'],
    shownBy: [scenario('raymond/walk-through'), scenario('raymond/star'), broken('raymond-forgets-to-ask')],
    command: 'check raymond --nodes 4 --topology line --requests any',
  },
  {
    section: '4 Raymond, piggyback and recovery',
    describes: 'privilege and request in one message; a failed node learns from its neighbours what it knew',
    files: ['token/raymond-piggyback', 'token/raymond-recovery'],
    shownBy: [scenario('raymond-piggyback/walk-through'), scenario('raymond-recovery/holder')],
    command: 'simulate raymond-recovery --fault crash:1@20 --fault restart:1@40,amnesia',
  },
  {
    section: '4 Singhal (heuristic)',
    describes: 'ask only nodes that probably have the token; state vectors in nodes and token; arbitration',
    files: ['token/singhal-heuristic'],
    shownBy: [
      scenario('singhal-heuristic/staircase'),
      scenario('singhal-heuristic/arbitration'),
      broken('singhal-heuristic-drops-outdated'),
    ],
    command: 'check singhal-heuristic --nodes 3',
  },
  {
    section: '4 Naimi-Trehel',
    describes: 'a path is reversed by each request; an implicit queue; about log N messages',
    files: ['token/naimi-trehel'],
    shownBy: [scenario('naimi-trehel/path-reversal'), broken('naimi-trehel-root-as-holder')],
    command: 'check naimi-trehel --nodes 3 --requests any',
  },
  {
    section: '4 Naimi-Trehel, failures',
    describes: 'Twait and Telec; waiting, consulting, query, candidate, observer; a new token and a new tree',
    files: ['token/naimi-trehel-recovery'],
    shownBy: [
      scenario('naimi-trehel-recovery/holder-crashes'),
      scenario('naimi-trehel-recovery/two-candidates'),
      scenario('naimi-trehel-recovery/comes-back'),
      broken('naimi-trehel-recovery-own-request'),
    ],
    command: 'check naimi-trehel-recovery --nodes 3 --crashes 1',
  },
  {
    section: '4 Mishra-Srimani',
    describes: 'Suzuki and Kasami with a time-out; the token is checked, regenerated, never doubled',
    files: ['token/mishra-srimani', 'token/mishra-srimani-regeneration'],
    shownBy: [
      scenario('mishra-srimani/regeneration'),
      scenario('mishra-srimani/false-alarm'),
      broken('mishra-srimani-hasty'),
      broken('mishra-srimani-unfrozen'),
    ],
    command: 'simulate mishra-srimani --fault crash:0@20',
  },
  {
    section: '4 Mishra-Srimani, second algorithm',
    describes: 'the role of a central coordinator moves among the nodes',
    files: ['token/mishra-srimani-coordinator'],
    shownBy: [scenario('mishra-srimani-coordinator/moving'), broken('mishra-srimani-coordinator-forgets')],
    command: 'check mishra-srimani-coordinator --nodes 3',
  },
  {
    section: '4 Nishio-Li-Manning',
    describes: 'ages of tokens; TOKEN_MISSING, ACK and NACK; failures of processor, controller and link',
    files: ['token/nishio-li-manning', 'token/nishio-li-manning-regeneration'],
    shownBy: [
      scenario('nishio-li-manning/regeneration'),
      scenario('nishio-li-manning/late-token'),
      broken('nishio-li-manning-late-age'),
    ],
    command: 'simulate nishio-li-manning --fault drop:0.02 --entries 200',
  },
  {
    section: '4 Nishio-Li-Manning, lost memory and membership',
    describes: 'the others tell a controller what it has forgotten; nodes are inserted and removed',
    files: ['token/nishio-li-manning-membership'],
    shownBy: [scenario('nishio-li-manning/membership')],
    command: 'simulate nishio-li-manning --fault add:8@10 --fault remove:2@60',
  },
  {
    section: '4 Nishio-Li-Manning, a node that stays away',
    describes: 'removal of a failed node: the token is replaced without it',
    files: ['token/nishio-li-manning-detection'],
    shownBy: [
      scenario('nishio-li-manning-detection/failures'),
      scenario('nishio-li-manning-detection/detector-errs'),
      broken('nishio-li-manning-earlier-ack'),
    ],
    command: 'simulate nishio-li-manning-detection --fault crash:0@20',
  },
  {
    section: '4.1 Table 1',
    describes: 'messages of the token-based algorithms',
    files: ['catalogue', 'core/facts'],
    command:
      'compare ricart-agrawala-token suzuki-kasami neilsen-mizuno raymond singhal-heuristic naimi-trehel mishra-srimani nishio-li-manning --nodes 13 --load light --load heavy',
  },
  {
    section: 'Appendix A',
    describes: 'procedures P1 and P2 of Suzuki and Kasami, and the race between two lines of P1',
    files: ['token/suzuki-kasami'],
    shownBy: [broken('suzuki-kasami-interruptible-release'), scenario('suzuki-kasami/three-nodes')],
    command: 'check suzuki-kasami-interruptible-release --nodes 2',
  },
]
