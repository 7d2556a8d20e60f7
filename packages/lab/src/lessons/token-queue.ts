import { calm } from './calm.ts'
import type { Lesson } from './lesson.ts'

export const tokenQueue: Lesson = {
  id: 'token-queue',
  title: 'The queue travels in the token',
  about:
    'Readers keep copies until a writer recalls them. A node that asks again as it leaves sends no request.',
  paper: 'After Naimi and Trehel 1987, and Li and Hudak 1989',
  shows: {
    run: {
      ...calm,
      algorithm: 'token-queue',
      nodes: 4,
      load: 'script:0 request 1 shared; 0 request 2 shared; 3 request 3; 5 request 1 shared',
      inside: 'constant:4',
    },
  },
  steps: [
    {
      when: null,
      says: 'Node 0 owns the token, and all point at it. The token holds the queue of waiting nodes, which is empty.',
    },
    { when: /^1 asks to share/, says: 'Nodes 1 and 2 want to read.' },
    {
      when: /^0 receives request from 1.*sends copy/,
      says: 'A reader does not need the token. It gets a copy and keeps it. It can read again without asking.',
    },
    { when: /^3 asks/, says: 'Node 3 wants to write.' },
    {
      when: /^0 receives request from 3/,
      asks: 'does',
      says: 'The token goes to node 3 at once, and says that two copies are missing. Node 0 recalls them. They go straight to node 3.',
    },
    {
      when: /^3 receives token/,
      asks: 'does',
      says: 'Node 3 owns the token now, but does not enter: two may still read.',
    },
    {
      when: /^1 leaves/,
      says: 'The reader of node 1 leaves, and another caller waits there. It asks before the copy goes back. So its request travels with the copy, and costs no message.',
    },
    {
      when: /^3 receives returned.*enters/,
      asks: 'enters',
      says: 'Both copies are back: node 3 is alone, and enters. Node 1 is in its queue.',
    },
    {
      when: /^1 receives copy from 3/,
      says: 'Node 3 has left, and node 1 gets a new copy. Four entries have cost eleven messages.',
    },
  ],
}
