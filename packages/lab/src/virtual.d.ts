declare module '*.css'

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
