import { broken, scenario, test } from '../evidence.ts'
import type { Section } from './section.ts'

const SECOND = ['token/ricart-agrawala-token']
const RING = ['token/token-ring']
const BULLY = ['election/bully', 'election/bully-rules']
const RING_ELECTION = ['election/ring-election', 'election/ring-election-rules', 'election/ring']

export const kessler: readonly Section[] = [
  {
    section: 'Mutual Exclusion: basic requirements',
    describes: 'safety and liveness, by messages alone',
    files: ['checker/judge', 'checker/starvation', 'core/judges/exclusion', 'core/judges/progress'],
    shownBy: [
      test(
        'core/judges',
        'two together are found at the moment of the second entry, with both names in order',
      ),
      test('core/judges', 'whoever has not been settled at the end was never let in; times in units'),
      test('checker/starvation', 'past a node by whim: it could always enter, and starves all the same'),
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: 'Mutual Exclusion: two basic approaches',
    describes: 'with a token and without',
    files: ['catalogue'],
    shownBy: [test('catalogue', 'the catalogue is ordered by family, then by year')],
    command: 'algorithms',
  },
  {
    section: 'Central Coordinator Algorithm: rules',
    describes: 'request, reply and release by way of a coordinator',
    files: ['permission/central-coordinator'],
    shownBy: [
      scenario('central-coordinator/queue'),
      test('central-coordinator', 'the coordinator serves in the order in which requests reach it'),
      broken('central-coordinator-ignores-holder'),
    ],
    command: 'check central-coordinator --nodes 3 --requests 2',
  },
  {
    section: 'Central Coordinator Algorithm: cost',
    describes: 'three messages per use; the coordinator can be a bottleneck',
    files: ['permission/central-coordinator'],
    shownBy: [
      test('central-coordinator', 'request, grant and release: three messages, none for the coordinator'),
      test('central-coordinator', 'an exit reaches the next in two message delays, over the coordinator'),
    ],
    command: 'compare central-coordinator ricart-agrawala --nodes 5,20,80 --load heavy',
  },
  {
    section: 'Central Coordinator Algorithm: problems',
    describes: 'a coordinator that crashes is replaced by an election',
    files: ['permission/central-coordinator-election', 'election/bully-rules'],
    shownBy: [
      scenario('central-coordinator-election/takeover'),
      scenario('central-coordinator-election/winner-dies'),
      scenario('central-coordinator-election/two-elections'),
      test(
        'central-coordinator-election',
        'a crash of the coordinator costs the bully’s worst case, n^2-n-1 messages, and n-2 answers how they stand',
      ),
      test(
        'central-coordinator-election',
        'one coordinator after the other crashes, and so do others: all who live are served, fences rise',
      ),
      broken('central-coordinator-election-does-not-ask'),
      broken('central-coordinator-election-hasty'),
      broken('central-coordinator-election-old-grant'),
    ],
    command: 'check central-coordinator-election --nodes 3 --crashes 1',
  },
  {
    section: 'Ricart-Agrawala Algorithm: clocks and order',
    describes: 'requests are ordered by timestamp, then by process',
    files: ['permission/ricart-agrawala', 'core/timestamp'],
    shownBy: [
      test('core/timestamp', 'a total order: of two stamps one precedes the other, unless they are the same'),
      broken('ricart-agrawala-without-tie-break'),
    ],
    command: 'check ricart-agrawala-without-tie-break --nodes 2 --channels unordered',
  },
  {
    section: 'Ricart-Agrawala Algorithm: rules RI1 to RR1',
    describes: 'RELEASED, REQUESTED, HELD; who defers whom',
    files: ['permission/ricart-agrawala', 'permission/pairwise'],
    shownBy: [scenario('ricart-agrawala/three-nodes'), broken('carvalho-roucairol-compares-inside')],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: 'Ricart-Agrawala Algorithm: problems',
    describes: '2(n-1) messages; any failure stops it',
    files: ['permission/ricart-agrawala'],
    shownBy: [
      test('ricart-agrawala', 'section 4: exactly 2(n-1) messages per entry, whatever the load'),
      test('simulator/every-algorithm', 'it survives the faults that it claims to survive'),
    ],
    command: 'simulate ricart-agrawala --load heavy --fault crash:3@20',
  },
  {
    section: 'Ricart-Agrawala Second Algorithm: principle',
    describes: 'who has the token may enter; requests are known by comparing stamps with the token',
    files: SECOND,
    shownBy: [
      scenario('ricart-agrawala-token/logical-clock'),
      test('ricart-agrawala-token', 'the holder asks again for nothing'),
    ],
    command: 'simulate ricart-agrawala-token --set stamps=clock',
  },
  {
    section: 'Ricart-Agrawala Second Algorithm: states and rules RI1 to RR2',
    describes: 'NO-TOKEN, TOKEN-PRESENT, TOKEN-HELD; search round robin from the neighbour on',
    files: SECOND,
    shownBy: [
      scenario('ricart-agrawala-token/circular-search'),
      scenario('ricart-agrawala-token/late-request'),
      broken('ricart-agrawala-token-without-tick'),
      broken('ricart-agrawala-token-untested'),
    ],
    command: 'check ricart-agrawala-token --nodes 3 --set stamps=clock',
  },
  {
    section: 'Ricart-Agrawala Second Algorithm: example',
    describes: 'to whom a process that leaves passes the token',
    files: SECOND,
    shownBy: [
      scenario('ricart-agrawala-token/circular-search'),
      test(
        'ricart-agrawala-token',
        'at heavy load the token moves around the circle: one message delay, and equal shares',
      ),
    ],
    command: 'simulate ricart-agrawala-token --nodes 4 --load heavy --entries 20',
  },
  {
    section: 'Ricart-Agrawala Second Algorithm: cost and failures',
    describes: 'n messages; which failures prevent progress',
    files: SECOND,
    shownBy: [
      test(
        'ricart-agrawala-token',
        'an entry costs n messages, n-1 requests and the token, or none with the token here',
      ),
      test(
        'ricart-agrawala-token',
        'not so: the token is sent to a crashed node that waited, and is lost with it',
      ),
      test('ricart-agrawala-token', 'so it is for one that does not wait'),
    ],
    command: 'check ricart-agrawala-token --nodes 3 --crashes 1',
  },
  {
    section: 'Token Ring Algorithm: ring and rules',
    describes: 'the token goes from neighbour to neighbour, and stays for a use of the section',
    files: RING,
    shownBy: [
      scenario('token-ring/everyone-asks'),
      scenario('token-ring/idle-ring'),
      broken('token-ring-keeps-the-timer'),
    ],
    command: 'check token-ring --nodes 3 --requests any',
  },
  {
    section: 'Token Ring Algorithm: cost',
    describes: 'up to n-1 messages; good at heavy load, poor at light load',
    files: [...RING, 'token/token-ring-on-demand'],
    shownBy: [
      test(
        'token-ring',
        'at the start it is d hops away from the node at distance d; the exit sends one more',
      ),
      test('token-ring', 'none where it rests'),
      test('token-ring', 'exactly 1 message per entry, whatever the delays'),
      test('token-ring', 'n messages for each idle turn: the longer nobody asks, the dearer the next entry'),
      test('token-ring-on-demand', 'an entry alone: one stir, a turn that is used and one that finds nobody'),
      scenario('token-ring-on-demand/it-rests'),
      broken('token-ring-on-demand-forgets-the-stir'),
      broken('token-ring-on-demand-rests-used'),
    ],
    command: 'compare token-ring token-ring-on-demand --nodes 5,10,20 --load light --load heavy',
  },
  {
    section: 'Token Ring Algorithm: failures',
    describes: 'the ring is closed around a dead process; a lost token is made anew by one that is elected',
    files: ['token/token-ring-election', 'election/ring-election-rules'],
    shownBy: [
      scenario('token-ring-election/lost-token'),
      scenario('token-ring-election/holder-dies-inside'),
      scenario('token-ring-election/two-crashes'),
      test('token-ring-election', 'without a crash it is the token ring, message for message'),
      test(
        'token-ring-election',
        'a crash costs m + 2n messages, n alive, if the highest is m places behind the one before the gap',
      ),
      broken('token-ring-election-everyone-makes'),
      broken('token-ring-election-old-token'),
    ],
    command: 'check token-ring-election --nodes 3 --crashes 1',
  },
  {
    section: 'Election: examples with mutual exclusion',
    describes: 'a new coordinator, a new token',
    files: ['permission/central-coordinator-election', 'token/token-ring-election'],
    shownBy: [scenario('central-coordinator-election/takeover'), scenario('token-ring-election/lost-token')],
    command: 'simulate central-coordinator-election --fault crash:8@20',
  },
  {
    section: 'Election: requirements',
    describes:
      'one coordinator, on whom all agree; unique numbers; the highest that is up; time-outs; two phases',
    files: ['core/judges/election', ...BULLY, ...RING_ELECTION],
    shownBy: [
      test('core/judges-election', 'content where all name the highest'),
      test(
        'core/judges-election',
        'two that take themselves for the coordinator are found at once, unless one has crashed',
      ),
      test(
        'core/judges-election',
        'dissent, a coordinator that is not the highest, and an election without end are found at the end',
      ),
    ],
    command: 'check bully --nodes 3 --dead 2',
  },
  {
    section: 'The Bully Algorithm: principle',
    describes: 'ask the higher ones, wait for an answer, then for the announcement',
    files: BULLY,
    shownBy: [
      test('bully', 'whoever is dead and whoever calls, the highest living is elected, at any bounded delay'),
      test('bully', 'crashes at any moment of an election leave one coordinator, the highest of the living'),
    ],
    command: 'check bully --nodes 3 --dead 2 --crashes 1',
  },
  {
    section: 'The Bully Algorithm: rules RE1, RH1, RH2',
    describes: 'ELECTION-ON and OFF, answers, both time-outs',
    files: BULLY,
    shownBy: [
      scenario('bully/winner-crashes'),
      broken('bully-never-off'),
      test('bully', 'the state that never goes back to ELECTION-OFF: the second election never ends'),
    ],
    command: 'check bully-never-off --nodes 2 --requests 2',
  },
  {
    section: 'The Bully Algorithm: example',
    describes: 'seven processes, P7 dead, P4 calls; P6 may crash before it announces itself',
    files: BULLY,
    shownBy: [
      scenario('bully/seven-processes'),
      test(
        'bully',
        'Kessler 2024: of P1 to P7, P7 is dead and P4 calls: 6 election, 3 answer, 5 coordinator messages',
      ),
      test(
        'bully',
        'Kessler 2024: if P6 crashes before it announces itself, P4 and P5 begin again, and P5 wins',
      ),
    ],
    command: 'elect bully --nodes 7 --initiators 3',
  },
  {
    section: 'The Bully Algorithm: best and worst case',
    describes: 'how many messages an election takes',
    files: BULLY,
    shownBy: [
      test('bully', 'best case: the second highest notices, 1 + (n-2) messages'),
      test('bully', 'worst case: the lowest calls, or all do: n^2-n-1 messages'),
      test('bully', 'on average over who calls it, as predicted'),
    ],
    command: 'elect bully --nodes 20 --initiators 0',
  },
  {
    section: 'The Ring-Based Algorithm: ring',
    describes: 'a neighbour and the next of that neighbour, kept up to date (the exercise)',
    files: RING_ELECTION,
    shownBy: [
      test(
        'ring-election',
        'Kessler 2024: five processes, the last dead, the first calls: 3n-1 = 11 messages, and 3 mend the ring',
      ),
      test(
        'ring-election',
        'two neighbours that crash together break the ring: next-of-next bridges one gap only',
      ),
    ],
    command: 'check ring-election --nodes 3 --dead 2',
  },
  {
    section: 'The Ring-Based Algorithm: rules',
    describes: 'the higher number goes on; who gets its own number back has won and says so',
    files: RING_ELECTION,
    shownBy: [
      scenario('ring-election/two-callers'),
      test(
        'ring-election',
        'crashes at any moment of an election leave one coordinator, the highest of the living',
      ),
      broken('ring-election-dead-number'),
    ],
    command: 'elect ring-election --nodes 5 --initiators 0',
  },
  {
    section: 'The Ring-Based Algorithm: cost',
    describes: 'average and worst case; cheaper than the bully on average',
    files: [...RING_ELECTION, ...BULLY],
    shownBy: [
      scenario('ring-election/worst-case'),
      test('ring-election', 'n alive: 2n messages if the highest calls, 3n-1 if the one after it does'),
      test('ring-election', 'on average over who calls it: 2n + (n-1)/2, n alive'),
    ],
    command: 'elect ring-election --nodes 20',
  },
]
