import { calm } from './calm.ts'
import type { Lesson } from './lesson.ts'

export const coordinatorsDay: Lesson = {
  id: 'coordinator',
  title: 'A coordinator’s day',
  about:
    'Two zones are far from each other. In each, a coordinator keeps its own zone out until the other zone has had its turn.',
  paper: 'Sopena, Legond-Aubry, Arantes and Sens 2007',
  shows: {
    run: {
      ...calm,
      algorithm: 'composed',
      nodes: 4,
      set: ['zones=2', 'inner=raymond', 'outer=naimi-trehel'],
      load: 'script:0 request 1; 3 request 3; 6.5 request 0',
      inside: 'constant:6',
    },
  },
  steps: [
    {
      when: null,
      says:
        'Zone 0 has nodes 0 and 1, and zone 1 has nodes 2 and 3. Raymond’s algorithm runs within each zone. Nodes 0 and 2 also ' +
        'run the coordinators. Between the coordinators runs the algorithm of Naimi and Trehel. While a coordinator is inside its zone, ' +
        'nobody else of the zone is.',
    },
    { when: /^1 asks/, says: 'Node 1 asks within its zone, as if there were no other zone.' },
    {
      when: /^0 receives inner-request/,
      asks: 'does',
      says:
        'The coordinator of zone 0 is inside its zone. It already has the token of the zones, so it leaves, and the privilege goes to ' +
        'node 1. No message has left the zone.',
    },
    { when: /^1 receives inner-privilege.*enters/, says: 'Node 1 enters.' },
    { when: /^3 asks/, says: 'Now a node of zone 1 asks, again within its own zone.' },
    {
      when: /^2 receives inner-request from 3/,
      asks: 'does',
      says: 'Its coordinator is inside, and does not have the token of the zones. So it asks the other coordinator. This is the first message between the zones.',
    },
    {
      when: /^0 receives outer-request from 2/,
      asks: 'does',
      says: 'Zone 0 is in use, so the other zone must wait. The coordinator asks to be back inside its zone, like any node there. So node 1 finishes first.',
    },
    {
      when: /^0 asks/,
      says: 'Node 0 wants to enter, too. It stands behind its own coordinator, and waits for the next turn of its zone.',
    },
    { when: /^1 leaves/, says: 'Node 1 leaves. The coordinator is next.' },
    {
      when: /^0 receives inner-privilege/,
      says: 'The coordinator is back inside, so nobody else of zone 0 is. Now the token may go to zone 1. A node of zone 0 waits, so the coordinator asks for the token again at once.',
    },
    {
      when: /^2 receives outer-token/,
      asks: 'does',
      says: 'Zone 1 may enter: its coordinator leaves, and lets node 3 in.',
    },
    { when: /^3 receives inner-privilege.*enters/, says: 'Node 3 enters.' },
    { when: /^3 leaves/, says: 'It leaves. The coordinator of zone 1 has asked to be back, and is next.' },
    {
      when: /^0 receives outer-token.*enters/,
      asks: 'enters',
      says: 'The token is back, and node 0 enters. Three entries needed four messages between the zones. Zone 0 alone would have needed none.',
    },
  ],
}
