import { broken, scenario } from '../evidence.ts'
import type { Claim } from './claim.ts'

const HELARY = 'Hélary, Plouzeau, Raynal 1988'
const SANDERS = 'Sanders 1987'
const RICART = 'Ricart, Agrawala 1981'
const SURVEY = 'Velazquez 1993'
const KESSLER = 'Kessler 2024'

/** Of the papers and the lecture. */
export const paperClaims: readonly Claim[] = [
  {
    name: 'idle-token-in-2d',
    claimed: 'An idle token comes within 2d message delays, d the diameter',
    where: `${HELARY}, section 6`,
    instead:
      'A request may arrive first by a long and fast path, and the token must take that path back: d + n - 1.',
  },
  {
    name: 'requests-on-a-ring',
    claimed: 'On a ring n-1 to n+1 requests, n to 2n messages',
    where: `${HELARY}, section 6; ${SURVEY}, section 4 and Table 1`,
    instead:
      'The bounds hold, but not all are reached. From four nodes on it is n or n+1 requests (4 on a ring of four), and n+1 to 2n-2 messages.',
    command: 'simulate helary-plouzeau-raynal --topology ring --nodes 8 --latency exponential:1',
  },
  {
    name: 'section-4.3-requests',
    claimed: 'The rules of section 4.3 send at most n+1 requests on a ring, 2e on any graph',
    where: `${HELARY}, section 6`,
    instead:
      'A node forgets a served request, and floods a late copy again. If it keeps the time, at most 2e-n+1.',
  },
  {
    name: 'nobody-starves-with-min',
    claimed: 'Nobody starves (Theorem 3) with min as it is defined',
    where: `${HELARY}, sections 4.3 and 5.5`,
    instead: 'Comparing couples by name first gives priority by name: large names starve.',
  },
  {
    name: 'rt-before-lud',
    claimed: 'The request of a waiting process is older than what the token has for it: rt < lud',
    where: `${HELARY}, proof of Theorem 2, by Lemma 3`,
    instead: 'Lemma 3 says lud < rt, which holds in every state. The proof needs it that way round too.',
  },
  {
    name: 'broadcasts-complete',
    claimed: 'Broadcasts complete as long as the network is connected',
    where: `${HELARY}, section 7.1.1 (2)`,
    instead:
      'If a request to a node is lost, the node still counts as having seen it, and no other sends it there.',
    shownBy: [scenario('helary-plouzeau-raynal-reconfiguration/request-lost-on-channel')],
  },
  {
    name: 'exits-forget-nothing',
    claimed: 'A handler without an exit may use transmit_token, and no request is forgotten',
    where: `${HELARY}, section 7.1.1 (2)`,
    instead:
      'It dates its own entry of lud, and its own pending request counts as satisfied (Lemma 3 fails).',
    shownBy: [scenario('helary-plouzeau-raynal-reconfiguration/no-exit')],
  },
  {
    name: 'most-entries-of-others',
    claimed: 'At most N(N+1)/2 - 1 entries of others before an own one, by the code of section 2.2',
    where: `${RICART}, appendix, and section 6.4 on the range of numbers`,
    instead:
      'Only if the number sent is recorded as the highest. The code leaves that out, and then there is no bound.',
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
    name: 'fewest-messages',
    claimed: '2(N-1) messages are the least for a symmetric, distributed and concurrent algorithm',
    where: `${RICART}, sections 4.1 and 8`,
    instead:
      'Permissions that are kept need not be asked for again (Carvalho and Roucairol 1983): N-1 on average at light load.',
    command: 'compare ricart-agrawala carvalho-roucairol --nodes 5,10,20',
  },
  {
    name: 'condition-a-is-necessary',
    claimed: 'Condition a is necessary',
    where: `${SANDERS}, section 4`,
    instead:
      'A node that is told, but that no relevant node asks, decides nothing. A structure may break a harmlessly.',
  },
  {
    name: 'delay-2-where-sets-meet',
    claimed: 'D_ij = 2 wherever I_i and I_j meet',
    where: `${SANDERS}, section 6.2`,
    instead:
      'It contradicts the 2(N-1)/N given there for the centralized structure. It is 2 only if a third node is told ' +
      'by the one that leaves and asked by the one that waits.',
    command: 'structure design --demand 10,10,1,1 --objective delay',
  },
  {
    name: 'dm-over-all',
    claimed: 'DM sums over all of R_i',
    where: `${SANDERS}, section 6.1`,
    instead:
      'Over the others in R_i: with i in it the completely distributed structure would have N, not N-1.',
  },
  {
    name: 'local-recovery-is-safe',
    claimed: 'Local recovery never violates mutual exclusion',
    where: `${SANDERS}, section 7.1`,
    instead: 'A node that has the GRANT of the failed node enters beside one that asked others instead.',
    shownBy: [broken('sanders-recovery-published')],
  },
  {
    name: 'figure-2-delays',
    claimed: 'In Figure 2 D_02 = D_03 = D_12 = D_13 = 1',
    where: `${SANDERS}, section 6.2`,
    instead: 'Two: node 1 must hear the RELEASE of node 2 before it GRANTs node 0.',
  },
  {
    name: 'only-the-holder',
    claimed: 'Only the failure of the holder prevents progress',
    where: `${KESSLER}, Ricart-Agrawala Second Algorithm`,
    instead: 'The token is also sent to a node that crashed while it waited, and is lost with it.',
    command: 'check ricart-agrawala-token --nodes 3 --crashes 1',
  },
  {
    name: 'token-in-n-1',
    claimed: 'From 1 to n-1 messages to obtain the token of a ring',
    where: `${KESSLER}, Token Ring Algorithm`,
    instead: 'None if it rests there; and while no node asks, every turn of the ring costs n more.',
  },
  {
    name: 'bully-best-case',
    claimed: 'The bully’s best case is n-2 messages',
    where: `${KESSLER}, The Bully Algorithm`,
    instead: 'The second highest asks the dead coordinator first: 1 + (n-2).',
    command: 'elect bully --nodes 7 --initiators 5',
  },
  {
    name: 'ring-election-average',
    claimed: 'A ring election takes 2n + n/2 messages on average',
    where: `${KESSLER}, The Ring-Based Algorithm`,
    instead:
      'Averaged over who calls it, 2n + (n-1)/2, n of those alive; several callers cost up to n(n+1)/2 + n.',
    command: 'elect ring-election --nodes 20 --initiators all',
  },
]
