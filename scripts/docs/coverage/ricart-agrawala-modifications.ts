import { broken, scenario, test } from '../evidence.ts'
import { ricartAgrawala } from './ricart-agrawala.ts'
import type { Section } from './section.ts'

const JOINING = ['permission/ricart-agrawala-membership', 'permission/ricart-agrawala-insertion']
const FAILING = ['permission/ricart-agrawala-membership', 'permission/ricart-agrawala-failure']
const member = (title: string) => test('ricart-agrawala-membership', title)
const round = (title: string) => test('ricart-agrawala-ring', title)

/** Sections 4.2, 6.1 to 6.5, 7 and the rest of the appendix: what the modifications of `ricart-agrawala` show. */
const later: readonly Section[] = [
  {
    section: '2.4 Discussion, nobody twice',
    describes: 'once all have processed a request nobody enters twice before it',
    files: ['permission/ricart-agrawala'],
    shownBy: [
      test(
        'ricart-agrawala',
        'section 2.4: once all others have processed a request, nobody enters twice before it is granted',
      ),
    ],
    command: 'simulate ricart-agrawala --nodes 5 --load heavy --latency exponential:1',
  },
  {
    section: '5.4 Compliance',
    describes: 'no entry is later than the three bounds make it',
    files: ['permission/ricart-agrawala'],
    shownBy: [
      test('ricart-agrawala', 'section 5.4: no entry is later than the bounds make it, under any load'),
    ],
    command: 'simulate ricart-agrawala --nodes 9 --load closed:5',
  },
  {
    section: '4.2 Serial Processing',
    describes: 'from node to node N messages do, and nothing is done in parallel',
    files: ['permission/ricart-agrawala-ring'],
    shownBy: [
      round('exactly n messages per entry, whatever the load: the least without broadcasts and timing'),
      round('parallel operation is sacrificed: n message delays where nobody competes'),
    ],
    command: 'compare ricart-agrawala ricart-agrawala-ring --nodes 5,10,20',
  },
  {
    section: '6.1 Implicit Reply',
    describes: 'silence is a reply, DEFERRED is said; N-1 to 3(N-1) messages, and a bound on delays',
    files: ['permission/ricart-agrawala-implicit'],
    shownBy: [
      scenario('ricart-agrawala-implicit/silence-is-a-reply'),
      test('ricart-agrawala-implicit', 'n-1 where nobody competes: requests only'),
      test(
        'ricart-agrawala-implicit',
        '3(n-1) for every entry that all others defer: under heavy load all but the first of each node',
      ),
      test('ricart-agrawala-implicit', 'a node that meets nobody waits for T, not for one round trip'),
      broken('ricart-agrawala-implicit-silent-inside'),
    ],
    command: 'check ricart-agrawala-implicit --nodes 2',
  },
  {
    section: '6.2 Broadcast Messages',
    describes: 'one broadcast REQUEST; N messages, and one with implicit replies',
    files: ['permission/ricart-agrawala-broadcast', 'permission/ricart-agrawala-implicit'],
    shownBy: [
      test(
        'ricart-agrawala-broadcast',
        'n messages where nobody competes: one broadcast REQUEST and n-1 REPLYs',
      ),
      test('ricart-agrawala-implicit', 'the count is as low as one'),
      scenario('ricart-agrawala-implicit/broadcast'),
    ],
    command: 'simulate ricart-agrawala-implicit --set broadcast=true',
  },
  {
    section: '6.2.1 Communications medium sequencing',
    describes: 'the medium orders the requests: no numbers, two messages',
    files: ['permission/ricart-agrawala-medium'],
    shownBy: [
      scenario('ricart-agrawala-medium/line'),
      test('ricart-agrawala-broadcast', 'two messages per entry, whatever the number of nodes and the load'),
      broken('ricart-agrawala-medium-own-place'),
    ],
    command: 'check ricart-agrawala-medium --nodes 3',
  },
  {
    section: '6.2.2 No communications medium sequencing',
    describes: 'replies at an exit are one broadcast, with a list of those they are for',
    files: ['permission/ricart-agrawala-broadcast'],
    shownBy: [
      scenario('ricart-agrawala-broadcast/intended-recipients'),
      test(
        'ricart-agrawala-broadcast',
        '2 messages where all others are kept waiting: under heavy load after the first round',
      ),
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
      round('exactly n messages per entry, whatever the load: the least without broadcasts and timing'),
      broken('ricart-agrawala-ring-holds-until-entry'),
    ],
    command: 'check ricart-agrawala-ring --nodes 3',
  },
  {
    section: '6.3 Ring Structure, with notes',
    describes: 'the request goes round without pause, with the names of those who defer it',
    files: ['permission/ricart-agrawala-ring-noted'],
    shownBy: [
      scenario('ricart-agrawala-ring-noted/four-nodes'),
      round('n and one for each node that defers: at most 2n-1'),
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
      test(
        'ricart-agrawala-modulo',
        'every comparison comes out as without the modulus: the runs are the same',
      ),
      broken('ricart-agrawala-modulo-printed'),
      broken('ricart-agrawala-modulo-one-less'),
    ],
    command: 'check ricart-agrawala-modulo --nodes 2 --requests any',
  },
  {
    section: '6.5 Sequence Number Incrementation (1)',
    describes: 'random increments, so that ties seldom favour small nodes',
    files: ['permission/ricart-agrawala', 'permission/ricart-agrawala-numbering'],
    shownBy: [
      scenario('ricart-agrawala/increments'),
      test('ricart-agrawala', 'ties favour the smaller node; a random increment from 0 to r makes them rare'),
      test('ricart-agrawala', 'the cost is the same whatever the increments'),
    ],
    command: 'simulate ricart-agrawala --nodes 5 --load closed:2 --set increment=9',
  },
  {
    section: '6.5 Sequence Number Incrementation (2)',
    describes:
      'small increments for high priority, and requests of lower priority that are left unread for a while',
    files: ['permission/ricart-agrawala', 'permission/ricart-agrawala-numbering'],
    shownBy: [
      test(
        'ricart-agrawala',
        'a node with small increments enters first, and by leaving requests unread until its numbers reach theirs',
      ),
      test('ricart-agrawala', 'an urgent request comes before ordinary ones that were made at the same time'),
      test('simulator/priorities', 'they wait less than others, the more urgent the less'),
      test(
        'ricart-agrawala',
        'a longer delay gives more turns to the node that may put others off, and they wait no longer than it says',
      ),
    ],
    command: 'simulate ricart-agrawala --nodes 5 --load heavy --set steps=1,20 --set delay=50',
  },
  {
    section: '7.1 Node Numbers',
    describes: 'a table of names in place of 1 to N',
    files: JOINING,
    shownBy: [member('it is ricart-agrawala, message by message')],
    command: 'check ricart-agrawala-membership --nodes 2 --requests any',
  },
  {
    section: '7.2.1 Restart interval',
    describes: 'who failed says so and rests before it comes back',
    files: FAILING,
    shownBy: [
      scenario('ricart-agrawala-membership/restart'),
      member('a node that comes back says so to all names, rests, and asks all to include it'),
    ],
    command: 'simulate ricart-agrawala-membership --fault crash:3@20 --fault restart:3@60',
  },
  {
    section: '7.2.2 Reconcile participant lists',
    describes: 'a sponsor introduces a new node under mutual exclusion; or a broadcast does',
    files: JOINING,
    shownBy: [
      scenario('ricart-agrawala-membership/insertion'),
      scenario('ricart-agrawala-membership/insertion-by-broadcast'),
      member('costs 4N-1 messages, and what it takes to learn the highest number: %s'),
      broken('ricart-agrawala-membership-unacknowledged'),
    ],
    command: 'simulate ricart-agrawala-membership --fault add:8@20,via:0',
  },
  {
    section: '7.2.3 Set highest sequence number',
    describes: 'five ways to learn a number that is high enough',
    files: JOINING,
    shownBy: [
      member('%s: it enters after the requests of %j'),
      member('ask: it enters at once, above all numbers'),
      member('time: it waits, then copies the number of a node nearby, with two messages'),
      member('until then it answers the requests of others'),
      broken('ricart-agrawala-membership-highest-received'),
    ],
    command: 'simulate ricart-agrawala-membership --load closed:5 --set learn=growth --fault add:8@20,via:0',
  },
  {
    section: '7.3 Removal of Nodes',
    describes: 'a departing node tells all, and answers until all have acknowledged',
    files: JOINING,
    shownBy: [
      scenario('ricart-agrawala-membership/removal'),
      member('costs 2(N-1) messages, and entries are cheaper afterwards'),
    ],
    command: 'simulate ricart-agrawala-membership --fault remove:3@20',
  },
  {
    section: '7.4 Node Failures',
    describes: 'time-out, ARE_YOU_THERE, YES_I_AM_HERE; a failed node is erased, and told to rejoin',
    files: FAILING,
    shownBy: [
      scenario('ricart-agrawala-membership/failure'),
      scenario('ricart-agrawala-membership/told-to-rejoin'),
      member('a failed node costs the one that waits for it a probe and N-2 notices, and one reply less'),
      member('the time-out is no limit on a stay inside: all who are alive say so, and the wait begins anew'),
      broken('ricart-agrawala-membership-probe-without-number'),
    ],
    command: 'check ricart-agrawala-membership --nodes 2 --requests 3 --crashes 1',
  },
  {
    section: 'Appendix, the fourth request',
    describes: 'on ordered channels four requests of one node are enough to know the numbers',
    files: JOINING,
    shownBy: [
      member(
        'all ways but `fourth` on any channels, `fourth` on ordered ones: safe, and served while others ask',
      ),
    ],
    command:
      'simulate ricart-agrawala-membership --load closed:5 --channels fifo --set learn=fourth --fault add:8@20,via:0',
  },
]

const inOrder = new Intl.Collator('en', { numeric: true })

/** The whole paper, in its own order. */
export const ricartAgrawalaAll: readonly Section[] = [...ricartAgrawala, ...later].toSorted((a, b) =>
  inOrder.compare(a.section, b.section),
)
