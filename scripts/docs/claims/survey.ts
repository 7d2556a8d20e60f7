import { broken, scenario, test } from '../evidence.ts'
import type { Claim } from './claim.ts'

const SANDERS = 'Sanders 1987'
const SURVEY = 'Velazquez 1993'

/** Of the survey. */
export const surveyClaims: readonly Claim[] = [
  {
    claimed: 'Under heavy load Singhal’s dynamic algorithm needs 3(N-1)/2 messages',
    where: `${SURVEY}, section 5 and Table 2`,
    instead:
      "When all nodes ask again at once it is 2(N-1). 3(N-1)/2 is the cost at nine tenths of the section's capacity.",
    shownBy: [
      test('carvalho-roucairol', 'when everyone asks again at once, 2(n-1) messages: not 3(n-1)/2'),
      test(
        'carvalho-roucairol',
        '3(n-1)/2 is the cost where nine tenths of what the section can bear are asked for',
      ),
    ],
    command: 'simulate singhal-dynamic --nodes 9 --load heavy',
  },
  {
    claimed: 'Singhal’s dynamic algorithm needs channels that keep order, and request sets meet',
    where: `${SURVEY}, section 5`,
    instead:
      'Neither. With the own number kept apart from the clock, channels need no order. And of two nodes one is in ' +
      'the set of the other.',
    shownBy: [
      test(
        'models',
        'algorithms hold at three nodes; what is known to fail and broken variants fail by the property they name',
      ),
    ],
    command: 'check singhal-dynamic --nodes 3 --requests 2 --channels unordered',
  },
  {
    claimed: 'Under light load Singhal’s heuristic algorithm needs (N+1)/2 messages',
    where: `${SURVEY}, section 4`,
    instead: 'The holder pays nothing, so it is (N+1)/2 - 1/N over all nodes.',
    shownBy: [
      test(
        'singhal-heuristic',
        'from the staircase a lone node pays its step: (n+1)/2 on the average but for the holder, who pays nothing',
      ),
    ],
    command: 'simulate singhal-heuristic --nodes 13 --load light',
  },
  {
    claimed: 'Srimani and Reddy’s algorithm costs 0 or N+K-1 messages',
    where: `${SURVEY}, section 6 and Table 3`,
    instead: 'Nothing, or any number from N to N+K-1: only idle tokens come in surplus.',
    shownBy: [
      test('srimani-reddy', 'an entry costs nothing with an idle token here, else n to n+k-1 messages'),
    ],
    command: 'simulate srimani-reddy --nodes 9 --k 3',
  },
  {
    claimed: 'All the algorithms share a network in which every two nodes are linked',
    where: `${SURVEY}, section 2.1`,
    instead:
      'Hélary, Plouzeau and Raynal’s needs any connected graph, Raymond’s a tree, and both speak to neighbours only.',
    shownBy: [
      test('helary-plouzeau-raynal', 'a node speaks to its neighbours only (section 2.2)'),
      test('raymond', 'from one end of a line to the other: 2(n-1)'),
    ],
    command: 'simulate raymond --topology line',
  },
  {
    claimed: 'Of a quorum agreement it is enough that R_i meets A_i',
    where: `${SURVEY}, section 4 of Mizuno, Neilsen and Rao`,
    instead: 'Every R_i must meet every A_j: the holder is another node.',
    shownBy: [test('core/quorum-agreement', 'that R_i meets A_i is not enough')],
  },
  {
    claimed: 'A majority is (N+1)/2 nodes',
    where: `${SURVEY}, section 5`,
    instead: 'For an even N two such sets need not meet: floor(N/2) + 1.',
    shownBy: [test('core/quorum', 'asks floor(n/2) + 1 nodes'), broken('thomas-majority-half')],
    command: 'check thomas-majority-half --nodes 4 --channels fifo',
  },
  {
    claimed: 'Maekawa’s algorithm costs at most 5 messages for each member, Kakugawa’s at most 5s',
    where: `${SURVEY}, sections 5 and 6, Tables 2 and 3; ${SANDERS}, section 3.2`,
    instead:
      'INQUIRE, YIELD, another GRANT and FAIL make it up to 7 for each other member, as the bound of Sanders 1987, ' +
      'section 6.1, has it; 6 where requesters yield whenever asked.',
    shownBy: [
      test(
        'maekawa',
        'five messages for each other member are no bound: requests that come smaller and smaller',
      ),
      test('core/structure', 'quorums of K cost 3(K-1) to 7(K-1)'),
      test('kakugawa', 'in competition at most 7s, or 6s without FAIL (fail=%s)'),
    ],
  },
  {
    claimed: '2(N-1)² messages are an upper bound for Raynal’s algorithm',
    where: `${SURVEY}, section 5 and Table 2`,
    instead:
      'A waiting node polls again and again, so a long stay inside makes the number as large as you like.',
    shownBy: [
      test(
        'raynal-prime',
        '2(n-1)² messages are no bound: who stays inside for long is asked again and again',
      ),
    ],
    command: 'simulate raynal-prime --nodes 5 --load heavy --inside constant:20 --entries 25',
  },
  {
    claimed: 'Raynal’s modified algorithm needs at most (N-1)² messages for an entry',
    where: `${SURVEY}, section 5`,
    instead:
      'The farthest node waits for (N-1)² and sends N-1 of its own; and an idle system spends messages without end.',
    shownBy: [
      test('raynal-prime', 'the farthest node waits for n-1 turns, (n-1)² messages, and tells of its own'),
    ],
    command: 'check raynal-prime-modified --nodes 3 --requests any',
  },
  {
    claimed: 'With some failures tree quorums need (N+1)/2 messages',
    where: `${SURVEY}, section 5`,
    instead: 'That is how many nodes a quorum has then; each other member costs three messages at least.',
    shownBy: [
      test(
        'agrawal-el-abbadi',
        'fifteen nodes: all but the leaves may fail, and then a quorum is all the leaves',
      ),
    ],
    command: 'quorum tree --nodes 15',
  },
  {
    claimed: 'L N + (N-1) messages for an entry with bounded numbers',
    where: `${SURVEY}, section 4 of Mishra and Srimani, and Table 1`,
    instead:
      'That is for L entries of one node; and L may be 1, where the survey asks for 2, or for more than 2.',
    shownBy: [
      test('suzuki-kasami-bounded', 'L entries by one node cost L n + (n-1) messages, every time'),
      test('mishra-srimani', 'it costs what Suzuki and Kasami with bounded numbers costs, run for run'),
    ],
    command: 'check suzuki-kasami-bounded --nodes 2 --requests any --set L=1',
  },
  {
    claimed: 'Sanders’ algorithm costs |I-{i}| + 2|R-{i}| messages in total',
    where: `${SURVEY}, section 5 and Table 2`,
    instead: 'That is the lower bound; recovery from potential deadlock adds up to 4 for each member.',
    shownBy: [
      test('sanders', 'the lower bound without competition'),
      test('sanders', 'no run leaves the bounds, each entry counted with those of its node'),
    ],
  },
  {
    claimed: 'A set of quorums that passes the three conditions lets k nodes in',
    where: `${SURVEY}, section 6`,
    instead:
      'The first condition asks that another quorum miss one of the given ones; it must miss all of them.',
    shownBy: [
      test('kakugawa', 'what passes the printed condition for k = 3 never lets three in'),
      test(
        'core/quorum-k-coterie',
        'the printed non-intersection condition accepts what never lets three in; the corrected one does not',
      ),
    ],
  },
  {
    claimed: 'Telec lasts for a question to all and the answers',
    where: `${SURVEY}, section 4 of Naimi and Trehel`,
    instead: 'That is 2D, and lets two in: a token that was under way takes a third D.',
    shownBy: [
      test(
        'naimi-trehel-recovery',
        'Telec has to exceed 3D: question and answer take 2D, and a token under way a third',
      ),
      test('naimi-trehel-recovery', 'a Telec that is too short lets two in'),
    ],
  },
  {
    claimed: 'Each node grants its permission to only one node at a time',
    where: `${SURVEY}, section 5`,
    instead:
      'If all nodes are asked, a node may have replied to several waiting nodes. Their numbers decide among them.',
    shownBy: [test('suspects', 'a node replies to two that wait at the same time')],
    command: 'simulate ricart-agrawala --nodes 3 --load heavy',
  },
  {
    claimed: 'An entry of Naimi and Trehel’s costs log N messages',
    where: `${SURVEY}, Table 1`,
    instead: 'That is the average; an entry may cost N.',
    shownBy: [test('naimi-trehel', 'at worst a request runs through everybody: n messages')],
  },
  {
    claimed: 'Raymond’s tree serves first come first served',
    where: `${SURVEY}, section 4`,
    instead:
      'Each node does, among its neighbours; a request far from the privilege is overtaken by later ones near to it.',
    shownBy: [scenario('raymond/not-first-come')],
  },
  {
    claimed: 'Ricart and Agrawala’s and Lamport’s algorithms serve first come first served',
    where: `${SURVEY}, section 5`,
    instead: 'Only up to messages under way: requests made later can overtake a node.',
    shownBy: [
      test('ricart-agrawala', 'section 2.4: the order is first come, first served up to messages under way'),
      test(
        'lamport',
        'entries follow timestamps, so nobody is overtaken by a request made after its own was known',
      ),
      test('checker/counts', '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages'),
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
]
