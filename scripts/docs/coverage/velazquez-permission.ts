import { broken, scenario, test } from '../evidence.ts'
import type { Section } from './section.ts'

/** Sections 3.2, 5 and 6. */
export const velazquezPermission: readonly Section[] = [
  {
    section: '3.2 The permission-based approach',
    describes: 'permission of a set of nodes, one at a time each; priorities decide',
    files: ['permission/ricart-agrawala', 'quorum/arbiter', 'core/timestamp'],
    shownBy: [
      test('core/timestamp', 'the smaller time precedes; among equal times the smaller node'),
      test('core/quorum', 'every two meet'),
    ],
    command: 'compare ricart-agrawala maekawa thomas-majority agrawal-el-abbadi --nodes 7,13,31',
  },
  {
    section: '5 Majorities (Thomas)',
    describes: 'more than half of the nodes',
    files: ['quorum/thomas-majority', 'core/quorum/majority', 'quorum/voting', 'quorum/substitution'],
    shownBy: [
      scenario('thomas-majority/minority-fails'),
      test('thomas-majority', '3 floor(n/2) messages without competition'),
      test('core/quorum', 'asks floor(n/2) + 1 nodes'),
      broken('thomas-majority-half'),
    ],
    command: 'check thomas-majority --nodes 3',
  },
  {
    section: '5 Quorums and coteries (Gifford; Garcia-Molina and Barbara)',
    describes: 'votes; sets that meet, none within another',
    files: ['quorum/gifford-voting', 'core/quorum/votes', 'core/quorum/family', 'core/quorum/metrics'],
    shownBy: [
      scenario('gifford-voting/two-one-one'),
      test('gifford-voting', 'with one vote each it is a majority'),
      test('core/quorum-metrics', 'coteries of Garcia-Molina and Barbara 1985'),
      broken('gifford-voting-half'),
    ],
    command: 'quorum votes:2,1,1 --nodes 3',
  },
  {
    section: '5 Quorum protocols (Agrawal and El Abbadi)',
    describes: 'majorities, grids, trees',
    files: ['core/quorum/majority', 'core/quorum/grid', 'core/quorum/tree', 'core/quorum/rooted-tree'],
    shownBy: [
      test('core/quorum', 'asks 2 sqrt(n) - 1 nodes where n is a square'),
      test('core/quorum', 'asks a path from the root to a leaf'),
      test(
        'core/quorum-metrics',
        'resilience: a minority, log2(n+1) - 1 of a tree, q of a plane, sqrt(n) - 1 of a grid',
      ),
    ],
    command: 'quorum grid --nodes 9',
  },
  {
    section: '5 Lamport',
    describes: 'logical clocks, a queue at each process; 3(N-1) messages, order required',
    files: ['permission/lamport', 'core/timestamp'],
    shownBy: [
      scenario('lamport/order'),
      scenario('lamport/ties'),
      test(
        'lamport',
        'every entry costs exactly 3(n-1) messages: a request, a reply and a release for each other node',
      ),
      test(
        'lamport',
        'entries follow timestamps, so nobody is overtaken by a request made after its own was known',
      ),
      broken('lamport-without-hearing-all'),
    ],
    command: 'check lamport --nodes 2 --requests 2',
  },
  {
    section: '5 Ricart-Agrawala',
    describes: 'replies at once or deferred; 2(N-1) messages',
    files: ['permission/ricart-agrawala'],
    shownBy: [
      scenario('ricart-agrawala/three-nodes'),
      test('ricart-agrawala', 'section 4: exactly 2(n-1) messages per entry, whatever the load'),
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: '5 Carvalho-Roucairol',
    describes: 'a permission is kept until it is asked back; 0 to 2(N-1) messages',
    files: ['permission/carvalho-roucairol', 'permission/pairwise'],
    shownBy: [
      scenario('carvalho-roucairol/kept-permissions'),
      scenario('carvalho-roucairol/asks-again'),
      test(
        'carvalho-roucairol',
        'Carvalho-Roucairol: the first entry asks everyone, the next of the same node nobody',
      ),
      test('carvalho-roucairol', 'no entry costs more than 2(n-1): nobody is asked twice'),
      broken('carvalho-roucairol-running-clock'),
      broken('carvalho-roucairol-compares-inside'),
    ],
    command: 'check carvalho-roucairol --nodes 3',
  },
  {
    section: '5 Raynal',
    describes: 'prime numbers as attributes, a product that names whose turn it is; its deadlock',
    files: ['permission/raynal-prime', 'permission/prime-product'],
    shownBy: [
      scenario('raynal-prime/three-nodes'),
      scenario('raynal-prime/deadlock'),
      test('raynal-prime', 'the product names a node by its exponents if and only if T = Q / A'),
      test(
        'raynal-prime',
        'if the first node does not ask nobody enters, and polling ends after ten polls without news',
      ),
    ],
    command: 'check raynal-prime --nodes 2 --set polls=1',
  },
  {
    section: '5 Raynal, modified',
    describes: 'no requests; INFORM passes the turn on; (N-1)² messages at worst',
    files: ['permission/raynal-prime-modified', 'permission/prime-product'],
    shownBy: [
      scenario('raynal-prime-modified/three-nodes'),
      test('raynal-prime', 'the farthest node waits for n-1 turns, (n-1)² messages, and tells of its own'),
      broken('raynal-prime-modified-without-own-term'),
      broken('raynal-prime-modified-waits-for-a-message'),
    ],
    command: 'check raynal-prime-modified --nodes 3 --requests any',
  },
  {
    section: '5 Maekawa',
    describes: 'home sets of about sqrt(N) nodes that meet; fail, inquire, cede',
    files: ['quorum/maekawa', 'quorum/arbiter', 'core/quorum/projective', 'core/quorum/finite-field'],
    shownBy: [
      scenario('maekawa/fano'),
      test('maekawa', 'on a projective plane with n = K(K-1) + 1'),
      test('core/quorum-projective', 'every quorum has q + 1 nodes'),
      broken('maekawa-fails-by-queue'),
      broken('maekawa-original'),
    ],
    command: 'check maekawa --nodes 3',
  },
  {
    section: '5 Sanders',
    describes: 'inform, request and status sets; one algorithm for many',
    files: ['quorum/sanders', 'core/structure/structure'],
    shownBy: [
      scenario('sanders/figure-1'),
      test('sanders', 'the lower bound without competition'),
      test('sanders', '%s can enter in the same orders as %s'),
    ],
    command: 'check sanders --nodes 3 --structure central',
  },
  {
    section: '5 Agrawal-El Abbadi',
    describes: 'a path of a binary tree; failed nodes are replaced by paths from their children',
    files: ['quorum/agrawal-el-abbadi', 'quorum/substitution', 'core/quorum/rooted-tree'],
    shownBy: [
      scenario('agrawal-el-abbadi/path'),
      scenario('agrawal-el-abbadi/substitution'),
      test(
        'agrawal-el-abbadi',
        'a path of log2(n+1) nodes: 3 messages for each other member without competition',
      ),
      test(
        'agrawal-el-abbadi',
        'fifteen nodes: all but the leaves may fail, and then a quorum is all the leaves',
      ),
      test('agrawal-el-abbadi', 'any rooted tree: of a star the root and one leaf, of a line the far end'),
      broken('agrawal-el-abbadi-one-path'),
    ],
    command: 'check agrawal-el-abbadi --nodes 3 --crashes 1',
  },
  {
    section: '5 Singhal (dynamic)',
    describes: 'request and inform sets that change with every message',
    files: ['permission/singhal-dynamic', 'permission/pairwise'],
    shownBy: [
      scenario('singhal-dynamic/staircase'),
      scenario('singhal-dynamic/crossing'),
      test(
        'carvalho-roucairol',
        'Singhal: in a fresh system node i asks the i nodes below it, n-1 messages on average',
      ),
      test('carvalho-roucairol', 'when everyone asks again at once, 2(n-1) messages: not 3(n-1)/2'),
      broken('singhal-dynamic-forgets-to-ask'),
    ],
    command: 'check singhal-dynamic --nodes 3',
  },
  {
    section: '5.1 Table 2',
    describes: 'messages of the permission-based algorithms; graceful degradation',
    files: ['catalogue', 'core/facts'],
    shownBy: [
      test(
        'simulator/every-algorithm',
        'light load: the predicted means lie in the 99 % confidence intervals of the measured',
      ),
      test(
        'agrawal-el-abbadi',
        'without the root both of its children are asked: four nodes of seven instead of three',
      ),
    ],
    command:
      'compare lamport ricart-agrawala carvalho-roucairol maekawa sanders agrawal-el-abbadi singhal-dynamic --nodes 13 --load light --load heavy',
  },
  {
    section: '6 Raymond (k entries)',
    describes: 'N-k replies suffice; late replies are counted and merged',
    files: ['multi/raymond-k'],
    shownBy: [
      scenario('raymond-k/late-reply'),
      scenario('raymond-k/merged-replies'),
      test('raymond-k', 'without competition an entry costs 2(n-1) messages'),
      test('raymond-k', 'a node that stays inside answers all requests of another by one reply'),
      broken('raymond-k-counts-late-replies'),
    ],
    command: 'check raymond-k --nodes 3 --k 2',
  },
  {
    section: '6 Srimani-Reddy',
    describes: 'K tokens, bounded rounds, PLN and LT; 0 or N to N+K-1 messages',
    files: ['multi/srimani-reddy'],
    shownBy: [
      scenario('srimani-reddy/rounds'),
      scenario('srimani-reddy/spare-token'),
      scenario('srimani-reddy/surplus'),
      test('srimani-reddy', 'an entry costs nothing with an idle token here, else n to n+k-1 messages'),
      broken('srimani-reddy-keeps-surplus'),
      broken('srimani-reddy-round-start'),
    ],
    command: 'check srimani-reddy --nodes 3',
  },
  {
    section: '6 Kakugawa et al.',
    describes: 'k-coteries: k disjoint quorums, never k+1; the example with four nodes',
    files: ['multi/kakugawa', 'core/quorum/k-coterie'],
    shownBy: [
      scenario('kakugawa/survey-example'),
      test(
        'kakugawa',
        "the survey's example: two nodes inside together by {0,1} and {2,3}, three messages each",
      ),
      test(
        'core/quorum-k-coterie',
        "the survey's four quorums are a 2-coterie, and neither a coterie nor a 3-coterie",
      ),
      test(
        'core/quorum-k-coterie',
        'the printed non-intersection condition accepts what never lets three in; the corrected one does not',
      ),
      broken('kakugawa-releases-another'),
    ],
    command: 'check kakugawa --nodes 3 --requests 2',
  },
  {
    section: '6.1 Table 3',
    describes: 'messages of the algorithms with k entries',
    files: ['multi/raymond-k', 'multi/srimani-reddy', 'multi/kakugawa'],
    shownBy: [
      test('raymond-k', 'k are inside together, and never more'),
      test(
        'srimani-reddy',
        'the first entry of a node without a token brings all idle ones to it: n+k-1 messages',
      ),
      test('kakugawa', 'in competition at most 7s, or 6s without FAIL (fail=%s)'),
    ],
    command: 'compare raymond-k srimani-reddy kakugawa --nodes 12 --k 3 --load light --load heavy',
  },
]
