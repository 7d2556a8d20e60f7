declare module '*.css'

/** A file as its text. */
declare module '*?raw' {
  const text: string
  export default text
}

/** Made by `glossary.ts` when the page is built. */
declare module 'virtual:glossary' {
  const glossary: Readonly<
    Record<string, Readonly<Record<string, { readonly paper: string | null; readonly about: string }>>>
  >
  export default glossary
}

/** Made by `assumptions.ts` when the page is built. */
declare module 'virtual:assumptions' {
  const grid: import('@turnwise/workshop/dropped-assumptions').Grid
  export default grid
}

/** Made by `sandbox.ts` when the page is built. */
declare module 'virtual:sandbox' {
  /** The address of the page of the sandbox. */
  export const page: string
  /** The text of the script that checks in it. */
  export function loadScript(): Promise<string>
}

/** The text of every file of the algorithms, by its path in the package. */
declare module 'virtual:sources' {
  const sources: Readonly<Record<string, string>>
  export default sources
}

/** Made by `contract-types.ts` when the page is built: declarations, by their path. */
declare module 'virtual:contract-types' {
  const declared: Readonly<Record<string, string>>
  export default declared
}

/** Put in by the builder of the page. */
interface ImportMeta {
  /** All modules whose paths match, loaded; `query` is added to each of them. */
  glob(
    patterns: readonly string[],
    options: { readonly eager: true; readonly query?: string },
  ): Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** The same, each loaded when it is asked for. */
  glob(
    patterns: readonly string[],
    options: { readonly query: string },
  ): Readonly<Record<string, () => Promise<Readonly<Record<string, unknown>>>>>
  readonly env: { readonly PROD: boolean }
}
