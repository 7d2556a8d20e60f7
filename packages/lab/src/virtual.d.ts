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

/** Put in by the builder of the page. */
interface ImportMeta {
  readonly env: { readonly PROD: boolean }
}
