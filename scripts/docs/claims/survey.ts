import { broken, scenario } from '../evidence.ts'
import type { Claim } from './claim.ts'

const SANDERS = 'Sanders 1987'
const SURVEY = 'Velazquez 1993'

/** Of the survey. */
export const surveyClaims: readonly Claim[] = [
  {
    name: 'singhal-dynamic-heavy',
    claimed: 'Under heavy load Singhal’s dynamic algorithm needs 3(N-1)/2 messages',
    where: `${SURVEY}, section 5 and Table 2`,
    instead:
      "When all nodes ask again at once it is 2(N-1). 3(N-1)/2 is the cost at nine tenths of the section's capacity.",
    command: 'simulate singhal-dynamic --nodes 9 --load heavy',
  },
  {
    name: 'singhal-dynamic-order',
    claimed: 'Singhal’s dynamic algorithm needs channels that keep order, and request sets meet',
    where: `${SURVEY}, section 5`,
    instead:
      'Neither. With the own number kept apart from the clock, channels need no order. And of two nodes one is in ' +
      'the set of the other.',
    command: 'check singhal-dynamic --nodes 3 --requests 2 --channels unordered',
  },
  {
    name: 'singhal-heuristic-light',
    claimed: 'Under light load Singhal’s heuristic algorithm needs (N+1)/2 messages',
    where: `${SURVEY}, section 4`,
    instead: 'The holder pays nothing, so it is (N+1)/2 - 1/N over all nodes.',
    command: 'simulate singhal-heuristic --nodes 13 --load light',
  },
  {
    name: 'srimani-reddy-cost',
    claimed: 'Srimani and Reddy’s algorithm costs 0 or N+K-1 messages',
    where: `${SURVEY}, section 6 and Table 3`,
    instead: 'Nothing, or any number from N to N+K-1: only idle tokens come in surplus.',
    command: 'simulate srimani-reddy --nodes 9 --k 3',
  },
  {
    name: 'complete-network',
    claimed: 'All the algorithms share a network in which every two nodes are linked',
    where: `${SURVEY}, section 2.1`,
    instead:
      'Hélary, Plouzeau and Raynal’s needs any connected graph, Raymond’s a tree, and both speak to neighbours only.',
    command: 'simulate raymond --topology line',
  },
  {
    name: 'agreement-meets',
    claimed: 'A request goes through a node that R_i and A_i have in common',
    where: `${SURVEY}, section 4 of Mizuno, Neilsen and Rao`,
    instead:
      'Through one of R_i and A_j, where node j has the token. Every R_i meets every A_j, as the definition of the same section has it; ' +
      'that R_i meets A_i would not be enough.',
  },
  {
    name: 'majority-size',
    claimed: 'A majority is (N+1)/2 nodes',
    where: `${SURVEY}, section 5`,
    instead: 'Rounded down, two such sets need not meet where N is even: floor(N/2) + 1.',
    shownBy: [broken('thomas-majority-half')],
    command: 'check thomas-majority-half --nodes 4 --channels fifo',
  },
  {
    name: 'arbiters-at-most-5',
    claimed: 'Maekawa’s algorithm costs at most 5 messages for each member, Kakugawa’s at most 5s',
    where: `${SURVEY}, sections 5 and 6, Tables 2 and 3; ${SANDERS}, section 3.2`,
    instead:
      'INQUIRE, YIELD, another GRANT and FAIL make it up to 7 for each other member, as the bound of Sanders 1987, ' +
      'section 6.1, has it; 6 where requesters yield whenever asked.',
  },
  {
    name: 'raynal-bound',
    claimed: '2(N-1)² messages are an upper bound for Raynal’s algorithm',
    where: `${SURVEY}, section 5 and Table 2`,
    instead:
      'A waiting node polls again and again, so a long stay inside makes the number as large as you like.',
    command: 'simulate raynal-prime --nodes 5 --load heavy --inside constant:20 --entries 25',
  },
  {
    name: 'raynal-modified-bound',
    claimed: 'Raynal’s modified algorithm needs at most (N-1)² messages for an entry',
    where: `${SURVEY}, section 5`,
    instead:
      'The farthest node waits for (N-1)² and sends N-1 of its own; and an idle system spends messages without end.',
    command: 'check raynal-prime-modified --nodes 3 --requests any',
  },
  {
    name: 'tree-with-failures',
    claimed: 'With some failures tree quorums need (N+1)/2 messages',
    where: `${SURVEY}, section 5`,
    instead: 'That is how many nodes a quorum has then; each other member costs three messages at least.',
    command: 'quorum tree --nodes 15',
  },
  {
    name: 'bounded-numbers-cost',
    claimed: 'L N + (N-1) messages for an entry with bounded numbers',
    where: `${SURVEY}, section 4 of Mishra and Srimani, and Table 1`,
    instead:
      'That is for L entries of one node; and L may be 1, where the survey asks for 2, or for more than 2.',
    command: 'check suzuki-kasami-bounded --nodes 2 --requests any --set L=1',
  },
  {
    name: 'sanders-total',
    claimed: 'Sanders’ algorithm costs |I-{i}| + 2|R-{i}| messages in total',
    where: `${SURVEY}, section 5 and Table 2`,
    instead: 'That is the lower bound; recovery from potential deadlock adds up to 4 for each member.',
  },
  {
    name: 'k-quorums-conditions',
    claimed: 'A set of quorums that passes the three conditions lets k nodes in',
    where: `${SURVEY}, section 6`,
    instead:
      'The first condition asks that another quorum miss one of the given ones; it must miss all of them.',
  },
  {
    name: 'telec',
    claimed: 'Telec lasts for a question to all and the answers',
    where: `${SURVEY}, section 4 of Naimi and Trehel`,
    instead: 'That is 2D, and lets two in: a token that was under way takes a third D.',
  },
  {
    name: 'one-permission',
    claimed: 'Each node grants its permission to only one node at a time',
    where: `${SURVEY}, section 5`,
    instead:
      'If all nodes are asked, a node may have replied to several waiting nodes. Their numbers decide among them.',
    command: 'simulate ricart-agrawala --nodes 3 --load heavy',
  },
  {
    claimed: 'Raymond’s tree serves first come first served',
    where: `${SURVEY}, section 4`,
    instead:
      'Each node does, among its neighbours; a request far from the privilege is overtaken by later ones near to it.',
    shownBy: [scenario('raymond/not-first-come')],
  },
  {
    name: 'permissions-in-order',
    claimed: 'Ricart and Agrawala’s and Lamport’s algorithms serve first come first served',
    where: `${SURVEY}, section 5`,
    instead: 'Only up to messages under way: requests made later can overtake a node.',
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
]
