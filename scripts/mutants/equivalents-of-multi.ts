/** The mutants of algorithms for several entries or resources that nobody can notice. */
import type { Equivalent } from './equivalents.ts'

export const ofMultiAlgorithms: readonly Equivalent[] = [
  {
    file: 'multi/ordered-resources.ts',
    line: 'if (isMine) askForNext(node, here)',
    before: 'isMine',
    after: 'true',
    why: 'A token goes only to a node that asked for it, and grants it.',
  },
  {
    file: 'multi/ordered-resources.ts',
    line: "naimiTrehel.request(lock, inner, { mode: 'exclusive', priority: 0 }),",
    before: '0',
    after: '1',
    why: 'Naimi and Trehel know no priorities.',
  },
  {
    file: 'multi/raymond-k.ts',
    line: 'const deferred = nodesWhere(node.deferred, (count) => count > 0)',
    before: '>',
    after: '>=',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'multi/raymond-k.ts',
    line: 'const deferred = nodesWhere(node.deferred, (count) => count > 0)',
    before: '0',
    after: '1',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'multi/bouabdallah-laforest.ts',
    line: 'delete inner.because',
    before: 'delete inner.because',
    after: ';',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'multi/bouabdallah-laforest.ts',
    line: 'if (free.length === 0) return',
    before: 'free.length === 0',
    after: 'false',
    why: 'Without free tokens the rest gives none back. Only the reason differs.',
  },
  {
    file: 'multi/bouabdallah-laforest.ts',
    line: 'const isKept = node.kept.some((token) => token.resource === resource && token.turn === turn)',
    before: '&&',
    after: '||',
    why: 'An inquiry names a turn of this node: one that it claims, or else the one of the token that it keeps. So either text finds the token.',
  },
  {
    file: 'multi/bouabdallah-laforest.ts',
    line: 'return isKept ? false : impossible(`node ${from} inquires for resource ${resource}, which is elsewhere`)',
    before: 'isKept',
    after: 'true',
    why: 'The other branch is impossible.',
  },
  {
    file: 'multi/srimani-reddy.ts',
    line: 'if (marks) learn(node, next, get(node.requested, next))',
    before: 'marks',
    after: 'true',
    why: 'Only a variant in `innocent/` calls it with false.',
  },
]
