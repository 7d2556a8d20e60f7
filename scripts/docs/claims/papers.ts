import { broken, scenario, test } from '../evidence.ts'
import type { Claim } from './claim.ts'

const HELARY = 'Hélary, Plouzeau, Raynal 1988'
const SANDERS = 'Sanders 1987'
const RICART = 'Ricart, Agrawala 1981'
const SURVEY = 'Velazquez 1993'
const KESSLER = 'Kessler 2024'

/** Of the papers and the lecture. */
export const paperClaims: readonly Claim[] = [
  {
    claimed: 'An idle token comes within 2d message delays, d the diameter',
    where: `${HELARY}, section 6`,
    instead:
      'A request may arrive first by a long and fast path, and the token must take that path back: d + n - 1.',
    shownBy: [
      test(
        'helary-plouzeau-raynal',
        'a token may take longer than 2d delays: it goes back slowly where the request came fast',
      ),
    ],
  },
  {
    claimed: 'On a ring n-1 to n+1 requests, n to 2n messages',
    where: `${HELARY}, section 6; ${SURVEY}, section 4 and Table 1`,
    instead: 'From four nodes on it is n or n+1 requests (4 on a ring of four), and n+1 to 2n-2 messages.',
    shownBy: [
      test(
        'helary-plouzeau-raynal',
        'ring: 4 requests on a ring of four, n or n+1 on a larger one; n+1 to 2n-2 messages',
      ),
    ],
    command: 'simulate helary-plouzeau-raynal --topology ring --nodes 8 --latency exponential:1',
  },
  {
    claimed: 'The rules of section 4.3 send at most n+1 requests on a ring, 2e on any graph',
    where: `${HELARY}, section 6`,
    instead:
      'A node forgets a served request, and floods a late copy again. If it keeps the time, at most 2e-n+1.',
    shownBy: [
      test(
        'helary-plouzeau-raynal',
        'who forgets that a request was served floods it again: more than n+1 requests on a ring',
      ),
      test('helary-plouzeau-raynal', 'any graph: n-1 to 2e-n+1 requests, and at most n-1 tokens'),
    ],
  },
  {
    claimed: 'Nobody starves (Theorem 3) with min as it is defined',
    where: `${HELARY}, sections 4.3 and 5.5`,
    instead: 'Comparing couples by name first gives priority by name: large names starve.',
    shownBy: [test('helary-plouzeau-raynal', 'ordered by names first, large names starve: %s')],
  },
  {
    claimed: 'The request of a waiting process is older than what the token has for it: rt < lud',
    where: `${HELARY}, proof of Theorem 2, by Lemma 3`,
    instead: 'Lemma 3 says lud < rt, which holds in every state. The proof needs it that way round too.',
    shownBy: [test('suspects', 'Lemma 3: a process that is served asked after it last gave the token away')],
  },
  {
    claimed: 'Broadcasts complete as long as the network is connected',
    where: `${HELARY}, section 7.1.1 (2)`,
    instead:
      'If a request to a node is lost, the node still counts as having seen it, and no other sends it there.',
    shownBy: [
      test(
        'helary-plouzeau-raynal-reconfiguration',
        'a request lost on a channel that fails is sent by nobody else: the others think it was received',
      ),
      scenario('helary-plouzeau-raynal-reconfiguration/request-lost-on-channel'),
    ],
  },
  {
    claimed: 'A handler without an exit may use transmit_token, and no request is forgotten',
    where: `${HELARY}, section 7.1.1 (2)`,
    instead:
      'It dates its own entry of lud, and its own pending request counts as satisfied (Lemma 3 fails).',
    shownBy: [
      test('helary-plouzeau-raynal-reconfiguration', 'a handler that dates its entry loses its own request'),
      scenario('helary-plouzeau-raynal-reconfiguration/no-exit'),
    ],
  },
  {
    claimed: 'At most N(N+1)/2 - 1 entries of others before an own one, by the code of section 2.2',
    where: `${RICART}, appendix, and section 6.4 on the range of numbers`,
    instead:
      'Only if the number sent is recorded as the highest. The code leaves that out, and then there is no bound.',
    shownBy: [
      test('checker/counts', 'as printed, %i nodes, unordered: overtaken without bound'),
      test('checker/counts', '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages'),
    ],
    command: 'check ricart-agrawala-printed --nodes 2 --requests any',
  },
  {
    claimed: 'Writers have priority',
    where: `${RICART}, section 6.6`,
    instead: 'It is first come first served between a writer and readers; readers only let each other pass.',
    shownBy: [scenario('ricart-agrawala/readers-and-writers')],
    command: 'check ricart-agrawala --nodes 3 --readers 0.5',
  },
  {
    claimed: '2(N-1) messages are the least for a symmetric, distributed and concurrent algorithm',
    where: `${RICART}, sections 4.1 and 8`,
    instead:
      'Permissions that are kept need not be asked for again (Carvalho and Roucairol 1983): N-1 on average at light load.',
    shownBy: [
      test('carvalho-roucairol', '%s: n-1 messages on average'),
      test(
        'carvalho-roucairol',
        'Carvalho-Roucairol: the first entry asks everyone, the next of the same node nobody',
      ),
    ],
    command: 'compare ricart-agrawala carvalho-roucairol --nodes 5,10,20',
  },
  {
    claimed: 'Condition a is necessary',
    where: `${SANDERS}, section 4`,
    instead:
      'A node that is told, but that no relevant node asks, decides nothing. A structure may break a harmlessly.',
    shownBy: [
      test(
        'sanders-theorem',
        'the smallest of two nodes: both ask and tell one of them, and the other tells itself without asking',
      ),
      test(
        'sanders-theorem',
        'a and b as the footnote wants them hold of what is left when whom nobody asks is not told',
      ),
    ],
  },
  {
    claimed: 'D_ij = 2 wherever I_i and I_j meet',
    where: `${SANDERS}, section 6.2`,
    instead:
      'It contradicts the 2(N-1)/N given there for the centralized structure. It is 2 only if a third node is told ' +
      'by the one that leaves and asked by the one that waits.',
    shownBy: [test('core/structure', 'the centralized structure costs 3 messages, and the coordinator none')],
    command: 'structure design --demand 10,10,1,1 --objective delay',
  },
  {
    claimed: 'DM sums over all of R_i',
    where: `${SANDERS}, section 6.1`,
    instead:
      'Over the others in R_i: with i in it the completely distributed structure would have N, not N-1.',
    shownBy: [
      test('core/structure', 'the completely distributed one costs 2(N-1), with DM = N-1 and D = 1'),
      test('sanders', 'no run leaves the bounds, each entry counted with those of its node'),
    ],
  },
  {
    claimed: 'Local recovery never violates mutual exclusion',
    where: `${SANDERS}, section 7.1`,
    instead: 'A node that has the GRANT of the failed node enters beside one that asked others instead.',
    shownBy: [
      test(
        'sanders-recovery',
        'three nodes: who has the GRANT of the failed node enters beside the one that asked it instead',
      ),
      test(
        'sanders-recovery',
        'five nodes: who has the GRANT of the failed node asks none of the new members',
      ),
      broken('sanders-recovery-published'),
    ],
  },
  {
    claimed: 'In Figure 2 D_02 = D_03 = D_12 = D_13 = 1',
    where: `${SANDERS}, section 6.2`,
    instead: 'Two: node 1 must hear the RELEASE of node 2 before it GRANTs node 0.',
    shownBy: [test('core/structure', 'the two favoured nodes of Figure 2 pay 2 messages, the others 6')],
  },
  {
    claimed: 'Only the failure of the holder prevents progress',
    where: `${KESSLER}, Ricart-Agrawala Second Algorithm`,
    instead: 'The token is also sent to a node that crashed while it waited, and is lost with it.',
    shownBy: [
      test(
        'ricart-agrawala-token',
        'not so: the token is sent to a crashed node that waited, and is lost with it',
      ),
    ],
    command: 'check ricart-agrawala-token --nodes 3 --crashes 1',
  },
  {
    claimed: 'From 1 to n-1 messages to obtain the token of a ring',
    where: `${KESSLER}, Token Ring Algorithm`,
    instead: 'None if it rests there; and while no node asks, every turn of the ring costs n more.',
    shownBy: [
      test('token-ring', 'none where it rests'),
      test('token-ring', 'n messages for each idle turn: the longer nobody asks, the dearer the next entry'),
    ],
  },
  {
    claimed: 'The bully’s best case is n-2 messages',
    where: `${KESSLER}, The Bully Algorithm`,
    instead: 'The second highest asks the dead coordinator first: 1 + (n-2).',
    shownBy: [test('bully', 'best case: the second highest notices, 1 + (n-2) messages')],
    command: 'elect bully --nodes 7 --initiators 5',
  },
  {
    claimed: 'A ring election takes 2n + n/2 messages on average',
    where: `${KESSLER}, The Ring-Based Algorithm`,
    instead:
      'Averaged over who calls it, 2n + (n-1)/2, n of those alive; several callers cost up to n(n+1)/2 + n.',
    shownBy: [
      test('ring-election', 'on average over who calls it: 2n + (n-1)/2, n alive'),
      test(
        'ring-election',
        'everyone calls: n(n+1)/2 election messages where the ring falls, 2n-1 where it rises',
      ),
    ],
    command: 'elect ring-election --nodes 20 --initiators all',
  },
  {
    claimed: 'The next of the next neighbour bypasses what has crashed',
    where: `${KESSLER}, The Ring-Based Algorithm`,
    instead: 'It bridges one gap: two neighbours that crash together break the ring.',
    shownBy: [
      test(
        'ring-election',
        'two neighbours that crash together break the ring: next-of-next bridges one gap only',
      ),
    ],
  },
]
