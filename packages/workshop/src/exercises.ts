/**
 * The exercises, in the order of the course. Each takes a rule out of a text of the catalogue, and with it the sentences that give it away.
 * The answers are in docs/teaching-answers.md.
 */
import { InvalidInput, nearestNames } from '@turnwise/core/invalid-input'
import type { Exercise } from './exercise.ts'
import { STRUCTURE_TEXT } from './structure-text.ts'

export const exercises: readonly Exercise[] = [
  {
    slug: 'the-desk',
    title: 'One at a time',
    question:
      'A coordinator lets nodes in. Two are inside together. Which line lets the second one in, and what should stand there?',
    hints: [
      'Watch the desk of node 0 when the second request comes.',
      'The desk knows who is inside: see holder.',
    ],
    right: ['src/permission/central-coordinator.ts'],
    breaks: [
      [
        `  if (desk.holder === null) return serveNext(desk, here)
  here.because?.('node {holder} has the section: node {who} is number {place} in the queue', {
    holder: desk.holder,
    who,
    place: desk.queue.length,
  })
`,
        `  serveNext(desk, here)
`,
      ],
      ['/** The section is free: the first', '/** The first'],
      ['the section is free, and node {self} itself', 'node {self} itself'],
      ['the section is free, and node {next} is', 'node {next} is'],
    ],
    fails: 'exclusion',
    worlds: [
      { nodes: 2, requests: 1 },
      { nodes: 3, requests: 2 },
    ],
  },
  {
    slug: 'tie-break',
    title: 'The tie-break',
    question:
      'Ricart and Agrawala compare sequence numbers. With this comparison two nodes are inside together. Which case did it forget, and what decides there?',
    hints: [
      'Two nodes that ask at the same time choose the same number.',
      'Both must come to the same decision, without another message.',
      'There is an order on pairs of number and node in @turnwise/core/timestamp.',
    ],
    right: ['src/permission/ricart-agrawala.ts'],
    breaks: [
      [
        'The smaller number has priority, and\n * among equal numbers the smaller node.',
        'The smaller number has priority.',
      ],
      ['compare the same two pairs, so', 'compare the same two numbers, so'],
      ['precedes({ time: node.ours, node: here.self }, { time: number, node: from })', 'node.ours < number'],
      ['both have number {number}, and node {self} is smaller', 'both have number {number}'],
      ['both have number {number}, and node {from} is smaller', 'both have number {number}'],
      ['import { precedes, timestampFence }', 'import { timestampFence }'],
      [
        '/** If two entries exclude each other, the first has the smaller (number, node), so the pair is a fence. */',
        '/** Its number and its own name. */',
      ],
    ],
    fails: 'exclusion',
    worlds: [
      { nodes: 2, requests: 1 },
      { nodes: 3, requests: 1 },
      { nodes: 2, requests: 'any' },
    ],
  },
  {
    slug: 'hear-from-all',
    title: 'Who may still ask',
    question:
      "In Lamport's algorithm every node has a queue of all requests. A node whose request is first in its queue enters, and finds another one inside. What must it know before it enters?",
    hints: [
      'Look at what is still under way when the second node enters.',
      'Channels keep order. So a later message of a node says something about its earlier ones.',
      'The state has a field for it, which nobody reads.',
    ],
    right: ['src/permission/lamport.ts'],
    breaks: [
      [
        `  if (!node.heard.every(Boolean)) {
    const silent = nodesWhere(node.heard, (heard) => !heard)
    return here.because?.('an earlier request of {silent} may still be on its way to node {self}', { silent })
  }
`,
        '',
      ],
      ['is first in its queue, and all others have sent something later', 'is first in its queue'],
    ],
    fails: 'exclusion',
    worlds: [
      { nodes: 2, requests: 1 },
      { nodes: 2, requests: 'any' },
    ],
  },
  {
    slug: 'waiting-root',
    title: 'The root that waits',
    question:
      'In the algorithm of Naimi and Trehel a request ends at the root of the tree. This root gives the token away at once, and two nodes are inside together. Which roots are there, and what does each do with a request?',
    hints: [
      'A node becomes the root as soon as it has asked.',
      'One variable of the state is never set to a node.',
    ],
    right: ['src/token/naimi-trehel.ts'],
    breaks: [
      [
        `      } else if (node.requesting) {
        here.because?.('node {self} was the end of the queue: node {origin} comes after it', { origin })
        appoint(node, origin)
      } else {`,
        '      } else {',
      ],
      [
        `/** Only a root that has asked appoints its successor, and it is a root once per request. */
function appoint(node: State, next: NodeId): void {
  if (node.next !== null) impossible(\`nodes \${node.next} and \${next} are both next\`)
  node.next = next
}

`,
        '',
      ],
      [
        ` The old root
 * notes the origin as its NEXT, or sends it an idle token. The chain of NEXT is the queue; no node holds all of it.`,
        ' The old root\n * sends it the token.',
      ],
      [
        ` But a waiting
 * root does not have it yet, and notes its NEXT like a root that is inside.`,
        '',
      ],
    ],
    fails: 'exclusion',
    worlds: [
      { nodes: 2, requests: 1 },
      { nodes: 3, requests: 'any' },
    ],
  },
  {
    slug: 'ask-again',
    title: 'Those who stay in the queue',
    question:
      "In Raymond's algorithm the privilege moves along a tree. In this text a node waits for ever, though the privilege is free. Who forgot it, and when?",
    hints: [
      'Let three nodes on a line ask, and follow the queue of the middle one.',
      'A node that gives the privilege away may have others in its queue.',
    ],
    right: ['src/token/raymond.ts'],
    breaks: [
      [
        `      node.holder = here.self
      node.fence = fence
      assignPrivilege(node, here)
      makeRequest(node, here)
`,
        `      node.holder = here.self
      node.fence = fence
      assignPrivilege(node, here)
`,
      ],
    ],
    fails: 'no-deadlock',
    worlds: [
      { nodes: 3, requests: 1, topology: 'line' },
      { nodes: 4, requests: 1, topology: 'star' },
      { nodes: 3, requests: 'any', topology: 'line' },
    ],
  },
  {
    slug: 'idle-token',
    title: 'A token that nobody sends',
    question:
      'In the algorithm of Suzuki and Kasami the token carries a queue. Here it lies idle while a node waits. What must its holder do when it leaves?',
    hints: [
      'A request that comes while the holder is inside is only noted. Where?',
      'Compare what each node has asked for with what the token has served.',
    ],
    right: ['src/token/suzuki-kasami.ts'],
    breaks: [
      [
        `    for (const other of scan(here.self, here.setup)) {
      if (!queue.includes(other) && get(node.requested, other) > get(served, other)) queue.push(other)
    }
`,
        '',
      ],
    ],
    fails: 'no-deadlock',
    worlds: [
      { nodes: 2, requests: 1 },
      { nodes: 3, requests: 1 },
      { nodes: 2, requests: 3 },
    ],
  },
  {
    slug: 'lost-token',
    title: 'A token that was not lost',
    question:
      'A node of the ring crashes, and the others elect one that makes a new token. Now there are two. Which one is void, and how does a node tell it?',
    hints: [
      'The old token was under way between two living nodes when the election took place.',
      'A token names the term in which it was made. So does the announcement of the winner.',
    ],
    right: ['src/token/token-ring-election.ts'],
    breaks: [
      [
        `      if (term < node.term)
        return here.because?.('the token is of term {term}, and a later one has begun', { term })
      node.term = term
`,
        '      node.term = Math.max(node.term, term)\n',
      ],
      [
        `Why there is one token: a process that the announcement has passed accepts no token of an earlier term, so a token
 * under way is void. Only`,
        'Why there is one token: only',
      ],
    ],
    fails: 'one-token',
    worlds: [
      { nodes: 2, requests: 1, crashes: 1 },
      { nodes: 3, requests: 1, crashes: 1 },
    ],
  },
  {
    slug: 'missing-fail',
    title: 'The missing FAIL',
    question:
      'Arbiters grant one request at a time, and ask for a grant back when a smaller timestamp comes. Nodes wait for each other in a circle. Which node was never told that it must wait?',
    hints: [
      'Draw, at the end of the run, who holds which grant and waits for which.',
      'A node gives a grant back only if it knows that it cannot enter yet. A FAIL tells it.',
      'Think of a newcomer that is smaller than the granted request, but not the smallest in the queue.',
    ],
    right: ['src/quorum/arbiter.ts', 'src/quorum/sanders.ts'],
    breaks: [
      ["      if (node.queue[0] !== request && policy !== 'overtaken') fail(node, here, request)\n", ''],
      [
        `  3. A request smaller than the granted one but not the smallest in the queue gets a FAIL too, and so does every
 *     queued request that is overtaken. Maekawa tells only the newcomer, and Sanders omits the first case.
`,
        '  3. Every queued request that is overtaken gets a FAIL. Maekawa tells only the newcomer.\n',
      ],
    ],
    fails: 'no-deadlock',
    worlds: [
      { nodes: 3, requests: 1, channels: 'fifo', structure: '0.2/1.2/2:0.1.2/1.2/2', set: ['own=first'] },
      { nodes: 3, requests: 1, structure: 'figure-2' },
    ],
  },
  {
    slug: 'structure',
    title: 'An information structure',
    question:
      'The rules are right, the sets are not: two nodes are inside together. Which condition of Sanders do the sets break? Mend them.',
    hints: [
      'For every two nodes their inform sets meet, or each is in the request set of the other.',
      'What a node informs it must have asked.',
    ],
    right: { text: STRUCTURE_TEXT },
    breaks: [
      ['const INFORM = [\n  [0, 2],\n  [1, 2],\n', 'const INFORM = [\n  [0, 2],\n  [1],\n'],
      ['const REQUEST = [\n  [0, 2],\n  [1, 2],\n', 'const REQUEST = [\n  [0, 2],\n  [0, 1],\n'],
    ],
    fails: 'exclusion',
    worlds: [{ nodes: 3, requests: 1 }],
  },
  {
    slug: 'from-scratch',
    title: 'An algorithm of your own',
    question:
      'Write rules by which two and three nodes enter one at a time, whatever the order of messages, and nobody waits for ever.',
    hints: [
      'Begin with a coordinator, node 0: everyone asks it, and tells it when it has left.',
      'Reset what has lost its meaning, or there are more states than there need be.',
      'A fence rises with every entry: it has to be carried to the node that enters next.',
    ],
    right: ['src/template.ts'],
    breaks: [],
    fails: 'no-deadlock',
    worlds: [
      { nodes: 2, requests: 1 },
      { nodes: 3, requests: 1 },
      { nodes: 2, requests: 2 },
    ],
  },
]

export function exerciseNamed(slug: string): Exercise {
  const found = exercises.find((exercise) => exercise.slug === slug)
  if (found !== undefined) return found
  const slugs = exercises.map((exercise) => exercise.slug)
  const near = nearestNames(slug, slugs)
  throw new InvalidInput(
    `"${slug}" is not an exercise: ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : slugs.join(', ')}`,
  )
}
