import { calm } from './calm.ts'
import type { Lesson } from './lesson.ts'

export const lostToken: Lesson = {
  id: 'lost-token',
  title: 'A lost token, and how it is replaced',
  about:
    'The holder dies inside. Waiting nodes ask all others for the token, and one of them makes a new one.',
  paper: 'Naimi and Trehel 1987; Velazquez 1993, section 4',
  shows: {
    run: {
      ...calm,
      algorithm: 'naimi-trehel-recovery',
      nodes: 4,
      load: 'script:0 request 1; 3 request 2',
      fault: ['crash:1@3'],
      set: ['twait=6', 'telec=4'],
    },
  },
  steps: [
    { when: /^1 receives token.*enters/, says: 'Node 1 has the token and is inside.' },
    { when: /^1 crashes/, says: 'It crashes. The token is lost with it, and no other node knows.' },
    { when: /^2 asks/, says: 'Node 2 asks. Its request is passed on to node 1, which is dead.' },
    {
      when: /^2 sees its timer waiting/,
      asks: 'does',
      says: 'It has waited longer than all others together may take. It asks: does any node have me as NEXT?',
    },
    {
      when: /^2 sees its timer consulting/,
      says: 'No node says yes. It presumes a failure and asks where the token is.',
    },
    { when: /^2 sees its timer query/, says: 'No node has it. It becomes a candidate.' },
    {
      when: /^2 sees its timer candidate.*enters/,
      asks: 'does',
      says:
        'No candidate has a smaller number, so it makes a new token. The token has a new epoch, so its fence is ' +
        'above all earlier ones. The node enters.',
    },
    { when: /^3 receives elected/, says: 'The others point at node 2 now: the tree is rebuilt.' },
  ],
}

export const twoTokens: Lesson = {
  id: 'two-tokens',
  title: 'Two tokens under a partition',
  about: 'The same recovery, but the holder was only cut off. A time-out cannot tell slow from dead.',
  paper: 'Velazquez 1993, section 4: what the recovery assumes',
  shows: {
    run: {
      ...calm,
      algorithm: 'naimi-trehel-recovery',
      nodes: 3,
      load: 'script:0 request 0; 1 request 1',
      inside: 'constant:60',
      set: ['twait=5', 'telec=4'],
      fault: ['cut:0-1@0.5-50', 'cut:0-2@0.5-50'],
    },
  },
  steps: [
    { when: /^0 asks; enters/, says: 'Node 0 has the token and is inside.' },
    {
      when: /^the channel from 2 to 0 is cut/,
      says: 'Now it is cut off from both others. It does not notice.',
    },
    { when: /^1 asks/, asks: 'does', says: 'Node 1 asks, and its request is lost.' },
    { when: /^1 sees its timer waiting/, says: 'It waits, and consults the nodes that it can reach.' },
    { when: /^1 sees its timer query/, says: 'No node on this side has the token.' },
    {
      when: /^1 sees its timer candidate/,
      asks: 'enters',
      says: 'So it makes a second one and enters. Node 0 is still inside: two tokens.',
    },
    {
      when: /^VIOLATION/,
      says: 'Exclusion is broken. The mesh prevents this: a majority must agree, and the resource itself checks the fence.',
    },
  ],
}
