import { tellCounterexample } from '@turnwise/proof/counterexample'
import type { Clause, Model } from '@turnwise/proof/model'
import type { BrokenModel, Proof } from '@turnwise/proof/proof'
import { brokenName } from '@turnwise/proof/proofs'
import type { Verdict } from '@turnwise/proof/prove'
import { table } from '../../terminal/table.ts'
import { counted, figure, type Terminal } from '../../terminal/terminal.ts'

export function isProved(verdicts: readonly Verdict[]): boolean {
  return verdicts.every(({ is }) => is === 'proved')
}

/** What can be proved. */
export function proofList(proofs: readonly Proof[], terminal: Terminal): string {
  const rows = proofs.map((proof) => [
    proof.algorithm.facts.name,
    String(proof.model.invariant.length),
    String(proof.model.steps.length),
    proof.broken.map((broken) => brokenName(proof, broken)).join(', '),
  ])
  return [
    table(terminal, ['proved for any n', 'clauses', 'steps', 'refuted'], rows),
    '',
    'turnwise prove NAME proves one, or shows why it cannot.',
  ].join('\n')
}

/** What is proved, under which assumptions, by which invariant. */
export function proofHead(proof: Proof, broken: BrokenModel | null, { paint }: Terminal): string {
  const { model, assumes, leavesOut, algorithm } = proof
  const { name, title } = algorithm.facts
  const numbered = (clauses: readonly Clause[], from: number) =>
    clauses.map((clause, index) => `  ${String(from + index).padStart(2)}  ${clause.name}`)
  return [
    broken === null
      ? `${paint.bold(title)}, any number of nodes`
      : `${paint.bold(brokenName(proof, broken))}: ${name}, with one rule changed. ${broken.rule}`,
    '',
    `  ${paint.dim('assumed ')}  ${assumes.join('; ')}`,
    `  ${paint.dim('left out')}  ${leavesOut.join('; ')}`,
    '',
    'Invariant:',
    ...numbered(model.invariant, 1),
    'Goals:',
    ...numbered(model.goals, model.invariant.length + 1),
    '',
  ].join('\n')
}

/** What became of every step, and why what fails does. */
export function proofText(model: Model, verdicts: readonly Verdict[], terminal: Terminal): string {
  const { paint } = terminal
  const rowOf = (name: string, of: readonly Verdict[]) => [
    name,
    counted(of.length, 'clause'),
    isProved(of) ? 'proved' : `not proved: ${numbersOf(model, of).join(', ')}`,
    `${figure(Math.round(sum(of)))} ms`,
  ]
  const rows = [
    rowOf('holds at first', part(verdicts, 'first')),
    ...model.steps.map((step) =>
      rowOf(
        step.name,
        verdicts.filter(({ obligation }) => obligation.step === step),
      ),
    ),
    rowOf('implies the goals', part(verdicts, 'implied')),
  ]
  const failed = verdicts.filter(({ is }) => is !== 'proved')
  const [first] = failed
  const last =
    first === undefined
      ? paint.green(`proved: ${counted(verdicts.length, 'question')}, none left open`)
      : paint.red(`not proved: ${failed.length} of ${counted(verdicts.length, 'question')}`)
  return [table(terminal, ['', 'kept', '', 'time'], rows), '', ...(first ? reasons(first) : []), last].join(
    '\n',
  )
}

function part(verdicts: readonly Verdict[], is: Verdict['obligation']['is']): Verdict[] {
  return verdicts.filter(({ obligation }) => obligation.is === is)
}

function sum(verdicts: readonly Verdict[]): number {
  return verdicts.reduce((total, { milliseconds }) => total + milliseconds, 0)
}

/** Clauses by the numbers that the head gave them. */
function numbersOf({ invariant, goals }: Model, verdicts: readonly Verdict[]): number[] {
  const all = [...invariant, ...goals]
  const failed = verdicts.filter(({ is }) => is !== 'proved')
  return failed.map(({ obligation }) => all.indexOf(obligation.clause) + 1)
}

/** The first that fails, in a small state. */
function reasons({ obligation, counterexample }: Verdict): string[] {
  const { clause, step, is } = obligation
  const where =
    step === null ? (is === 'first' ? 'at first' : 'by the invariant') : `by the step "${step.name}"`
  if (counterexample === null) return [`The prover could not decide, ${where}: ${clause.name}`, '']
  const told = tellCounterexample(counterexample, step).map((line) => `  ${line}`)
  return [`Broken ${where}: ${clause.name}`, ...told, '']
}

export function proofJson(
  name: string,
  proof: Proof,
  broken: BrokenModel | null,
  verdicts: readonly Verdict[],
) {
  return {
    name,
    algorithm: proof.algorithm.facts.name,
    rule: broken?.rule ?? null,
    assumes: proof.assumes,
    leavesOut: proof.leavesOut,
    proved: isProved(verdicts),
    obligations: verdicts.map(({ obligation, is, milliseconds, counterexample }) => ({
      is: obligation.is,
      step: obligation.step?.name ?? null,
      clause: obligation.clause.name,
      verdict: is,
      milliseconds: Number(milliseconds.toFixed(1)),
      counterexample: counterexample && tellCounterexample(counterexample, obligation.step),
    })),
  }
}
