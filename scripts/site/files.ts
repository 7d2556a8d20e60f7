/** The pages of the site with what they need: style sheets and scripts. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildSite, type Site } from './build.ts'
import { RUN_STYLE } from './first-run.ts'
import { readText } from './repository.ts'

export async function siteFiles(): Promise<Site> {
  const site = buildSite()
  const beside = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')
  const style = [readText('packages/lab/src/design/tokens.css'), beside('site.css'), RUN_STYLE].join('\n')
  const extra: [string, string][] = [
    ['site.css', style],
    ['scheme.js', beside('scheme.js')],
    ['site.js', await bundled('site.js')],
  ]
  return { ...site, files: new Map([...site.files, ...extra]) }
}

async function bundled(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}
