/** Mutants that nobody can notice, each with the proof. One that matches no mutant any more is an error. */
import { ofHelary } from './equivalents-of-helary.ts'
import { ofMultiAlgorithms } from './equivalents-of-multi.ts'
import { ofPermissionAlgorithms } from './equivalents-of-permission.ts'
import { ofQuorumAlgorithms } from './equivalents-of-quorum.ts'
import { ofTokenAlgorithms } from './equivalents-of-token.ts'
import { ofZones } from './equivalents-of-zones.ts'
import { lineOf, type Mutant } from './mutate.ts'
import { oneLine } from './record.ts'

export interface Equivalent {
  /** In packages/algorithms/src. */
  readonly file: string
  /** The line of the text, without its margin. */
  readonly line: string
  /** Which of several such lines, from 1. */
  readonly place?: number
  readonly before: string
  readonly after: string
  /** Why the two texts do the same. */
  readonly why: string
}

export const equivalents: readonly Equivalent[] = [
  {
    file: 'election/ring-election-rules.ts',
    line: 'else if (id > circle.self) propose(node, circle, id)',
    before: '>',
    after: '>=',
    why: 'The line before has dealt with the own number.',
  },
  {
    file: 'election/ring-election-rules.ts',
    line: 'node.best = Math.max(id, node.best !== null && !circle.down.includes(node.best) ? node.best : id)',
    before: 'node.best !== null && !circle.down.includes(node.best)',
    after: 'false',
    why: 'No number below the best living one is sent on. On the way from the best to this process all numbers are above the best, and replace it, or at most that of this process, and are replaced.',
  },
  {
    file: 'election/ring-election-rules.ts',
    line: 'node.best = Math.max(id, node.best !== null && !circle.down.includes(node.best) ? node.best : id)',
    before: '!==',
    after: '===',
    why: 'Then the best is never chosen, as in the mutant above: the greater of a number and null is the number.',
  },
  {
    file: 'election/ring.ts',
    line: 'return true',
    place: 1,
    before: 'true',
    after: 'false',
    why: 'Of the process that is alone: who asks for the result has nobody to send to.',
  },
  {
    file: 'election/bully-rules.ts',
    line: 'node.coordinator = null',
    place: 2,
    before: 'node.coordinator = null',
    after: ';',
    why: 'A process that has a coordinator takes part in no election, so it starts one, and that forgets the coordinator.',
  },
  {
    file: 'election/bully-rules.ts',
    line: "if (node.election === 'off') start(node, here)",
    place: 1,
    before: "node.election === 'off'",
    after: 'true',
    why: 'In suspect: a process that has a coordinator takes part in no election.',
  },
  {
    file: 'election/bully-rules.ts',
    line: 'if (from < here.self || node.down.includes(from)) {',
    before: '<',
    after: '<=',
    why: 'No process sends to itself.',
  },
  {
    file: 'permission/lamport.ts',
    line: 'const silent = nodesWhere(node.heard, (heard) => !heard)',
    before: '!heard',
    after: 'heard',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/lamport.ts',
    line: 'node.inside = true',
    before: 'node.inside = true',
    after: ';',
    why: 'No rule reads it: it is there to be shown.',
  },
  {
    file: 'permission/lamport.ts',
    line: 'node.inside = true',
    before: 'true',
    after: 'false',
    why: 'No rule reads it: it is there to be shown.',
  },
  {
    file: 'permission/lamport.ts',
    line: 'return time === null ? null : { time, node: here.self }',
    before: 'time === null',
    after: 'false',
    why: 'A node without a request waits for nobody, so `heard` is null. In `answeredAlready`, no stamp precedes null.',
  },
  {
    file: 'permission/central-coordinator.ts',
    line: 'if (desk !== null) queueUp(desk, here, from)',
    before: 'desk !== null',
    after: 'true',
    why: 'Requests go to the coordinator alone, which has the desk.',
  },
  {
    file: 'permission/central-coordinator.ts',
    line: 'if (desk?.holder === from) serveNext(desk, here)',
    before: 'desk?.holder === from',
    after: 'true',
    why: 'Only the holder sends a release, and it stays the holder until that arrives.',
  },
  {
    file: 'permission/singhal-dynamic.ts',
    line: '...pairwiseRules({ startsWith: (self, other) => self < other }),',
    before: '<',
    after: '<=',
    why: 'A node is never without its own permission: `atStart` gives it before it asks.',
  },
  {
    file: 'quorum/sanders.ts',
    line: 'known.set(structure, found)',
    before: 'known.set(structure, found)',
    after: ';',
    why: 'What is not kept is derived again, with the same result.',
  },
  {
    file: 'permission/prime-product.ts',
    line: 'if (taken === null) return',
    before: 'taken === null',
    after: 'false',
    why: 'Both algorithms multiply only when they know the turns of all nodes. Only a broken variant leaves one out.',
  },
  {
    file: 'permission/ricart-agrawala-membership-state.ts',
    line: 'export const PATIENT = 100',
    before: '100',
    after: '101',
    why: 'It is the default of an option, and a bound in the facts. No rule reads it.',
  },
  {
    file: 'permission/raynal-prime-modified.ts',
    line: "if (here.setup.nodes > 1) here.setTimer('hop', here.setup.options.hop)",
    before: 'here.setup.nodes > 1',
    after: 'true',
    why: 'A node that is alone has every turn. The timer runs out once, and a request enters before and after.',
  },
  {
    file: 'permission/raynal-prime-modified.ts',
    line: "if (here.setup.nodes > 1) here.setTimer('hop', here.setup.options.hop)",
    before: '>',
    after: '>=',
    why: 'A node that is alone has every turn. The timer runs out once, and a request enters before and after.',
  },
  {
    file: 'permission/raynal-prime.ts',
    line: 'const poll: Poll = { heard, awaited: [], news: false, quiet: 0 }',
    before: 'false',
    after: 'true',
    why: 'The first poll brings news from every other node, and then `quiet` is 0.',
  },
  {
    file: 'permission/raynal-prime.ts',
    line: 'const poll: Poll = { heard, awaited: [], news: false, quiet: 0 }',
    before: '0',
    after: '1',
    why: 'The first poll brings news from every other node, and then `quiet` is 0.',
  },
  {
    file: 'permission/raynal-prime.ts',
    line: 'if (node.poll !== null) ask(node.poll, here)',
    before: 'node.poll !== null',
    after: 'true',
    why: 'The timer runs from one poll to the next, and a node that has entered polls no more.',
  },
  {
    file: 'permission/ricart-agrawala-medium.ts',
    line: "if (first === undefined) return here.because?.('nobody is in line at node {self} now')",
    before: 'first === undefined',
    after: 'false',
    why: 'Nobody is not this node, so the next line returns. Only the reason differs.',
  },
  {
    file: 'permission/ricart-agrawala-numbering.ts',
    line: 'const byChance = options.increment === 0 ? 0 : here.random(options.increment + 1)',
    before: 'options.increment === 0',
    after: 'false',
    why: 'A random number below 1 is 0, and no other rule draws one.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'return Math.abs(a - b) >= nodes ? a > b : a < b',
    before: '>',
    after: '>=',
    why: 'Numbers that are n or more apart are not equal.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'return Math.abs(a - b) >= nodes ? a > b : a < b',
    before: '<',
    after: '<=',
    why: 'Of equal numbers the names decide before this is asked, and a highest number becomes what it is.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'return ours === theirs ? self < from : isEarlier(ours, theirs, nodes)',
    before: '<',
    after: '<=',
    why: 'No node asks itself.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'sayWhy(node.ours, here, number, from)',
    before: 'sayWhy(node.ours, here, number, from)',
    after: ';',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'if (ours === null)',
    before: 'ours === null',
    after: 'true',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'if (ours === null)',
    before: 'ours === null',
    after: 'false',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'if (ours === null)',
    before: '===',
    after: '!==',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'if (weAreFirst === ours < number) return sayWhoIsFirst(ours, here, { time: number, node: from })',
    before: 'weAreFirst === ours < number',
    after: 'true',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'if (weAreFirst === ours < number) return sayWhoIsFirst(ours, here, { time: number, node: from })',
    before: '===',
    after: '!==',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  {
    file: 'permission/ricart-agrawala-modulo.ts',
    line: 'if (weAreFirst === ours < number) return sayWhoIsFirst(ours, here, { time: number, node: from })',
    before: '<',
    after: '<=',
    why: 'It changes what a reason tells, and nothing that is done.',
  },
  ...ofHelary,
  ...ofMultiAlgorithms,
  ...ofPermissionAlgorithms,
  ...ofQuorumAlgorithms,
  ...ofTokenAlgorithms,
  ...ofZones,
]

/** The mutants of one file that do the same, each with its proof. An entry that is out of date, or could mean several, has no mutant. */
export function equivalentsIn(
  file: string,
  text: string,
  mutants: readonly Mutant[],
): { readonly equivalent: Equivalent; readonly mutant: Mutant | null }[] {
  return equivalents
    .filter((equivalent) => equivalent.file === file)
    .map((equivalent) => {
      const { line, place, before, after } = equivalent
      const found = mutants.filter(
        (mutant) =>
          lineOf(text, mutant) === line && oneLine(mutant.before) === before && mutant.after === after,
      )
      const isClear = place !== undefined || found.length === 1
      return { equivalent, mutant: (isClear ? found[(place ?? 1) - 1] : undefined) ?? null }
    })
}
