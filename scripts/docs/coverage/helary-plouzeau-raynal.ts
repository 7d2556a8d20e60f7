import { broken, scenario } from '../evidence.ts'
import type { Section } from './section.ts'

const RULES = ['token/helary-plouzeau-raynal']
const CHANGES = ['token/helary-plouzeau-raynal-reconfiguration', 'token/helary-plouzeau-raynal-section-7']
const REPLACED = ['token/helary-plouzeau-raynal-regeneration', 'token/helary-plouzeau-raynal-election']

export const helaryPlouzeauRaynal: readonly Section[] = [
  {
    section: '1 Introduction',
    describes: 'what the algorithms before it cost on a complete graph',
    files: [
      'permission/lamport',
      'permission/ricart-agrawala',
      'permission/carvalho-roucairol',
      'token/ricart-agrawala-token',
    ],
    command: 'compare lamport ricart-agrawala carvalho-roucairol ricart-agrawala-token --nodes 10',
  },
  {
    section: '2.1 Required network properties',
    describes: 'any connected graph; nothing is lost; order need not be kept',
    files: [...RULES, 'core/topology'],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology ring --channels unordered',
  },
  {
    section: '2.2 Local process knowledge',
    describes: 'a process knows its neighbours, and not how many processes there are',
    files: RULES,
    command: 'simulate helary-plouzeau-raynal --topology random --nodes 20',
  },
  {
    section: '3 (i) flooding',
    describes: 'a process that hears of a request passes it on to its other neighbours',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/ring')],
    command: 'simulate helary-plouzeau-raynal --topology grid --nodes 16',
  },
  {
    section: '3 (ii) knowledge transfer',
    describes: 'a request names the processes that have it, and is not sent to them again',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/complete')],
    command: 'simulate helary-plouzeau-raynal --topology complete --nodes 10',
  },
  {
    section: '3 (iii) token, (iv) granting',
    describes: 'one token; its owner chooses the next',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/line')],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology line',
  },
  {
    section: '3 (v) order of requests',
    describes: 'the oldest stamp first, then the name',
    files: [...RULES, 'core/timestamp'],
    command: 'simulate helary-plouzeau-raynal --topology line --load heavy',
  },
  {
    section: '3 (vi) the way back',
    describes: 'the token goes back the way the request came',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/ring')],
    command: 'simulate helary-plouzeau-raynal --topology tree:3 --nodes 40',
  },
  {
    section: '4.1 Messages',
    describes: 'request with its stamp and who has seen it; token with the last turns and its addressee',
    files: RULES,
    shownBy: [
      broken('helary-plouzeau-raynal-dates-addressee'),
      scenario('helary-plouzeau-raynal/lost-by-the-survey'),
    ],
    command: 'explain helary-plouzeau-raynal',
  },
  {
    section: '4.2 Local variables of processes',
    describes: 'neighbours, clock, token, section, requests by neighbour',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/overtaken')],
    command: 'explain helary-plouzeau-raynal --json',
  },
  {
    section: '4.3 enter_CS, exit_CS, transmit_token',
    describes:
      'ask unless the token is here; on leaving send it to the oldest waiting request, and date the turn',
    files: RULES,
    shownBy: [broken('helary-plouzeau-raynal-complete-without-tick')],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology ring',
  },
  {
    section: '4.3 receive_request',
    describes: 'older requests of the same origin are replaced, copies dropped, new ones noted and passed on',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/overtaken')],
    command: 'simulate helary-plouzeau-raynal --topology ring --nodes 8 --latency exponential:1',
  },
  {
    section: '4.3 receive_token',
    describes: 'the addressee enters, everyone else hands the token on',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/line')],
    command: 'simulate helary-plouzeau-raynal --topology line --nodes 10',
  },
  {
    section: '5.1 Mutual exclusion (Theorem 1)',
    describes: 'one token at most, hence one inside at most',
    files: [...RULES, 'checker/judge'],
    command: 'check helary-plouzeau-raynal --nodes 3',
  },
  {
    section: '5.2 Request routeing (Lemma 1)',
    describes: 'a request reaches everyone, unless a younger one has overtaken it',
    files: RULES,
    shownBy: [scenario('helary-plouzeau-raynal/overtaken')],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology ring',
  },
  {
    section: '5.3 Token routeing (Lemma 2, Corollary)',
    describes: 'the token takes the path of the request, without circles',
    files: RULES,
    command: 'simulate helary-plouzeau-raynal --topology random:30 --nodes 16',
  },
  {
    section: '5.4 Absence of deadlocks (Lemma 3, Theorem 2)',
    describes: 'an open request is younger than the last turn of its origin',
    files: [...RULES, 'checker/property'],
    shownBy: [broken('helary-plouzeau-raynal-dates-addressee')],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology line',
  },
  {
    section: '5.5 Absence of starvation (Theorem 3)',
    describes: 'every request becomes the oldest',
    files: [...RULES, 'checker/starvation'],
    command: 'check helary-plouzeau-raynal --nodes 3 --topology star',
  },
  {
    section: '6 Message traffic, time',
    describes: 'how long an idle token takes',
    files: RULES,
    command: 'simulate helary-plouzeau-raynal --topology ring --nodes 10 --latency exponential:1',
  },
  {
    section: '6 Tree topology',
    describes: 'n to n-1+d messages; on a line n to 2(n-1)',
    files: RULES,
    command: 'simulate helary-plouzeau-raynal --topology line --nodes 12',
  },
  {
    section: '6 Ring topology',
    describes: 'what a ring costs; like the reflected privilege of Martin',
    files: [...RULES, 'token/martin-ring'],
    command: 'compare helary-plouzeau-raynal martin-ring --topology ring --nodes 5,10,20',
  },
  {
    section: '6 Complete network',
    describes: 'n messages; known to be complete, an algorithm of its own',
    files: [...RULES, 'token/helary-plouzeau-raynal-complete'],
    command: 'compare helary-plouzeau-raynal-complete ricart-agrawala-token --load heavy',
  },
  {
    section: '6 General case',
    describes: 'between n and 2e+n-1 messages',
    files: RULES,
    command: 'simulate helary-plouzeau-raynal --topology random:40 --nodes 20',
  },
  {
    section: '7 Enhancements, loss of messages',
    describes: 'channels are taken to lose nothing; what a loss does',
    files: ['simulator/transmission', 'core/faults'],
    command: 'simulate helary-plouzeau-raynal --fault drop:0.01',
  },
  {
    section: '7.1.1 Channel failure (1)',
    describes: 'the graph falls apart: requests that are open go over the channel when it is back',
    files: CHANGES,
    shownBy: [scenario('helary-plouzeau-raynal-reconfiguration/channel-recovers')],
    command:
      'simulate helary-plouzeau-raynal-reconfiguration --topology line --fault unlink:3-4@5 --fault link:3-4@60',
  },
  {
    section: '7.1.1 Channel failure (2), exits',
    describes: 'brothers and uncles in the spanning tree are other ways for the token',
    files: CHANGES,
    shownBy: [
      scenario('helary-plouzeau-raynal-reconfiguration/channel-fails-brother'),
      scenario('helary-plouzeau-raynal-reconfiguration/channel-fails-uncle'),
    ],
    command: 'simulate helary-plouzeau-raynal-reconfiguration --topology grid --fault unlink:0-1@5',
  },
  {
    section: '7.1.1 Channel failure (2), no exit',
    describes: 'a handler without an exit chooses another addressee',
    files: CHANGES,
    shownBy: [
      scenario('helary-plouzeau-raynal-reconfiguration/no-exit'),
      scenario('helary-plouzeau-raynal-reconfiguration/request-lost-on-channel'),
      broken('helary-plouzeau-raynal-lost-request'),
      broken('helary-plouzeau-raynal-dates-handler'),
    ],
    command: 'check helary-plouzeau-raynal-reconfiguration --nodes 3 --unlinks 1',
  },
  {
    section: '7.1.2 Process failure',
    describes: 'fail-stop: as if all its channels had failed',
    files: CHANGES,
    shownBy: [scenario('helary-plouzeau-raynal-reconfiguration/addressee-crashes')],
    command:
      'simulate helary-plouzeau-raynal-reconfiguration --topology ring --fault crash:4@20 --fault restart:4@60',
  },
  {
    section: '7.1.2 Process failure, a lost token',
    describes: 'an election must replace the token, and not on both sides of a split',
    files: REPLACED,
    shownBy: [
      scenario('helary-plouzeau-raynal-regeneration/holder-crashes'),
      scenario('helary-plouzeau-raynal-regeneration/holder-and-next-crash'),
      scenario('helary-plouzeau-raynal-regeneration/no-token-is-made'),
      broken('helary-plouzeau-raynal-majority-alone'),
      broken('helary-plouzeau-raynal-void-token'),
    ],
    command: 'simulate helary-plouzeau-raynal-regeneration --topology ring --fault crash:0@20',
  },
  {
    section: '7.1.2 Process failure, recovery',
    describes: 'the neighbours tell it the requests that they know',
    files: CHANGES,
    shownBy: [scenario('helary-plouzeau-raynal-reconfiguration/crash-and-recovery')],
    command:
      'simulate helary-plouzeau-raynal-reconfiguration --topology ring --fault crash:4@20 --fault restart:4@60',
  },
  {
    section: '7.2 Dynamic network reconfiguration',
    describes: 'channels and nodes are inserted and removed while requests are open',
    files: [...CHANGES, 'simulator/membership', 'simulator/membership-faults'],
    shownBy: [scenario('helary-plouzeau-raynal-reconfiguration/node-inserted-and-removed')],
    command:
      'simulate helary-plouzeau-raynal-reconfiguration --topology ring --fault add:8@10 --fault remove:3@40',
  },
]
