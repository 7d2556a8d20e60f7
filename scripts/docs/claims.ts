import { broken, cited, type Evidence, scenario, test, verifyCommand, verifyEvidence } from './evidence.ts'

/** A number, a bound or a theorem that is not so, although no rule fails by it. */
interface Claim {
  readonly claimed: string
  /** Author, year and section. */
  readonly where: string
  readonly true: string
  readonly shownBy: readonly Evidence[]
  /** After `npx turnwise`. */
  readonly command?: string
}

/** What the sources claim and measurement, search or proof contradicts, as a section of the errata. */
export async function claims(): Promise<string[]> {
  for (const { claimed, where, shownBy, command } of CLAIMS) {
    for (const evidence of shownBy) verifyEvidence(evidence, `${where}, ${claimed}`)
    if (shownBy.length === 0) throw new Error(`${where}, ${claimed}: nothing shows it`)
    if (command !== undefined) await verifyCommand(command, `${where}, ${claimed}`)
  }
  return [
    '## Claims that do not hold',
    '',
    'Numbers, bounds and theorems that measurement, search or proof contradicts, although no rule fails by it.',
    '',
    ...CLAIMS.flatMap(({ claimed, where, shownBy, command, ...rest }) => [
      `- **${claimed}** (${where}). ${rest.true} Shown by ${shownBy.map(cited).join('; ')}` +
        `${command === undefined ? '' : `; \`npx turnwise ${command}\``}.`,
    ]),
    '',
  ]
}

const HELARY = 'Hélary, Plouzeau, Raynal 1988'
const SANDERS = 'Sanders 1987'
const RICART = 'Ricart, Agrawala 1981'
const SURVEY = 'Velazquez 1993'
const KESSLER = 'Kessler 2024'

const CLAIMS: readonly Claim[] = [
  {
    claimed: 'An idle token comes within 2d message delays, d the diameter',
    where: `${HELARY}, section 6`,
    true: 'A request may win by a long and fast path, and the token must take it back: d + n - 1.',
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
    true: 'From four nodes on it is n or n+1 requests (4 on a ring of four), and n+1 to 2n-2 messages.',
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
    true: 'A request that was served is forgotten, and a late copy is flooded again. With its time kept, 2e-n+1.',
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
    true: 'Couples of name and time compared in this order give priority by name: large names starve.',
    shownBy: [test('helary-plouzeau-raynal', 'ordered by names first, large names starve: %s')],
  },
  {
    claimed: 'Broadcasts complete as long as the network is connected',
    where: `${HELARY}, section 7.1.1 (2)`,
    true: 'Whoever a request was lost to counts as having seen it, and nobody else sends it there.',
    shownBy: [
      test(
        'helary-plouzeau-raynal-reconfiguration',
        'a request lost on a channel that fails is sent by nobody else: the others think it was received',
      ),
      scenario('helary-plouzeau-raynal/request-lost-on-channel'),
    ],
  },
  {
    claimed: 'A handler without an exit may use transmit_token, and no request is forgotten',
    where: `${HELARY}, section 7.1.1 (2)`,
    true: 'It dates its own entry of lud, and its own pending request counts as satisfied (Lemma 3 fails).',
    shownBy: [
      test('helary-plouzeau-raynal-reconfiguration', 'a handler that dates its entry loses its own request'),
      scenario('helary-plouzeau-raynal/no-exit'),
    ],
  },
  {
    claimed: 'At most N(N+1)/2 - 1 entries of others before an own one, by the code of section 2.2',
    where: `${RICART}, appendix, and section 6.4 on the range of numbers`,
    true: 'Only if the number sent is recorded as the highest, which the code leaves out; without, there is no bound.',
    shownBy: [
      test('checker/counts', 'as printed, %i nodes, unordered: overtaken without bound'),
      test('checker/counts', '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages'),
    ],
    command: 'check ricart-agrawala-printed --nodes 2 --requests any',
  },
  {
    claimed: 'Writers have priority',
    where: `${RICART}, section 6.6`,
    true: 'It is first come first served between a writer and readers; readers only let each other pass.',
    shownBy: [scenario('ricart-agrawala/readers-and-writers')],
    command: 'check ricart-agrawala --nodes 3 --readers 0.5',
  },
  {
    claimed: 'Condition a is necessary',
    where: `${SANDERS}, section 4`,
    true: 'A node that is told but asked by nobody that matters decides nothing: a structure may break a harmlessly.',
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
    true:
      'It contradicts the 2(N-1)/N given there for the centralized structure. It is 2 only if a third node is told ' +
      'by the one that leaves and asked by the one that waits.',
    shownBy: [test('core/structure', 'the centralized structure costs 3 messages, and the coordinator none')],
    command: 'structure design --demand 10,10,1,1 --objective delay',
  },
  {
    claimed: 'DM sums over all of R_i',
    where: `${SANDERS}, section 6.1`,
    true: 'Over the others in R_i: with i in it the completely distributed structure would have N, not N-1.',
    shownBy: [
      test('core/structure', 'the completely distributed one costs 2(N-1), with DM = N-1 and D = 1'),
      test('sanders', 'no run leaves the bounds, each entry counted with those of its node'),
    ],
  },
  {
    claimed: 'Local recovery never violates mutual exclusion',
    where: `${SANDERS}, section 7.1`,
    true: 'Who has the GRANT of the failed node enters beside one that asked others instead.',
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
    claimed: 'The algorithm of section 5 recovers from every deadlock',
    where: `${SANDERS}, section 5`,
    true: 'An INQUIRE tested once, a FAIL that is not sent and answers without a name each leave nodes waiting, or two inside.',
    shownBy: [broken('sanders-one-shot-inquire'), broken('sanders-missing-fail'), broken('sanders-untagged')],
  },
  {
    claimed: 'Under heavy load Singhal’s dynamic algorithm needs 3(N-1)/2 messages',
    where: `${SURVEY}, section 5 and Table 2`,
    true: 'When everyone asks again at once it is 2(N-1); 3(N-1)/2 is the cost at nine tenths of what the section can bear.',
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
    true: 'Neither: with the own number kept apart from the clock any order will do, and of two nodes one is in the set of the other.',
    shownBy: [test('carvalho-roucairol', 'no entry costs more than 2(n-1): nobody is asked twice')],
    command: 'check singhal-dynamic --nodes 3 --requests 2 --channels unordered',
  },
  {
    claimed: 'A majority is (N+1)/2 nodes',
    where: `${SURVEY}, section 5`,
    true: 'For an even N two such sets need not meet: floor(N/2) + 1.',
    shownBy: [test('core/quorum', 'asks floor(n/2) + 1 nodes'), broken('thomas-majority-half')],
    command: 'check thomas-majority-half --nodes 4 --channels fifo',
  },
  {
    claimed: 'Maekawa’s algorithm costs at most 5 messages for each member, Kakugawa’s at most 5s',
    where: `${SURVEY}, sections 5 and 6, Tables 2 and 3; ${SANDERS}, section 3.2`,
    true:
      'With an INQUIRE, a YIELD, another GRANT and a FAIL it is 7 for each other member, as the bound of Sanders ' +
      '1987, section 6.1, has it; 6 where requesters yield whenever asked. Averages of usual loads stay below 5.',
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
    true: 'A node that waits polls again and again: who stays inside for long makes it as many as one likes.',
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
    true: 'The farthest node waits for (N-1)², and tells of its own turn; an idle system spends messages without end.',
    shownBy: [
      test('raynal-prime', 'the farthest node waits for n-1 turns, (n-1)² messages, and tells of its own'),
    ],
    command: 'check raynal-prime-modified --nodes 3 --requests any',
  },
  {
    claimed: 'With some failures tree quorums need (N+1)/2 messages',
    where: `${SURVEY}, section 5`,
    true: 'That is how many nodes a quorum has then; each other member costs three messages at least.',
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
    true: 'That is for L entries of one node; and L may be 1, where the survey asks for 2, or for more than 2.',
    shownBy: [
      test('suzuki-kasami-bounded', 'L entries by one node cost L n + (n-1) messages, every time'),
      test('mishra-srimani', 'it costs what Suzuki and Kasami with bounded numbers costs, run for run'),
    ],
    command: 'check suzuki-kasami-bounded --nodes 2 --requests any --set L=1',
  },
  {
    claimed: 'Sanders’ algorithm costs |I-{i}| + 2|R-{i}| messages in total',
    where: `${SURVEY}, section 5 and Table 2`,
    true: 'That is the lower bound; recovery from potential deadlock adds up to 4 for each member.',
    shownBy: [
      test('sanders', 'the lower bound without competition'),
      test('sanders', 'no run leaves the bounds, each entry counted with those of its node'),
    ],
  },
  {
    claimed: 'A set of quorums that passes the three conditions lets k nodes in',
    where: `${SURVEY}, section 6`,
    true: 'The first condition asks that another quorum miss one of the given ones; it must miss all of them.',
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
    true: 'That is 2D, and lets two in: a token that was under way takes a third D.',
    shownBy: [
      test(
        'naimi-trehel-recovery',
        'Telec has to exceed 3D: question and answer take 2D, and a token under way a third',
      ),
      test('naimi-trehel-recovery', 'a Telec that is too short lets two in'),
    ],
  },
  {
    claimed: 'Raymond’s tree serves first come first served',
    where: `${SURVEY}, section 4`,
    true: 'Each node does, among its neighbours; over the whole tree a node can be overtaken without bound.',
    shownBy: [
      test('checker/extremes', 'raymond: the token can be asked for across the tree again and again'),
    ],
    command: 'check raymond --nodes 3 --requests any',
  },
  {
    claimed: 'Ricart and Agrawala’s, Lamport’s and Hélary’s algorithms serve first come first served',
    where: `${SURVEY}, sections 4 and 5`,
    true: 'Up to messages under way: a node can be overtaken by requests that were made after its own.',
    shownBy: [
      test('ricart-agrawala', 'section 2.4: the order is first come, first served up to messages under way'),
      test('checker/counts', '%i nodes, %s: a node is overtaken at most %i times, at 2(n-1) messages'),
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    claimed: 'Only the failure of the holder prevents progress',
    where: `${KESSLER}, Ricart-Agrawala Second Algorithm`,
    true: 'The token is also sent to a node that crashed while it waited, and is lost with it.',
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
    true: 'None where it rests; and while nobody asks, every turn of the ring costs n more.',
    shownBy: [
      test('token-ring', 'none where it rests'),
      test('token-ring', 'n messages for each idle turn: the longer nobody asks, the dearer the next entry'),
    ],
  },
  {
    claimed: 'The bully’s best case is n-2 messages',
    where: `${KESSLER}, The Bully Algorithm`,
    true: 'The second highest asks the dead coordinator first: 1 + (n-2).',
    shownBy: [test('bully', 'best case: the second highest notices, 1 + (n-2) messages')],
    command: 'elect bully --nodes 7 --initiators 5',
  },
  {
    claimed: 'A ring election takes 2n + n/2 messages on average',
    where: `${KESSLER}, The Ring-Based Algorithm`,
    true: 'Averaged over who calls it, 2n + (n-1)/2, n of those alive; several callers cost up to n(n+1)/2 + n.',
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
    true: 'It bridges one gap: two neighbours that crash together break the ring.',
    shownBy: [
      test(
        'ring-election',
        'two neighbours that crash together break the ring: next-of-next bridges one gap only',
      ),
    ],
  },
]
