import { broken, scenario, test } from '../evidence.ts'
import type { Section } from './section.ts'

/** Sections 2 to 4 and appendix A. */
export const velazquezToken: readonly Section[] = [
  {
    section: '2 Requirements',
    describes: 'exclusion, entry in finite time, no endless selection, no prevention; some fairness',
    files: ['checker/judge', 'checker/property', 'checker/starvation', 'core/judges/order'],
    shownBy: [
      test('checker/properties', 'an algorithm that lets nobody in fails, though nothing bad ever happens'),
      test('core/judges-order', 'is counted as by comparing every pair of requests'),
      test('checker/starvation', 'kept by a node that asks again and again: the others starve'),
    ],
    command: 'check suzuki-kasami --nodes 3',
  },
  {
    section: '2 Centralized and distributed approach',
    describes: 'one coordinator decides, or all do',
    files: ['permission/central-coordinator', 'permission/ricart-agrawala'],
    shownBy: [
      scenario('central-coordinator/queue'),
      test('central-coordinator', 'request, grant and release: three messages, none for the coordinator'),
    ],
    command: 'compare central-coordinator ricart-agrawala --load light --load heavy',
  },
  {
    section: '2.1 The model, nodes and requests',
    describes: 'numbered nodes, one open request each, one resource, who is linked to whom',
    files: ['core/setup', 'core/topology', 'simulator/callers'],
    shownBy: [
      test('core/setup', 'has the graph the algorithm needs, one entry, node 0 as home and nobody inside'),
      test('simulator/workload-run', 'a request at a crashed node is not made, one at a busy node queues'),
    ],
    command: 'algorithms',
  },
  {
    section: '2.1 The model, channels',
    describes: 'delivery, order, unpredictable delays, known topology',
    files: ['simulator/channels', 'simulator/latency', 'core/facts'],
    shownBy: [
      test('simulator/message-faults', 'a channel that keeps order keeps it'),
      test(
        'simulator/every-algorithm',
        'random runs: judges content, costs as predicted, the same run every time',
      ),
    ],
    command: 'simulate lamport --channels unordered --latency exponential:1 --load heavy --nodes 3',
  },
  {
    section: '2.1 The model, failures',
    describes: 'channels and nodes fail, recover, come and go; splits; malicious nodes',
    files: ['core/faults', 'simulator/failures', 'simulator/membership', 'simulator/corruption'],
    shownBy: [
      test('core/faults', 'every kind has a form and says what it does'),
      test('simulator/channel-faults', 'nothing passes between the groups, and everything within'),
      test(
        'simulator/membership',
        'that goes and comes back: both ends hear of it, and what was under way comes back',
      ),
      test(
        'simulator/corruption',
        'differs in exactly one place, however deep, and the original stays as it was',
      ),
    ],
    command:
      'simulate nishio-li-manning --fault split:0,1,2/3,4,5,6,7,8@20-40 --fault crash:4@50 --fault restart:4@70',
  },
  {
    section: '2.1 The model, performance',
    describes: 'messages per entry, without failures',
    files: ['core/judges/cost', 'simulator/report'],
    shownBy: [
      test('simulator/report', 'counts entries and messages, by type in order of their names'),
      test(
        'simulator/every-algorithm',
        'light load: the predicted means lie in the 99 % confidence intervals of the measured',
      ),
    ],
    command: 'compare --nodes 13 --load light --load heavy',
  },
  {
    section: '3.1 The token-based approach, a token that circulates',
    describes: 'a directed ring; dear at light load, cheap at high load',
    files: ['token/token-ring'],
    shownBy: [
      test('token-ring', 'exactly 1 message per entry, whatever the delays'),
      test('token-ring', 'n messages for each idle turn: the longer nobody asks, the dearer the next entry'),
    ],
    command: 'compare token-ring --load light --load heavy',
  },
  {
    section: '3.1 The token-based approach, a token that is asked for',
    describes: 'the holder chooses the next; lost and duplicate tokens are the trouble',
    files: ['token/suzuki-kasami', 'token/raymond', 'token/nishio-li-manning'],
    shownBy: [
      test('suzuki-kasami', 'the holder asks again for nothing'),
      test('checker/properties', 'a token that is copied'),
      test('nishio-li-manning', 'is replaced once when two miss it at once: the higher proposal wins'),
    ],
    command: 'compare suzuki-kasami raymond naimi-trehel --nodes 10,40,160',
  },
  {
    section: '4 Ricart-Agrawala',
    describes: 'requests to all, numbers in the token, a circular list; N or 0 messages',
    files: ['token/ricart-agrawala-token'],
    shownBy: [
      scenario('ricart-agrawala-token/circular-search'),
      test(
        'ricart-agrawala-token',
        'an entry costs n messages, n-1 requests and the token, or none with the token here',
      ),
      test(
        'ricart-agrawala-token',
        'order of messages is not required: one token per entry of another node, however requests overtake',
      ),
      broken('ricart-agrawala-token-untested'),
    ],
    command: 'check ricart-agrawala-token --nodes 3',
  },
  {
    section: '4 Suzuki-Kasami',
    describes: 'a queue that travels with the privilege; N or 0 messages',
    files: ['token/suzuki-kasami'],
    shownBy: [
      scenario('suzuki-kasami/three-nodes'),
      scenario('suzuki-kasami/queue'),
      test(
        'suzuki-kasami',
        'an entry costs n messages, n-1 requests and the privilege, or none with the token here',
      ),
    ],
    command: 'check suzuki-kasami --nodes 3 --set scan=ascending',
  },
  {
    section: '4 Suzuki-Kasami, bounded numbers',
    describes: 'rounds of L requests: L N + (N-1) messages for L entries',
    files: ['token/suzuki-kasami-bounded'],
    shownBy: [
      scenario('suzuki-kasami-bounded/round'),
      test('suzuki-kasami-bounded', 'L entries by one node cost L n + (n-1) messages, every time'),
      test('suzuki-kasami-bounded', 'no number is larger than L, on channels that keep no order'),
      broken('suzuki-kasami-bounded-modulo'),
    ],
    command: 'check suzuki-kasami-bounded --nodes 2 --requests 3',
  },
  {
    section: '4 Mizuno-Neilsen-Rao',
    describes: 'the token is found by request sets and acquired sets that meet',
    files: ['token/mizuno-neilsen-rao', 'core/quorum/agreement'],
    shownBy: [
      scenario('mizuno-neilsen-rao/relation-link'),
      test(
        'mizuno-neilsen-rao',
        'ends where another member of R holds it; else the one node in which R and A meet relays',
      ),
      test('core/quorum-agreement', 'every request set meets every acquired set'),
      broken('mizuno-neilsen-rao-late-request'),
      broken('mizuno-neilsen-rao-any-acquired'),
    ],
    command: 'check mizuno-neilsen-rao --nodes 3',
  },
  {
    section: '4 Mizuno-Neilsen-Rao, cost',
    describes: 'trees, planes, grids; Suzuki and Kasami as a special case',
    files: ['token/mizuno-neilsen-rao', 'core/quorum/agreement'],
    shownBy: [
      test('mizuno-neilsen-rao', '$quorum of $nodes: at most $bound messages'),
      test('mizuno-neilsen-rao', 'about 3 sqrt(n) on a plane, of the order of log n on a tree'),
      test(
        'core/quorum-agreement',
        '2 sqrt(2n) - 2 messages where n is twice a square: Velazquez 1993, section 4',
      ),
      test('mizuno-neilsen-rao', "Suzuki and Kasami's algorithm is a special case"),
    ],
    command: 'simulate mizuno-neilsen-rao --nodes 32 --quorum grid --load heavy',
  },
  {
    section: '4 Neilsen-Mizuno',
    describes: 'a directed acyclic graph, LAST, NEXT and HOLDING; D+1 messages',
    files: ['token/neilsen-mizuno'],
    shownBy: [
      scenario('neilsen-mizuno/line'),
      scenario('neilsen-mizuno/star'),
      test(
        'neilsen-mizuno',
        'at most D+1 messages, which the ends of a longest path need: 3 on a star, n on a line',
      ),
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
      test('helary-plouzeau-raynal', '%s: exactly n-1 requests, and a token per hop'),
      scenario('helary-plouzeau-raynal/lost-by-the-survey'),
      broken('helary-plouzeau-raynal-dates-addressee'),
    ],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology ring',
  },
  {
    section: '4 Raymond',
    describes: 'a tree, a queue of neighbours at each node; about log N messages',
    files: ['token/raymond'],
    shownBy: [
      scenario('raymond/walk-through'),
      scenario('raymond/star'),
      test('raymond', 'an idle privilege at distance d costs 2d messages'),
      broken('raymond-forgets-to-ask'),
    ],
    command: 'check raymond --nodes 4 --topology line --requests any',
  },
  {
    section: '4 Raymond, piggyback and recovery',
    describes: 'privilege and request in one message; a failed node learns from its neighbours what it knew',
    files: ['token/raymond-piggyback', 'token/raymond-recovery'],
    shownBy: [
      scenario('raymond-piggyback/walk-through'),
      scenario('raymond-recovery/holder'),
      test('raymond-recovery', 'one node after the other fails and comes back%s'),
      test('raymond-recovery', '%s: no second privilege is made, and somebody waits for ever'),
    ],
    command: 'simulate raymond-recovery --fault crash:1@20 --fault restart:1@40,amnesia',
  },
  {
    section: '4 Singhal (heuristic)',
    describes: 'ask only those who probably have the token; state vectors in nodes and token; arbitration',
    files: ['token/singhal-heuristic'],
    shownBy: [
      scenario('singhal-heuristic/staircase'),
      scenario('singhal-heuristic/arbitration'),
      test(
        'singhal-heuristic',
        'from the staircase a lone node pays its step: (n+1)/2 on the average but for the holder, who pays nothing',
      ),
      test('singhal-heuristic', 'at heavy load every entry but the first costs n'),
      broken('singhal-heuristic-drops-outdated'),
    ],
    command: 'check singhal-heuristic --nodes 3',
  },
  {
    section: '4 Naimi-Trehel',
    describes: 'a path is reversed by each request; an implicit queue; about log N messages',
    files: ['token/naimi-trehel'],
    shownBy: [
      scenario('naimi-trehel/path-reversal'),
      test('naimi-trehel', 'an entry costs the length of the reversed path in requests, and a token'),
      test('naimi-trehel', '$nodes nodes: once all have asked, the mean is the harmonic number H(n-1)'),
      broken('naimi-trehel-root-as-holder'),
    ],
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
      test('naimi-trehel-recovery', '4(n-1) messages, and a request from each of %d others that wait'),
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
      test('mishra-srimani', 'at a cost of (n-1)+(n-2)+(n-1)+(n-2)+(n-1) messages when the holder crashes'),
      test('mishra-srimani', 'once when two start at once: the lower number goes on'),
      broken('mishra-srimani-hasty'),
      broken('mishra-srimani-unfrozen'),
    ],
    command: 'simulate mishra-srimani --fault crash:0@20',
  },
  {
    section: '4 Mishra-Srimani, second algorithm',
    describes: 'the role of a central coordinator moves among the nodes',
    files: ['token/mishra-srimani-coordinator'],
    shownBy: [
      scenario('mishra-srimani-coordinator/moving'),
      test(
        'mishra-srimani-coordinator',
        'at any time there is one coordinator, and it is the one that entered last',
      ),
      broken('mishra-srimani-coordinator-forgets'),
    ],
    command: 'check mishra-srimani-coordinator --nodes 3',
  },
  {
    section: '4 Nishio-Li-Manning',
    describes: 'ages of tokens; TOKEN_MISSING, ACK and NACK; failures of processor, controller and link',
    files: ['token/nishio-li-manning', 'token/nishio-li-manning-regeneration'],
    shownBy: [
      scenario('nishio-li-manning/regeneration'),
      scenario('nishio-li-manning/late-token'),
      test('nishio-li-manning', 'is replaced at a cost of 2(n-1) messages, and the fences go on rising'),
      broken('nishio-li-manning-late-age'),
    ],
    command: 'simulate nishio-li-manning --fault drop:0.02 --entries 200',
  },
  {
    section: '4 Nishio-Li-Manning, lost memory and membership',
    describes: 'what a controller has forgotten the others tell it; nodes are inserted and removed',
    files: ['token/nishio-li-manning-membership'],
    shownBy: [
      scenario('nishio-li-manning/membership'),
      test('nishio-li-manning-membership', 'to be told everything: 2(n-1) messages'),
      test(
        'nishio-li-manning-membership',
        'to join: 2(n-1) messages; to leave, with or without the token: 2(n-1) messages',
      ),
    ],
    command: 'simulate nishio-li-manning --fault add:8@10 --fault remove:2@60',
  },
  {
    section: '4 Nishio-Li-Manning, a node that stays away',
    describes: 'removal of one that has failed: the token is made anew without it',
    files: ['token/nishio-li-manning-detection'],
    shownBy: [
      scenario('nishio-li-manning-detection/failures'),
      scenario('nishio-li-manning-detection/detector-errs'),
      test(
        'nishio-li-manning-detection',
        'a token of one that failed is replaced at a cost of 2(n-2) messages, and its fences are those of a later age',
      ),
      broken('nishio-li-manning-earlier-ack'),
    ],
    command: 'simulate nishio-li-manning-detection --fault crash:0@20',
  },
  {
    section: '4.1 Table 1',
    describes: 'messages of the token-based algorithms',
    files: ['catalogue', 'core/facts'],
    shownBy: [
      test(
        'simulator/every-algorithm',
        'light load: the predicted means lie in the 99 % confidence intervals of the measured',
      ),
      test('simulator/every-algorithm', 'heavy load: within 2 % of the predicted mean'),
    ],
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
