import { broken, scenario } from '../evidence.ts'
import type { Section } from './section.ts'

/** Sections 3.2, 5 and 6. */
export const velazquezPermission: readonly Section[] = [
  {
    section: '3.2 The permission-based approach',
    describes: 'permission of a set of nodes, one at a time each; priorities decide',
    files: ['permission/ricart-agrawala', 'quorum/arbiter', 'core/timestamp'],
    command: 'compare ricart-agrawala maekawa thomas-majority agrawal-el-abbadi --nodes 7,13,31',
  },
  {
    section: '5 Majorities (Thomas)',
    describes: 'more than half of the nodes',
    files: ['quorum/thomas-majority', 'core/quorum/majority', 'quorum/voting', 'quorum/substitution'],
    shownBy: [scenario('thomas-majority/minority-fails'), broken('thomas-majority-half')],
    command: 'check thomas-majority --nodes 3',
  },
  {
    section: '5 Quorums and coteries (Gifford; Garcia-Molina and Barbara)',
    describes: 'votes; sets that meet, none within another',
    files: ['quorum/gifford-voting', 'core/quorum/votes', 'core/quorum/family', 'core/quorum/quorum-metrics'],
    shownBy: [scenario('gifford-voting/two-one-one'), broken('gifford-voting-half')],
    command: 'quorum votes:2,1,1 --nodes 3',
  },
  {
    section: '5 Quorum protocols (Agrawal and El Abbadi)',
    describes: 'majorities, grids, trees',
    files: ['core/quorum/majority', 'core/quorum/grid', 'core/quorum/tree', 'core/quorum/rooted-tree'],
    command: 'quorum grid --nodes 9',
  },
  {
    section: '5 Lamport',
    describes: 'logical clocks, a queue at each process; 3(N-1) messages, order required',
    files: ['permission/lamport', 'core/timestamp'],
    shownBy: [scenario('lamport/order'), scenario('lamport/ties'), broken('lamport-without-hearing-all')],
    command: 'check lamport --nodes 2 --requests 2',
  },
  {
    section: '5 Ricart-Agrawala',
    describes: 'replies at once or deferred; 2(N-1) messages',
    files: ['permission/ricart-agrawala'],
    shownBy: [scenario('ricart-agrawala/three-nodes')],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: '5 Carvalho-Roucairol',
    describes: 'a permission is kept until it is asked back; 0 to 2(N-1) messages',
    files: ['permission/carvalho-roucairol', 'permission/pairwise'],
    shownBy: [
      scenario('carvalho-roucairol/kept-permissions'),
      scenario('carvalho-roucairol/asks-again'),
      broken('carvalho-roucairol-running-clock'),
      broken('carvalho-roucairol-compares-inside'),
    ],
    command: 'check carvalho-roucairol --nodes 3',
  },
  {
    section: '5 Raynal',
    describes: 'prime numbers as attributes, a product that names the node that has the turn; its deadlock',
    files: ['permission/raynal-prime', 'permission/prime-product'],
    shownBy: [scenario('raynal-prime/three-nodes'), scenario('raynal-prime/deadlock')],
    command: 'check raynal-prime --nodes 2 --set polls=1',
  },
  {
    section: '5 Raynal, modified',
    describes: 'no requests; INFORM passes the turn on; (N-1)² messages at worst',
    files: ['permission/raynal-prime-modified', 'permission/prime-product'],
    shownBy: [
      scenario('raynal-prime-modified/three-nodes'),
      broken('raynal-prime-modified-without-own-term'),
      broken('raynal-prime-modified-waits-for-a-message'),
    ],
    command: 'check raynal-prime-modified --nodes 3 --requests any',
  },
  {
    section: '5 Maekawa',
    describes: 'home sets of about sqrt(N) nodes that meet; fail, inquire, cede',
    files: ['quorum/maekawa', 'quorum/arbiter', 'core/quorum/projective', 'core/quorum/finite-field'],
    shownBy: [scenario('maekawa/fano'), broken('maekawa-fails-by-queue'), broken('maekawa-original')],
    command: 'check maekawa --nodes 3',
  },
  {
    section: '5 Sanders',
    describes: 'inform, request and status sets; one algorithm for many',
    files: ['quorum/sanders', 'core/structure/structure'],
    shownBy: [scenario('sanders/figure-1')],
    command: 'check sanders --nodes 3 --structure central',
  },
  {
    section: '5 Agrawal-El Abbadi',
    describes: 'a path of a binary tree; failed nodes are replaced by paths from their children',
    files: ['quorum/agrawal-el-abbadi', 'quorum/substitution', 'core/quorum/rooted-tree'],
    shownBy: [
      scenario('agrawal-el-abbadi/path'),
      scenario('agrawal-el-abbadi/substitution'),
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
      broken('singhal-dynamic-forgets-to-ask'),
    ],
    command: 'check singhal-dynamic --nodes 3',
  },
  {
    section: '5.1 Table 2',
    describes: 'messages of the permission-based algorithms; graceful degradation',
    files: ['catalogue', 'core/facts'],
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
      broken('srimani-reddy-keeps-surplus'),
      broken('srimani-reddy-round-start'),
    ],
    command: 'check srimani-reddy --nodes 3',
  },
  {
    section: '6 Kakugawa et al.',
    describes: 'k-coteries: k disjoint quorums, never k+1; the example with four nodes',
    files: ['multi/kakugawa', 'core/quorum/k-coterie'],
    shownBy: [scenario('kakugawa/survey-example'), broken('kakugawa-releases-another')],
    command: 'check kakugawa --nodes 3 --requests 2',
  },
  {
    section: '6.1 Table 3',
    describes: 'messages of the algorithms with k entries',
    files: ['multi/raymond-k', 'multi/srimani-reddy', 'multi/kakugawa'],
    command: 'compare raymond-k srimani-reddy kakugawa --nodes 12 --k 3 --load light --load heavy',
  },
]
