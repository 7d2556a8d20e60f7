import { broken, scenario } from '../evidence.ts'
import { ricartAgrawala } from './ricart-agrawala.ts'
import type { Section } from './section.ts'

const JOINING = ['permission/ricart-agrawala-membership', 'permission/ricart-agrawala-insertion']
const FAILING = ['permission/ricart-agrawala-membership', 'permission/ricart-agrawala-failure']

/** Sections 4.2, 6.1 to 6.5, 7 and the rest of the appendix: what the modifications of `ricart-agrawala` show. */
const later: readonly Section[] = [
  {
    section: '2.4 Discussion, nobody twice',
    describes: 'once all have processed a request, no node enters twice before it',
    files: ['permission/ricart-agrawala'],
    command: 'simulate ricart-agrawala --nodes 5 --load heavy --latency exponential:1',
  },
  {
    section: '5.4 Compliance',
    describes: 'no entry is later than the three bounds make it',
    files: ['permission/ricart-agrawala'],
    command: 'simulate ricart-agrawala --nodes 9 --load closed:5',
  },
  {
    section: '4.2 Serial Processing',
    describes: 'from node to node N messages are enough, and nothing happens in parallel',
    files: ['permission/ricart-agrawala-ring'],
    command: 'compare ricart-agrawala ricart-agrawala-ring --nodes 5,10,20',
  },
  {
    section: '6.1 Implicit Reply',
    describes: 'silence is a reply, DEFERRED is said; N-1 to 3(N-1) messages, and a bound on delays',
    files: ['permission/ricart-agrawala-implicit'],
    shownBy: [
      scenario('ricart-agrawala-implicit/silence-is-a-reply'),
      broken('ricart-agrawala-implicit-silent-inside'),
    ],
    command: 'check ricart-agrawala-implicit --nodes 2',
  },
  {
    section: '6.2 Broadcast Messages',
    describes: 'one broadcast REQUEST; N messages, and one with implicit replies',
    files: ['permission/ricart-agrawala-broadcast', 'permission/ricart-agrawala-implicit'],
    shownBy: [scenario('ricart-agrawala-implicit/broadcast')],
    command: 'simulate ricart-agrawala-implicit --set broadcast=true',
  },
  {
    section: '6.2.1 Communications medium sequencing',
    describes: 'the medium orders the requests: no numbers, two messages',
    files: ['permission/ricart-agrawala-medium'],
    shownBy: [scenario('ricart-agrawala-medium/line'), broken('ricart-agrawala-medium-own-place')],
    command: 'check ricart-agrawala-medium --nodes 3',
  },
  {
    section: '6.2.2 No communications medium sequencing',
    describes: 'replies at an exit are one broadcast, with a list of the recipients',
    files: ['permission/ricart-agrawala-broadcast'],
    shownBy: [
      scenario('ricart-agrawala-broadcast/intended-recipients'),
      broken('ricart-agrawala-broadcast-without-list'),
    ],
    command: 'check ricart-agrawala-broadcast --nodes 3',
  },
  {
    section: '6.3 Ring Structure',
    describes: 'the request goes round, and is held where it would be deferred',
    files: ['permission/ricart-agrawala-ring'],
    shownBy: [
      scenario('ricart-agrawala-ring/four-nodes'),
      scenario('ricart-agrawala-ring/held-at-several-stops'),
      broken('ricart-agrawala-ring-holds-until-entry'),
    ],
    command: 'check ricart-agrawala-ring --nodes 3',
  },
  {
    section: '6.3 Ring Structure, with notes',
    describes: 'the request goes round without pause, with the names of the nodes that defer it',
    files: ['permission/ricart-agrawala-ring-noted'],
    shownBy: [
      scenario('ricart-agrawala-ring-noted/four-nodes'),
      broken('ricart-agrawala-ring-noted-early-reply'),
    ],
    command: 'check ricart-agrawala-ring-noted --nodes 3',
  },
  {
    section: '6.4 Bounding Sequence Numbers',
    describes: 'numbers modulo M, M at least 2N-1',
    files: ['permission/ricart-agrawala-modulo'],
    shownBy: [
      scenario('ricart-agrawala-modulo/going-round'),
      broken('ricart-agrawala-modulo-printed'),
      broken('ricart-agrawala-modulo-one-less'),
    ],
    command: 'check ricart-agrawala-modulo --nodes 2 --requests any',
  },
  {
    section: '6.5 Sequence Number Incrementation (1)',
    describes: 'random increments, so that ties seldom favour small nodes',
    files: ['permission/ricart-agrawala', 'permission/ricart-agrawala-numbering'],
    shownBy: [scenario('ricart-agrawala/increments')],
    command: 'simulate ricart-agrawala --nodes 5 --load closed:2 --set increment=9',
  },
  {
    section: '6.5 Sequence Number Incrementation (2)',
    describes:
      'small increments for high priority, and requests of lower priority that are left unread for a while',
    files: ['permission/ricart-agrawala', 'permission/ricart-agrawala-numbering'],
    command: 'simulate ricart-agrawala --nodes 5 --load heavy --set steps=1,20 --set delay=50',
  },
  {
    section: '7.1 Node Numbers',
    describes: 'a table of names in place of 1 to N',
    files: JOINING,
    command: 'check ricart-agrawala-membership --nodes 2 --requests any',
  },
  {
    section: '7.2.1 Restart interval',
    describes: 'a failed node says so and rests before it comes back',
    files: FAILING,
    shownBy: [scenario('ricart-agrawala-membership/restart')],
    command: 'simulate ricart-agrawala-membership --fault crash:3@20 --fault restart:3@60',
  },
  {
    section: '7.2.2 Reconcile participant lists',
    describes: 'a sponsor introduces a new node under mutual exclusion; or a broadcast does',
    files: JOINING,
    shownBy: [
      scenario('ricart-agrawala-membership/insertion'),
      scenario('ricart-agrawala-membership/insertion-by-broadcast'),
      broken('ricart-agrawala-membership-unacknowledged'),
    ],
    command: 'simulate ricart-agrawala-membership --fault add:8@20,via:0',
  },
  {
    section: '7.2.3 Set highest sequence number',
    describes: 'five ways to learn a number that is high enough',
    files: JOINING,
    shownBy: [broken('ricart-agrawala-membership-highest-received')],
    command: 'simulate ricart-agrawala-membership --load closed:5 --set learn=growth --fault add:8@20,via:0',
  },
  {
    section: '7.3 Removal of Nodes',
    describes: 'a departing node tells all, and answers until all have acknowledged',
    files: JOINING,
    shownBy: [scenario('ricart-agrawala-membership/removal')],
    command: 'simulate ricart-agrawala-membership --fault remove:3@20',
  },
  {
    section: '7.4 Node Failures',
    describes: 'time-out, ARE_YOU_THERE, YES_I_AM_HERE; a failed node is erased, and told to rejoin',
    files: FAILING,
    shownBy: [
      scenario('ricart-agrawala-membership/failure'),
      scenario('ricart-agrawala-membership/told-to-rejoin'),
      broken('ricart-agrawala-membership-probe-without-number'),
    ],
    command: 'check ricart-agrawala-membership --nodes 2 --requests 3 --crashes 1',
  },
  {
    section: 'Appendix, the fourth request',
    describes: 'on ordered channels four requests of one node are enough to know the numbers',
    files: JOINING,
    command:
      'simulate ricart-agrawala-membership --load closed:5 --channels fifo --set learn=fourth --fault add:8@20,via:0',
  },
]

const inOrder = new Intl.Collator('en', { numeric: true })

/** The whole paper, in its own order. */
export const ricartAgrawalaAll: readonly Section[] = [...ricartAgrawala, ...later].toSorted((a, b) =>
  inOrder.compare(a.section, b.section),
)
