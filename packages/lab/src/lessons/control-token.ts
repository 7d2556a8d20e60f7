import { calm } from './calm.ts'
import type { Lesson } from './lesson.ts'

export const controlToken: Lesson = {
  id: 'control-token',
  title: 'Several resources, without deadlock',
  about:
    'A request is for several resources at once. A control token puts all requests into one order, so nobody waits in a circle.',
  paper: 'Bouabdallah and Laforest 2000',
  shows: {
    run: {
      ...calm,
      algorithm: 'bouabdallah-laforest',
      nodes: 4,
      resources: 3,
      load: 'script:0 request 1 resources 0,1; 3 request 2 resources 2; 7 request 3 resources 1,2; 28 request 1 resources 1',
      inside: 'constant:10',
    },
  },
  steps: [
    {
      when: null,
      says:
        'There are three resources: 0, 1 and 2. Each has a token. At first all three are in the control token, which node 0 ' +
        'has.',
    },
    {
      when: /^1 asks for 0, 1/,
      says: 'Node 1 wants 0 and 1. It asks for one thing only: the control token.',
    },
    {
      when: /^1 receives control.*enters/,
      says:
        'The control token has the tokens of both. Node 1 takes them out. It writes into the control token that node 1 was the ' +
        'last to ask for 0 and 1, and enters.',
    },
    { when: /^2 asks for 2/, says: 'Node 2 wants 2, which nobody uses. Node 1 is still inside.' },
    {
      when: /^1 receives request/,
      asks: 'does',
      says: 'Node 1 does not need the control token any more, only the tokens of 0 and 1. The control token goes on at once.',
    },
    {
      when: /^2 receives control.*enters/,
      says: 'Resource 2 is free. Two nodes are inside now, with different resources.',
    },
    { when: /^3 asks for 1, 2/, says: 'Node 3 wants 1 and 2. One token is at node 1, the other at node 2.' },
    {
      when: /^3 receives control/,
      asks: 'does',
      says:
        'The control token names node 1 as the last to ask for 1, and node 2 as the last to ask for 2. Node 3 takes both places ' +
        'in one step, and inquires at each. A later request is behind node 3 for both, so no circle can arise.',
    },
    {
      when: /^1 receives inquire/,
      asks: 'does',
      says: 'Node 1 has not finished. It notes that node 3 is next.',
    },
    {
      when: /^1 leaves/,
      says: 'It leaves, and the token of 1 goes straight to node 3. The token of 0 stays: nobody wants it.',
    },
    { when: /^3 receives tokens from 1/, says: 'Node 3 has one of its two tokens, and waits for the other.' },
    {
      when: /^3 receives tokens from 2.*enters/,
      asks: 'enters',
      says: 'It has both, and enters.',
    },
    {
      when: /^3 leaves/,
      says: 'Nobody has inquired, and the control token is here. So both tokens go back into it.',
    },
    {
      when: /^1 receives control.*enters/,
      says:
        'Without competition, an entry costs only the way of the control token, however many resources it takes. On its way the ' +
        'control token collects the token of 0, too.',
    },
  ],
}
