/** Mutants of the quorum algorithms that nobody can notice, each with the proof. */
import type { Equivalent } from './equivalents.ts'

export const ofQuorumAlgorithms: readonly Equivalent[] = [
  {
    file: 'quorum/arbiter.ts',
    line: 'if (ours.inside) return',
    place: 1,
    before: 'ours.inside',
    after: 'false',
    why: 'A node that is inside keeps no grant and no INQUIRE. So it has not enough grants to enter again, and none to yield.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: 'if (asked.length === 0) enterOrYield(node, here, ours)',
    before: 'asked.length === 0',
    after: 'true',
    why: 'A node that asks others or itself has entered by now, or waits for grants. No INQUIRE for this request can be there yet.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: "if (policy === 'queued' && node.queue[0] === request && precedes(node.granted, request)) return",
    before: "policy === 'queued' && node.queue[0] === request && precedes(node.granted, request)",
    after: 'false',
    why: 'No algorithm of the catalogue has this policy. A broken variant shows what comes of it.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: "if (policy === 'queued' && node.queue[0] === request && precedes(node.granted, request)) return",
    before: '===',
    after: '!==',
    why: 'No algorithm of the catalogue has this policy. A broken variant shows what comes of it.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: "if (policy === 'queued' && node.queue[0] === request && precedes(node.granted, request)) return",
    before: '0',
    after: '1',
    why: 'No algorithm of the catalogue has this policy. A broken variant shows what comes of it.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: "if (policy === 'all' || policy === 'overtaken') {",
    before: "policy === 'all' || policy === 'overtaken'",
    after: 'true',
    why: 'In the catalogue the policy is this, or `none`, and then nobody is told to wait.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: 'if (!ours.inquiries.includes(from)) return',
    before: '!ours.inquiries.includes(from)',
    after: 'true',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: 'if (!ours.inquiries.includes(from)) return',
    before: '!ours.inquiries.includes(from)',
    after: 'false',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'quorum/arbiter.ts',
    line: 'if (!ours.inquiries.includes(from)) return',
    before: '!ours.inquiries.includes(from)',
    after: 'ours.inquiries.includes(from)',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'quorum/substitution.ts',
    line: 'if (asked.length > 0 && gone.length === 0) return',
    place: 1,
    before: '0',
    after: '1',
    why: 'A node that was asked alone is a quorum. If nobody is gone, it is wanted again, and no other: nodes that were asked come first.',
  },
]
