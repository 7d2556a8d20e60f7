import { broken, scenario } from '../evidence.ts'
import type { Section } from './section.ts'

const RULES = ['quorum/sanders', 'quorum/arbiter']

export const sanders: readonly Section[] = [
  {
    section: '1 Introduction',
    describes: 'N processes, reliable channels in order, any finite delays',
    files: RULES,
    shownBy: [broken('sanders-untagged')],
    command: 'check sanders --nodes 3 --structure central --channels fifo',
  },
  {
    section: '2 Information Structures',
    describes: 'inform sets, request sets, and the status sets that follow; static and dynamic',
    files: ['core/structure/structure', 'core/structure/structure-from-text'],
    command: 'structure design --nodes 4 --demand 10,10,1,1',
  },
  {
    section: '3.1 Policy for Conflict Resolution',
    describes: 'timestamps: the largest seen plus one, with every message; ties by process',
    files: [...RULES, 'core/timestamp'],
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
    shownBy: [scenario('sanders/figure-1')],
    command: 'simulate sanders --structure central:1 --nodes 4',
  },
  {
    section: '3.2 Figure 1b',
    describes: 'everyone asks everyone',
    files: ['core/structure/classic', ...RULES],
    command: 'simulate sanders --structure ricart-agrawala --nodes 5 --set deadlock=needed',
  },
  {
    section: '3.2 Figure 1c',
    describes: 'everyone asks a subset, any two of which meet; finite projective planes',
    files: ['core/structure/classic', 'core/quorum/projective', ...RULES],
    command: 'simulate sanders --structure maekawa --nodes 13',
  },
  {
    section: '3.2 Figure 2',
    describes: 'two busy nodes are favoured',
    files: ['core/structure/classic', 'core/structure/design'],
    command: 'simulate sanders --structure figure-2 --nodes 4 --load hot:10,10,1,1',
  },
  {
    section: '4 Necessary and Sufficient Conditions, the theorem',
    describes: 'conditions a and b, and the form of the footnote',
    files: ['core/structure/validate'],
    command: 'check sanders --nodes 4 --structure figure-2',
  },
  {
    section: '4 Proof, sufficiency',
    describes: 'structures that satisfy a and b exclude',
    files: ['core/structure/validate', ...RULES],
    command: 'check sanders --nodes 3 --structure ricart-agrawala',
  },
  {
    section: '4 Proof, necessity (Figures 3a and 3b)',
    describes: 'without b two nodes can be inside; cases 1 to 4',
    files: ['core/structure/validate', 'core/structure/classic'],
    shownBy: [scenario('sanders/figure-3a'), scenario('sanders/figure-3b')],
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
    command: 'check sanders --nodes 3 --structure ricart-agrawala --set deadlock=needed',
  },
  {
    section: '6.1 Number of Messages per Critical Section Entry',
    describes: 'lower and upper bound from the sets alone; DM',
    files: ['core/structure/structure-cost'],
    command: 'simulate sanders --structure maekawa --nodes 7 --load heavy',
  },
  {
    section: '6.2 Synchronization Delay',
    describes: 'messages one after another between an exit and an entry; of Figure 2 too',
    files: ['core/structure/structure-cost', 'core/structure/expected', 'core/structure/design'],
    command: 'structure design --demand 10,10,1,1 --objective delay',
  },
  {
    section: '7 Failure Tolerance',
    describes: 'which nodes need to know of which failures',
    files: ['quorum/sanders-recovery'],
    command: 'simulate sanders-recovery --structure maekawa --nodes 7 --fault crash:3@20',
  },
  {
    section: '7.1 Local Recovery',
    describes: 'each process removes the failed one from its copy of the structure, and repairs it',
    files: ['quorum/sanders-recovery'],
    shownBy: [
      broken('sanders-recovery-published'),
      scenario('sanders-recovery/three-nodes'),
      scenario('sanders-recovery/five-nodes'),
    ],
    command: 'check sanders-recovery --nodes 3 --channels fifo --structure ricart-agrawala --crashes 1',
  },
  {
    section: '8 Dynamic Information Structures, rules',
    describes: 'a grant moves the sets of both sides; Carvalho and Roucairol retold',
    files: ['quorum/sanders-dynamic', 'permission/carvalho-roucairol'],
    shownBy: [broken('sanders-dynamic-asks-once')],
    command: 'check sanders-dynamic --nodes 3',
  },
  {
    section: '8 Dynamic Information Structures, local views (Figure 5)',
    describes: 'the views agree, and together satisfy the theorem',
    files: ['quorum/sanders-dynamic', 'core/structure/validate'],
    shownBy: [scenario('sanders-dynamic/figure-5'), scenario('sanders-dynamic/gives-away')],
    command: 'simulate sanders-dynamic --nodes 4 --load hot:8,1',
  },
]
