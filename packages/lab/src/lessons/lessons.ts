import { calm } from './calm.ts'
import { controlToken } from './control-token.ts'
import { coordinatorsDay } from './coordinator.ts'
import type { Lesson } from './lesson.ts'
import { lostToken, twoTokens } from './recovery.ts'
import lamportOrder from './runs/lamport-order.trace?raw'
import maekawaDeadlock from './runs/maekawa-deadlock.trace?raw'
import { tokenQueue } from './token-queue.ts'

export const lessons: readonly Lesson[] = [
  {
    id: 'ricart-agrawala',
    title: 'Three nodes, one number each',
    about: 'How a request number decides who goes first, and why two requests can never both be first.',
    paper: 'Ricart and Agrawala 1981, section 2.3',
    shows: {
      run: {
        ...calm,
        algorithm: 'ricart-agrawala',
        nodes: 3,
        seed: 881,
        load: 'script:0 request 2; 1 request 1; 4 request 0',
        latency: 'uniform:0.5,8',
      },
    },
    steps: [
      {
        when: null,
        says: 'Three nodes share a resource, and no node is in charge. A node that wants it asks both others.',
      },
      { when: /^2 asks/, says: 'Node 2 asks, with number 1: one more than any number it has seen.' },
      {
        when: /^1 asks/,
        says: 'Node 1 has not heard of it and asks as well, also with 1. Of equal numbers the smaller node goes first.',
      },
      { when: /^0 receives request from 1/, says: 'Node 0 wants nothing, so it replies at once.' },
      {
        when: /^2 receives request from 1/,
        asks: 'does',
        says: 'Node 2 wants to enter itself, but (1, node 1) is before (1, node 2): it replies.',
      },
      { when: /^0 asks/, says: 'Node 0 asks late, and has seen a 1: its number is 2, behind both others.' },
      {
        when: /^1 receives request from 2/,
        asks: 'does',
        says: 'Node 1 is before node 2, so it defers its reply: the small ticket beside the node.',
      },
      {
        when: /^1 receives reply from 2.*enters/,
        says: 'Node 1 has both replies. No other node can have both, since node 1 has deferred its own.',
      },
      {
        when: /^1 leaves/,
        says: 'It leaves, and sends the deferred replies. They let the next node in.',
      },
      {
        when: /^2 receives reply from 1.*enters/,
        asks: 'enters',
        says: 'Node 2 enters, in the order of the numbers.',
      },
      {
        when: /^0 receives reply from 2.*enters/,
        says: 'Node 0 is last. Every entry has cost 2(n-1) = 4 messages.',
      },
    ],
  },
  {
    id: 'lamport-order',
    title: 'Why Lamport needs order',
    about: 'One message overtakes another on the same channel, and two nodes are inside.',
    paper: 'Lamport 1978; Velazquez 1993, section 3',
    shows: { check: { algorithm: 'lamport', nodes: '3', channels: 'unordered' }, found: lamportOrder },
    steps: [
      {
        when: null,
        says:
          'Every node keeps a queue of all requests. It enters when it is first and all others have sent a later ' +
          'message.',
      },
      { when: /^0 asks/, says: 'Node 0 asks. Its request is on the way to both others.' },
      { when: /^1 asks/, says: 'Node 1 asks as well, with the same number. Node 0 is before it.' },
      {
        when: /^0 receives .*enters/,
        asks: 'enters',
        says: 'Both others have sent node 0 a later message, and its own request is first. It enters, rightly.',
      },
      {
        when: /^1 receives .*enters/,
        asks: 'enters',
        says:
          'Node 1 has a later message from node 0, which has overtaken the earlier request of node 0. So node 1 ' +
          'believes that it is first. On channels that keep order this run is impossible.',
      },
    ],
  },
  {
    id: 'maekawa-deadlock',
    title: 'Maekawa’s deadlock',
    about:
      'Every node has one vote that it needs and waits for another. With the rules as published no node gives way.',
    paper: 'Maekawa 1985, by way of Velazquez 1993, section 5; Sanders 1987, section 5',
    shows: { check: { algorithm: 'maekawa-original', nodes: '4', quorum: 'grid' }, found: maekawaDeadlock },
    steps: [
      {
        when: null,
        says: 'Four nodes, and each asks only its row and its column. Any two such sets meet, so one vote per node excludes the rest.',
      },
      { when: /^1 asks/, says: 'Node 1 asks nodes 0 and 3, and itself.' },
      { when: /^0 receives request from 2.*sends grant to 2/, says: 'Node 0 gives its vote to node 2.' },
      {
        when: /^0 receives request from 1.*sends inquire to 2/,
        asks: 'does',
        says: 'A request with precedence comes too late. Node 0 asks node 2 (INQUIRE) whether it can give the vote back.',
      },
      {
        when: /^3 receives fail from 1.*sends grant to 1/,
        says: 'Node 3, told that it fails, gives its own vote to node 1.',
      },
      {
        when: /^2 receives inquire from 0/,
        asks: 'does',
        says:
          'Node 2 waits for node 3, whose vote is with node 1. It got no FAIL from there, so it does not yield to ' +
          'the INQUIRE. It waits for node 1, and node 1 waits for it, for ever.',
      },
    ],
  },
  {
    id: 'maekawa-cure',
    title: 'The repair: send FAIL to all who must wait',
    about: 'The same four requests. A node that is not first at a voter gets a FAIL, and yields when asked.',
    paper: 'Sanders 1987, section 5',
    shows: {
      run: {
        ...calm,
        algorithm: 'maekawa',
        nodes: 4,
        quorum: 'grid',
        seed: 4,
        latency: 'uniform:0.5,6',
        load: 'script:0 request 0; 0 request 1; 0 request 2; 0 request 3',
      },
    },
    steps: [
      { when: null, says: 'The same grid, and all four ask at once.' },
      {
        when: /^3 receives fail from 1.*sends grant to 2/,
        says: 'Node 3 has failed with node 1, so its own vote is free: it goes to node 2.',
      },
      {
        when: /^2 receives fail from 0/,
        says: 'Node 2 is told that another has precedence at node 0. From now on it will yield.',
      },
      {
        when: /^3 receives request from 1.*sends inquire to 2/,
        says: 'Node 1 has precedence over node 2 at node 3. Node 3 inquires.',
      },
      {
        when: /^2 receives inquire from 3.*sends yield to 3/,
        asks: 'does',
        says: 'Node 2 knows that it cannot enter now, and gives the vote back.',
      },
      {
        when: /^3 receives yield from 2.*sends grant to 1/,
        asks: 'does',
        says: 'The vote goes to node 1. No cycle of waiting can close.',
      },
      { when: /^0 receives grant from 1.*enters/, asks: 'enters', says: 'Node 0 enters first.' },
      { when: /^1 receives .*enters/, says: 'Then node 1 enters.' },
      { when: /^2 receives .*enters/, says: 'Node 2 is next.' },
      {
        when: /^3 receives .*enters/,
        says: 'Node 3 is last. All entered in the order of precedence, at 3 to 5 messages for each other member of a quorum.',
      },
    ],
  },
  {
    id: 'path-reversal',
    title: 'Path reversal',
    about:
      'A tree turns towards the last requester, so that a request finds the end of the queue in about log n steps.',
    paper: 'Naimi and Trehel 1987; Velazquez 1993, section 4',
    shows: {
      run: {
        ...calm,
        algorithm: 'naimi-trehel',
        nodes: 5,
        load: 'script:0 request 1; 0.2 request 3; 6 request 2',
      },
    },
    steps: [
      {
        when: null,
        says: 'Every node points at the node that, as far as it knows, asked last. Node 0 has the token, and all point there.',
      },
      {
        when: /^1 asks/,
        says: 'Node 1 sends its request where it points. Now it is the last, so it points at itself.',
      },
      { when: /^3 asks/, says: 'Node 3 does the same. It cannot know of node 1.' },
      {
        when: /^0 receives request from 1/,
        says: 'Node 0 does not need the token and sends it to node 1. It now points at node 1, which asked last.',
      },
      {
        when: /^0 receives request from 3/,
        asks: 'does',
        says: 'The second request is passed on to node 1, and node 0 turns to node 3.',
      },
      {
        when: /^1 receives request from 0/,
        says: 'Node 1 is inside. It notes node 3 as its NEXT, and its pointer turns, too: the path that a request takes is reversed.',
      },
      { when: /^1 leaves/, asks: 'does', says: 'The token goes straight to NEXT. No queue travels with it.' },
      { when: /^2 asks/, says: 'Node 2 still points at node 0, which is out of date, but leads on.' },
      { when: /^0 receives request from 2/, asks: 'does', says: 'Node 0 knows better: on to node 3.' },
      {
        when: /^2 receives token.*enters/,
        says: 'Three messages. In the long run it is about H(n-1), the harmonic number, on average.',
      },
    ],
  },
  {
    id: 'flooding',
    title: 'Flooding an unknown network',
    about:
      'A node knows only its neighbours. A request spreads like a wave, and the token follows the way back.',
    paper: 'Helary, Plouzeau and Raynal 1988, sections 3 and 4',
    shows: {
      run: {
        ...calm,
        algorithm: 'helary-plouzeau-raynal',
        nodes: 6,
        topology: 'grid',
        load: 'script:0 request 5',
      },
    },
    steps: [
      {
        when: null,
        says: 'Six nodes in a grid. Node 0 has the token. Every node knows only its neighbours.',
      },
      {
        when: /^5 asks/,
        says: 'Node 5 asks its neighbours 2 and 4, and lists the receivers in the request.',
      },
      {
        when: /^2 receives request from 5/,
        asks: 'does',
        says: 'Node 2 passes it on to the neighbour that is not listed yet: node 1.',
      },
      {
        when: /^4 receives request from 5/,
        says: 'Node 4 does the same, towards 1 and 3. The wave has two arms.',
      },
      {
        when: /^1 receives request from 4/,
        asks: 'does',
        says: 'The second arm meets a node that has been reached: here it ends.',
      },
      {
        when: /^0 receives request from 1/,
        says: 'The wave reaches the token. The token goes back the way by which the request came first.',
      },
      { when: /^1 receives token/, asks: 'does', says: 'Node 1 remembers who brought the request: node 2.' },
      {
        when: /^5 receives token.*enters/,
        says: 'Node 5 has it. On a tree this takes at most n-1 requests, and a token message per hop.',
      },
    ],
  },
  tokenQueue,
  lostToken,
  twoTokens,
  {
    id: 'bully',
    title: 'The bully',
    about:
      'The coordinator is dead. A node that notices asks all higher ones, and the highest that lives wins.',
    paper: 'Garcia-Molina 1982; Kessler 2024',
    shows: { run: { ...calm, algorithm: 'bully', nodes: 5, load: '1' } },
    steps: [
      { when: /^4 crashes/, says: 'Node 4 was the coordinator. It has crashed.' },
      { when: /^1 calls an election/, says: 'Node 1 notices, and asks all with a higher number.' },
      {
        when: /^2 receives election from 1/,
        asks: 'does',
        says: 'Node 2 answers, so that node 1 stops, and asks all above itself.',
      },
      { when: /^3 receives election from 1/, says: 'So does node 3. Only node 4 is above it.' },
      {
        when: /^1 receives answer/,
        asks: 'does',
        says: 'Node 1 has an answer: a higher node lives. It waits for the announcement.',
      },
      {
        when: /^3 sees its timer answer/,
        asks: 'elects',
        says: 'No node above node 3 has answered in time. Node 3 is the coordinator, and tells all below.',
      },
      {
        when: /^2 receives coordinator/,
        says: 'All have heard. In the worst case, when the lowest node notices, that is about n² messages.',
      },
    ],
  },
  {
    id: 'raymond',
    title: 'A privilege that climbs a tree',
    about: 'A node knows only the direction of the privilege, and asks once for all that wait behind it.',
    paper: 'Raymond 1989; Velazquez 1993, section 4',
    shows: { run: { ...calm, algorithm: 'raymond', nodes: 7, load: 'script:0 request 5; 0.5 request 6' } },
    steps: [
      {
        when: null,
        says: 'A tree of seven. Every node points at the neighbour behind which the privilege lies: node 0.',
      },
      { when: /^5 asks/, says: 'Node 5 asks its neighbour, not the holder, which it does not know.' },
      {
        when: /^2 receives request from 5/,
        asks: 'does',
        says: 'Node 2 notes it in its queue, and asks in its own name.',
      },
      {
        when: /^2 receives request from 6/,
        asks: 'does',
        says: 'Node 6 asks as well. Node 2 has asked already: one request stands for all behind it.',
      },
      {
        when: /^0 receives request from 2/,
        says: 'Node 0 hands the privilege over, and turns its pointer: HOLDER is node 2.',
      },
      {
        when: /^2 receives privilege from 0/,
        asks: 'does',
        says: 'It goes to the first in the queue, node 5. Another node still waits, so node 2 asks for it back at once.',
      },
      { when: /^5 receives privilege.*enters/, says: 'Node 5 is inside.' },
      { when: /^5 leaves/, says: 'It leaves, and the privilege goes back to node 2.' },
      {
        when: /^6 receives privilege.*enters/,
        asks: 'enters',
        says: 'From there it goes to node 6. Under load that is about four messages a turn, however large the tree.',
      },
    ],
  },
  controlToken,
  coordinatorsDay,
]
