import { broken, scenario } from '../evidence.ts'
import type { Section } from './section.ts'

const SECOND = ['token/ricart-agrawala-token']
const RING = ['token/token-ring']
const BULLY = ['election/bully', 'election/bully-rules']
const RING_ELECTION = ['election/ring-election', 'election/ring-election-rules', 'election/ring']

export const kessler: readonly Section[] = [
  {
    section: 'Mutual Exclusion: basic requirements',
    describes: 'safety and liveness, by messages alone',
    files: [
      'checker/judge',
      'checker/starvation',
      'core/judges/exclusion-judge',
      'core/judges/progress-judge',
    ],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: 'Mutual Exclusion: two basic approaches',
    describes: 'with a token and without',
    files: ['catalogue'],
    command: 'algorithms',
  },
  {
    section: 'Central Coordinator Algorithm: rules',
    describes: 'request, reply and release by way of a coordinator',
    files: ['permission/central-coordinator'],
    shownBy: [scenario('central-coordinator/queue'), broken('central-coordinator-ignores-holder')],
    command: 'check central-coordinator --nodes 3 --requests 2',
  },
  {
    section: 'Central Coordinator Algorithm: cost',
    describes: 'three messages per use; the coordinator can be a bottleneck',
    files: ['permission/central-coordinator'],
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
    shownBy: [broken('ricart-agrawala-without-tie-break')],
    command: 'check ricart-agrawala-without-tie-break --nodes 2 --channels unordered',
  },
  {
    section: 'Ricart-Agrawala Algorithm: rules RI1 to RR1',
    describes: 'RELEASED, REQUESTED, HELD; which process defers which',
    files: ['permission/ricart-agrawala', 'permission/pairwise'],
    shownBy: [scenario('ricart-agrawala/three-nodes'), broken('carvalho-roucairol-compares-inside')],
    command: 'check ricart-agrawala --nodes 3 --requests any',
  },
  {
    section: 'Ricart-Agrawala Algorithm: problems',
    describes: '2(n-1) messages; any failure stops it',
    files: ['permission/ricart-agrawala'],
    command: 'simulate ricart-agrawala --load heavy --fault crash:3@20',
  },
  {
    section: 'Ricart-Agrawala Second Algorithm: principle',
    describes:
      'the process that has the token may enter; it finds requests by comparing stamps with the token',
    files: SECOND,
    shownBy: [scenario('ricart-agrawala-token/logical-clock')],
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
    describes: 'the process that gets the token from one that leaves',
    files: SECOND,
    shownBy: [scenario('ricart-agrawala-token/circular-search')],
    command: 'simulate ricart-agrawala-token --nodes 4 --load heavy --entries 20',
  },
  {
    section: 'Ricart-Agrawala Second Algorithm: cost and failures',
    describes: 'n messages; which failures prevent progress',
    files: SECOND,
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
      scenario('token-ring-on-demand/it-rests'),
      broken('token-ring-on-demand-forgets-the-stir'),
      broken('token-ring-on-demand-rests-used'),
    ],
    command: 'compare token-ring token-ring-on-demand --nodes 5,10,20 --load light --load heavy',
  },
  {
    section: 'Token Ring Algorithm: failures',
    describes: 'the ring is closed around a dead process; an elected process replaces a lost token',
    files: ['token/token-ring-election', 'election/ring-election-rules'],
    shownBy: [
      scenario('token-ring-election/lost-token'),
      scenario('token-ring-election/holder-dies-inside'),
      scenario('token-ring-election/two-crashes'),
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
      'one coordinator, on which all agree; unique numbers; the highest that is up; time-outs; two phases',
    files: ['core/judges/election-judge', ...BULLY, ...RING_ELECTION],
    command: 'check bully --nodes 3 --dead 2',
  },
  {
    section: 'The Bully Algorithm: principle',
    describes: 'ask the higher ones, wait for an answer, then for the announcement',
    files: BULLY,
    command: 'check bully --nodes 3 --dead 2 --crashes 1',
  },
  {
    section: 'The Bully Algorithm: rules RE1, RH1, RH2',
    describes: 'ELECTION-ON and OFF, answers, both time-outs',
    files: BULLY,
    shownBy: [scenario('bully/winner-crashes'), broken('bully-never-off')],
    command: 'check bully-never-off --nodes 3 --dead 2',
  },
  {
    section: 'The Bully Algorithm: example',
    describes: 'seven processes, P7 dead, P4 calls; P6 may crash before it announces itself',
    files: BULLY,
    shownBy: [scenario('bully/seven-processes')],
    command: 'elect bully --nodes 7 --initiators 3',
  },
  {
    section: 'The Bully Algorithm: best and worst case',
    describes: 'how many messages an election takes',
    files: BULLY,
    command: 'elect bully --nodes 20 --initiators 0',
  },
  {
    section: 'The Ring-Based Algorithm: ring',
    describes: 'a neighbour and the next of that neighbour, kept up to date (the exercise)',
    files: RING_ELECTION,
    command: 'check ring-election --nodes 3 --dead 2',
  },
  {
    section: 'The Ring-Based Algorithm: rules',
    describes: 'the higher number goes on; a process that gets its own number back has won and announces it',
    files: RING_ELECTION,
    shownBy: [scenario('ring-election/two-callers'), broken('ring-election-dead-number')],
    command: 'elect ring-election --nodes 5 --initiators 0',
  },
  {
    section: 'The Ring-Based Algorithm: cost',
    describes: 'average and worst case; cheaper than the bully on average',
    files: [...RING_ELECTION, ...BULLY],
    shownBy: [scenario('ring-election/worst-case')],
    command: 'elect ring-election --nodes 20',
  },
]
