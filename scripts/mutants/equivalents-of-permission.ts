/** The mutants of permission algorithms with an engine of their own that nobody can notice. */
import type { Equivalent } from './equivalents.ts'

export const ofPermissionAlgorithms: readonly Equivalent[] = [
  {
    file: 'permission/pairwise.ts',
    line: 'const waitsFor = node.ours === null ? null : node.mode',
    before: 'node.ours === null',
    after: 'false',
    why: 'A node inside gives a permission only to share, while it shares itself, and so keeps what it needs. A node that is neither inside nor waiting has no mode.',
  },
  {
    file: 'permission/pairwise.ts',
    line: 'const waiting = nodesWhere(node.deferred, (mode, other) => mode !== null && node.heldBack[other] === null)',
    before: '&&',
    after: '||',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/pairwise.ts',
    line: 'const waiting = nodesWhere(node.deferred, (mode, other) => mode !== null && node.heldBack[other] === null)',
    before: '!==',
    after: '===',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/pairwise.ts',
    line: 'const waiting = nodesWhere(node.deferred, (mode, other) => mode !== null && node.heldBack[other] === null)',
    before: '===',
    after: '!==',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/pairwise.ts',
    line: "(mode, other) => mode === 'shared' && node.heldBack[other] === null,",
    before: '&&',
    after: '||',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/pairwise.ts',
    line: "(mode, other) => mode === 'shared' && node.heldBack[other] === null,",
    before: '===',
    after: '!==',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/pairwise.ts',
    line: 'if (node.heldBack[other] === null) answer(node, here, other, mode)',
    before: 'node.heldBack[other] === null',
    after: 'true',
    why: 'In downgrade: a node that was alone inside has the replies of all others, and holds back only requests of nodes that owe it one.',
  },
  {
    file: 'permission/pairwise.ts',
    line: 'if (!suffices(get(node.permission, from), mode)) node.permission[from] = mode',
    before: '!suffices(get(node.permission, from), mode)',
    after: 'true',
    why: 'A node asks only for what it lacks, has one request under way to each other node, and gains permissions only by its reply. So a reply never gives less than it has.',
  },
  {
    file: 'permission/pairwise.ts',
    line: 'const lacking = nodesWhere(node.permission, (permission) => !suffices(permission, node.mode as Mode))',
    before: '!suffices(permission, node.mode as Mode)',
    after: 'suffices(permission, node.mode as Mode)',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/pairwise.ts',
    line: 'if (asksAgain) ask(node, here, to)',
    before: 'asksAgain',
    after: 'true',
    why: 'Only a broken variant sets it to false.',
  },
  {
    file: 'permission/ricart-agrawala-insertion.ts',
    line: 'ask: () => false,',
    before: 'false',
    after: 'true',
    why: 'A node that asks for the highest number does not listen: its `learning` is null.',
  },
  {
    file: 'permission/ricart-agrawala-insertion.ts',
    line: "pose(node, here, 'include', nearby === undefined ? [] : [nearby])",
    before: 'nearby === undefined',
    after: 'false',
    why: 'A node that listens and has nobody left on its list is a member at once, and its timer ends.',
  },
]
