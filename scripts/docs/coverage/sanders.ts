import { broken, scenario, test } from '../evidence.ts'
import type { Section } from './section.ts'

const RULES = ['quorum/sanders', 'quorum/arbiter']
const here = (title: string) => test('sanders', title)
const theorem = (title: string) => test('sanders-theorem', title)
const structure = (title: string) => test('core/structure', title)

export const sanders: readonly Section[] = [
  {
    section: '1 Introduction',
    describes: 'N processes, reliable channels in order, any finite delays',
    files: RULES,
    shownBy: [
      broken('sanders-untagged'),
      test(
        'simulator/every-algorithm',
        'random runs: judges content, costs as predicted, the same run every time',
      ),
    ],
    command: 'check sanders --nodes 3 --structure central --channels fifo',
  },
  {
    section: '2 Information Structures',
    describes: 'inform sets, request sets, and the status sets that follow; static and dynamic',
    files: ['core/structure/structure', 'core/structure/from-text'],
    shownBy: [
      structure('the status sets are the inform sets turned round'),
      test('cli/cli/structure', 'structure show lists the sets, or draws them'),
    ],
    command: 'structure design --nodes 4 --demand 10,10,1,1',
  },
  {
    section: '3.1 Policy for Conflict Resolution',
    describes: 'timestamps: the largest seen plus one, with every message; ties by process',
    files: [...RULES, 'core/timestamp'],
    shownBy: [
      test('core/timestamp', 'a total order: it carries over'),
      test(
        'checker/beyond-reach',
        'a clock that falls behind for ever cuts the search short; what holds for fewer requests is no proof',
      ),
    ],
    command: 'simulate sanders --structure maekawa --nodes 7 --load heavy',
  },
  {
    section: '3.2 The Algorithm',
    describes: 'REQUEST, GRANT, RELEASE; CSSTAT and the priority queue; the base version',
    files: [...RULES, 'quorum/arbiter-state'],
    shownBy: [broken('sanders-base'), scenario('sanders/figure-1')],
    command: 'check sanders-base --nodes 2 --channels fifo --structure ricart-agrawala --set own=first',
  },
  {
    section: '3.2 Figure 1a',
    describes: 'a single arbiter',
    files: ['core/structure/classic', ...RULES],
    shownBy: [
      scenario('sanders/figure-1'),
      here('with one node that all ask: the messages of the central coordinator'),
    ],
    command: 'simulate sanders --structure central:1 --nodes 4',
  },
  {
    section: '3.2 Figure 1b',
    describes: 'everyone asks everyone',
    files: ['core/structure/classic', ...RULES],
    shownBy: [here('with everyone asking everyone: the entries and the messages of Ricart-Agrawala')],
    command: 'simulate sanders --structure ricart-agrawala --nodes 5 --set deadlock=needed',
  },
  {
    section: '3.2 Figure 1c',
    describes: 'everyone asks a subset, any two of which meet; finite projective planes',
    files: ['core/structure/classic', 'core/quorum/projective', ...RULES],
    shownBy: [
      here('with quorums: message for message what Maekawa does'),
      here('%s can enter in the same orders as %s'),
      test('core/quorum-projective', 'every two quorums meet in exactly one node'),
    ],
    command: 'simulate sanders --structure maekawa --nodes 13',
  },
  {
    section: '3.2 Figure 2',
    describes: 'two busy nodes are favoured',
    files: ['core/structure/classic', 'core/structure/design'],
    shownBy: [
      structure('the two favoured nodes of Figure 2 pay 2 messages, the others 6'),
      test(
        'core/structure-design',
        "the paper's four nodes of which two are busy: at least as good as Figure 2",
      ),
    ],
    command: 'simulate sanders --structure figure-2 --nodes 4 --load hot:10,10,1,1',
  },
  {
    section: '4 Necessary and Sufficient Conditions, the theorem',
    describes: 'conditions a and b, and the form of the footnote',
    files: ['core/structure/validate'],
    shownBy: [
      structure('accepts the algorithms it is meant to unify'),
      structure('names who is told but not asked'),
      structure('wants both to tell themselves where the footnote applies and the inform sets do not meet'),
    ],
    command: 'check sanders --nodes 4 --structure figure-2',
  },
  {
    section: '4 Proof, sufficiency',
    describes: 'whoever satisfies a and b excludes each other',
    files: ['core/structure/validate', ...RULES],
    shownBy: [
      theorem('every structure of two nodes'),
      theorem('the 729 structures of three nodes in which a holds'),
      theorem('valid structures of four nodes'),
    ],
    command: 'check sanders --nodes 3 --structure ricart-agrawala',
  },
  {
    section: '4 Proof, necessity (Figures 3a and 3b)',
    describes: 'without b two nodes can be inside; cases 1 to 4',
    files: ['core/structure/validate', 'core/structure/classic'],
    shownBy: [
      scenario('sanders/figure-3a'),
      scenario('sanders/figure-3b'),
      structure('names the pair and the condition that fails in Figures 3a and 3b'),
      theorem(
        'the smallest of two nodes: both ask and tell one of them, and the other tells itself without asking',
      ),
    ],
    command: 'check sanders --nodes 3 --structure figure-3a',
  },
  {
    section: '5 Deadlock Free Algorithm, Figure 4',
    describes: 'how the base version deadlocks',
    files: ['core/structure/hold-and-wait', ...RULES],
    shownBy: [scenario('sanders/figure-4'), broken('sanders-base')],
    command: 'check sanders --nodes 3 --structure figure-2',
  },
  {
    section: '5 Deadlock Free Algorithm, the rules',
    describes: 'FAIL, INQUIRE, YIELD',
    files: RULES,
    shownBy: [
      broken('sanders-missing-fail'),
      broken('sanders-one-shot-inquire'),
      broken('sanders-untagged'),
      scenario('sanders/figure-4'),
    ],
    command: 'check sanders --nodes 3 --structure figure-2',
  },
  {
    section: '5 Deadlock Free Algorithm, of Maekawa',
    describes: 'the FAIL that is missing in Maekawa 1985',
    files: ['quorum/maekawa', 'quorum/arbiter'],
    shownBy: [
      broken('maekawa-original'),
      broken('maekawa-one-shot-inquire'),
      scenario('maekawa/missing-fail'),
    ],
    command: 'check maekawa-original --nodes 4 --quorum grid',
  },
  {
    section: '5 Deadlock Free Algorithm, special cases',
    describes:
      'no deadlock with one arbiter; grant to oneself last, or yield whenever asked; no recovery where none is needed',
    files: ['core/structure/hold-and-wait', ...RULES],
    shownBy: [
      here('a centralized structure costs at most two messages more with deadlock recovery'),
      test('maekawa', 'in competition at most 7(K-1), or 6(K-1) when requesters yield whenever asked'),
    ],
    command: 'check sanders --nodes 3 --structure ricart-agrawala --set deadlock=needed',
  },
  {
    section: '6.1 Number of Messages per Critical Section Entry',
    describes: 'lower and upper bound from the sets alone; DM',
    files: ['core/structure/metrics'],
    shownBy: [
      here('the lower bound without competition'),
      here('no run leaves the bounds, each entry counted with those of its node'),
      structure('quorums of K cost 3(K-1) to 7(K-1)'),
      structure('the completely distributed one costs 2(N-1), with DM = N-1 and D = 1'),
    ],
    command: 'simulate sanders --structure maekawa --nodes 7 --load heavy',
  },
  {
    section: '6.2 Synchronization Delay',
    describes: 'messages one after another between an exit and an entry; of Figure 2 too',
    files: ['core/structure/metrics', 'core/structure/expected', 'core/structure/design'],
    shownBy: [
      structure('the centralized structure costs 3 messages, and the coordinator none'),
      structure('the completely distributed one costs 2(N-1), with DM = N-1 and D = 1'),
      test('cli/cli/structure', 'structure metrics prints a line for each node and their mean'),
    ],
    command: 'structure design --demand 10,10,1,1 --objective delay',
  },
  {
    section: '7 Failure Tolerance',
    describes: 'who needs to know of whose failure',
    files: ['quorum/sanders-recovery'],
    shownBy: [
      test(
        'sanders-recovery',
        'it needs a detector that never errs: one who is suspected waits for ever, two are inside together',
      ),
      test('sanders-recovery', 'nothing is paid for it while nobody fails'),
    ],
    command: 'simulate sanders-recovery --structure maekawa --nodes 7 --fault crash:3@20',
  },
  {
    section: '7.1 Local Recovery',
    describes: 'the failed process is taken out of the own copy of the structure, which is mended',
    files: ['quorum/sanders-recovery'],
    shownBy: [
      broken('sanders-recovery-published'),
      scenario('sanders-recovery/three-nodes'),
      scenario('sanders-recovery/five-nodes'),
      test('sanders-recovery', '%s survives a crash and two'),
      test('sanders-recovery', 'in a run the others go on when one of them fails'),
    ],
    command: 'check sanders-recovery --nodes 3 --channels fifo --structure ricart-agrawala --crashes 1',
  },
  {
    section: '8 Dynamic Information Structures, rules',
    describes: 'a grant moves the sets of both sides; Carvalho and Roucairol retold',
    files: ['quorum/sanders-dynamic', 'permission/carvalho-roucairol'],
    shownBy: [
      test(
        'sanders-dynamic',
        '2(n-1) messages for the first entry, none to enter again, two for each permission lost since',
      ),
      test('sanders-dynamic', 'it enters when and as cheaply as Carvalho-Roucairol, which it retells'),
      test('sanders-dynamic', 'and in the same orders, in every interleaving'),
      broken('sanders-dynamic-asks-once'),
    ],
    command: 'check sanders-dynamic --nodes 3',
  },
  {
    section: '8 Dynamic Information Structures, local views (Figure 5)',
    describes: 'the views agree, and together satisfy the theorem',
    files: ['quorum/sanders-dynamic', 'core/structure/validate'],
    shownBy: [
      scenario('sanders-dynamic/figure-5'),
      scenario('sanders-dynamic/gives-away'),
      test(
        'sanders-dynamic',
        'the local views agree, and their union satisfies the theorem, after every run',
      ),
    ],
    command: 'simulate sanders-dynamic --nodes 4 --load hot:8,1',
  },
]
