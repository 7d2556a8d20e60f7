/** z3, compiled to WebAssembly: npm's `z3-solver`, which is loaded when a proof is asked for and not before. */
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { ProverOf } from './prover.ts'

/**
 * What one question may cost, in z3's own units: twice what all questions of the longest proof here need together. It stands for a time-out, and gives
 * the same answer on a busy machine. A question that is not decided within it is not proved. We then look for a small counterexample all the same.
 */
const MOST_WORK = 1_000_000

/** What we use of the package. */
interface Z3 {
  mk_config(): unknown
  mk_context(config: unknown): unknown
  del_config(config: unknown): void
  del_context(context: unknown): void
}

interface Loaded {
  readonly Z3: Z3
  /** The compiled program. Its functions are called at once, here: the package's own calls start a thread each, which takes longer than a proof. */
  readonly em: {
    ccall(name: string, gives: 'string', takes: readonly string[], given: readonly unknown[]): string
  }
}

/** Loads z3; throws `InvalidInput` where it is not installed. */
export async function loadZ3(): Promise<ProverOf> {
  const { init } = await load()
  const { Z3, em } = await init()
  return (preamble) => {
    const config = Z3.mk_config()
    const context = Z3.mk_context(config)
    Z3.del_config(config)
    const tell = (text: string) => {
      const answer = em.ccall('Z3_eval_smtlib2_string', 'string', ['number', 'string'], [context, text])
      // It prints its complaints among the answers.
      if (answer.includes('(error')) throw new Error(`z3 does not understand: ${answer.trim()}\n${text}`)
      return answer
    }
    tell(`(set-option :rlimit ${MOST_WORK})\n${preamble}`)
    return { tell, end: () => Z3.del_context(context) }
  }
}

async function load(): Promise<{ readonly init: () => Promise<Loaded> }> {
  try {
    return await import('z3-solver')
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new InvalidInput(
      'a proof needs z3, which is not installed here: npm install z3-solver@4.16.0 (with -g beside a global turnwise)',
      { cause: error },
    )
  }
}
