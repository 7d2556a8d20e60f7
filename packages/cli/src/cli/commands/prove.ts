import { scriptOf } from '@turnwise/proof/obligations'
import { proofs, provable } from '@turnwise/proof/proofs'
import { prove } from '@turnwise/proof/prove'
import { loadZ3 } from '@turnwise/proof/z3'
import type { Command } from 'commander'
import { given } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { isProved, proofHead, proofJson, proofList, proofText } from '../reporters/proof-report.ts'

export function addProve(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('prove')
    .summary('prove exclusion for any number of nodes')
    .description(
      'Proves that an invariant of an algorithm holds at first, that every step keeps it, and that it implies exclusion. ' +
        'So exclusion holds for any number of nodes and runs of any length. Without a name it lists what can be proved.',
    )
    .argument('[algorithm]', 'a name that `turnwise prove` lists')
    .option(
      '--smt',
      'print the questions as SMT-LIB 2 instead, for a prover of your own: its answer to each must be unsat',
    )
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, { smt, json }: { smt?: true; json?: true }) => {
      if (name === undefined) return terminal.print(proofList(proofs, terminal))
      const { proof, broken } = given('ALGORITHM', name, () => provable(name))
      const model = broken?.model ?? proof.model
      if (smt) return terminal.print(scriptOf(model))
      const proverOf = await loadZ3()
      if (!json) terminal.print(proofHead(proof, broken, terminal))
      const verdicts = prove(model, proverOf, { now: () => performance.now() })
      terminal.print(
        json
          ? JSON.stringify(proofJson(name, proof, broken, verdicts), null, 2)
          : proofText(model, verdicts, terminal),
      )
      exit(isProved(verdicts) ? 0 : 1)
    })
}

const HELP = `
The prover is z3. Install it beside turnwise: npm install z3-solver@4.16.0. What it cannot decide counts as not proved.

Exit code: 0 everything is proved, 1 something is not, 2 bad input, or no prover.

Examples:
  turnwise prove ricart-agrawala
  turnwise prove ricart-agrawala-without-tie-break`
