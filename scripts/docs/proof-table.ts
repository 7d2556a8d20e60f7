import type { Proof, TiedInstance } from '@turnwise/proof/proof'
import { brokenName, proofs } from '@turnwise/proof/proofs'
import { markdownTable } from './algorithm-table.ts'

/** The table of `docs/proofs.md`. */
export function proofTable(): string {
  return markdownTable(PROOF_HEADS, proofs.map(proofRow)).join('\n')
}

export const PROOF_HEADS = [
  'algorithm',
  'steps',
  'clauses',
  'questions',
  'goals',
  'assumed',
  'left out',
  'refuted',
  'tied',
] as const

export function proofRow(proof: Proof): (string | number)[] {
  const { algorithm, model, assumes, leavesOut, broken, tied } = proof
  const { name } = algorithm.facts
  const { steps, invariant, goals } = model
  return [
    `[${name}](../packages/proof/src/models/${name}.ts)`,
    steps.length,
    invariant.length,
    (steps.length + 1) * invariant.length + goals.length,
    goals.map((goal) => goal.name.replace(/:.*/, '')).join(', '),
    assumes.join('; '),
    leavesOut.join('; '),
    broken.map((each) => brokenName(proof, each)).join(', '),
    tied.map(instance).join('; '),
  ]
}

function instance({ nodes, requests, askers, withdrawals, ...choices }: TiedInstance): string {
  const { readers, modes, downgrades, updates, priorities, quorums, structure, set = [] } = choices
  const chosen = [
    modes === undefined ? readers && `${readers} to read` : modes.join('/'),
    downgrades && 'downgrades',
    updates && 'updates',
    priorities && `${priorities} priorities`,
    withdrawals && `${withdrawals} withdrawn`,
    quorums?.map((quorum) => quorum.join('.')).join('/'),
    structure,
    ...set,
  ].filter((choice) => typeof choice === 'string')
  const each = askers === undefined ? '' : ` of ${askers} of them`
  return [`n = ${nodes}, ${requests} request${requests === 1 ? '' : 's'}${each}`, ...chosen].join(', ')
}
