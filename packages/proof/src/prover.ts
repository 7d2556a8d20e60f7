/** A prover that has read a preamble. */
export interface Prover {
  /** Reads commands of SMT-LIB 2 and returns what they print. */
  tell(text: string): string
  /** It is not asked any more. */
  end(): void
}

/** Gives a prover for each preamble. */
export type ProverOf = (preamble: string) => Prover
