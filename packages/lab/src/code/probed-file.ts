/** From and to which character of a text something reaches. */
export type Stretch = readonly [start: number, end: number]

/** A function of a file of the algorithms. */
export interface ProbedFunction {
  /** Such as `receive.request`; empty if it has none. */
  readonly name: string
  /** The stretch that ran if it was called. */
  readonly stretch: number
  /** Where its comment begins; where it begins itself if it has none. */
  readonly from: number
}

/** A file of the algorithms, and what can run in it. Made by `instrument.ts` when the page is built. */
export interface ProbedFile {
  /** In the package of the algorithms, such as `src/token/raymond.ts`. */
  readonly path: string
  readonly text: string
  /** Outer ones stand before inner ones. */
  readonly stretches: readonly Stretch[]
  readonly functions: readonly ProbedFunction[]
}
