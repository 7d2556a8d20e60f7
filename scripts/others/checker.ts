import type { World } from '@turnwise/workshop/world'

/** One world, as our checker and another know it. */
export interface Run extends Pick<World, 'nodes' | 'clock'> {
  /** The name of the algorithm or variant. */
  readonly algorithm: string
  /** The file of the other's model: `.tla` in `packages/algorithms/tla`, `.pml` in `packages/algorithms/spin`. */
  readonly model: string
  readonly requests: number
  /** The rule that the model leaves out to be this variant. */
  readonly without?: string
  /** Short enough for every run of the tests and of continuous integration. */
  readonly quick?: true
}

/** What a checker found. */
export interface Found {
  readonly states: number
  /** What fails, with the length of a shortest run against it; null if all holds. */
  readonly fails: { readonly property: string; readonly length: number } | null
}

/** A checker that is not ours: searches the text of a model. */
export type Checker = (run: Run, text: string) => Found
