import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { get } from '@turnwise/core/bounds'
import { build, type Plugin } from 'vite'

const PAGE = new URL('./sandbox.html', import.meta.url)
const CHECKER = fileURLToPath(new URL('./src/rooms/write/checker.ts', import.meta.url))
const ALGORITHMS = new URL('../algorithms/', import.meta.url)

/**
 * What the room in which visitors write needs beside its code. `virtual:sandbox` is the page of the sandbox and the script that checks a text
 * in it: one file, since nothing can be loaded there. `virtual:sources` is the text of every file of the algorithms.
 */
export function sandboxPlugin(): Plugin {
  let isBuilt = false
  return {
    name: 'turnwise-sandbox',
    configResolved({ command }) {
      isBuilt = command === 'build'
    },
    resolveId: (id) => (id === 'virtual:sandbox' || id === 'virtual:sources' ? `\0${id}` : null),
    async load(id) {
      if (id === '\0virtual:sources') return `export default ${JSON.stringify(algorithmSources())}`
      if (id !== '\0virtual:sandbox') return null
      const [page, script] = [readFileSync(PAGE, 'utf8'), await checkerScript()]
      if (!isBuilt) return served(page, script)
      const emit = (name: string, source: string) =>
        `import.meta.ROLLUP_FILE_URL_${this.emitFile({ type: 'asset', name, source })}`
      return (
        `export const page = ${emit('sandbox.html', page)}\n` +
        `export const loadScript = async () => {\n  const answer = await fetch(${emit('sandbox-checker.js', script)})\n` +
        "  if (!answer.ok) throw new Error('not found')\n  return answer.text()\n}\n"
      )
    },
  }
}

/** During development there are no files to fetch. */
function served(page: string, script: string): string {
  return (
    `export const page = URL.createObjectURL(new Blob([${JSON.stringify(page)}], { type: 'text/html' }))\n` +
    `export const loadScript = async () => ${JSON.stringify(script)}\n`
  )
}

async function checkerScript(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['turnwise-source', 'module', 'browser', 'development|production'] },
    build: {
      write: false,
      target: 'es2023',
      lib: { entry: CHECKER, formats: ['iife'], name: 'checker' },
    },
  })
  const { output } = get([result].flat() as { output: { type: string; code?: string }[] }[], 0)
  return output.find(({ type }) => type === 'chunk')?.code ?? ''
}

/** By their path in the package, such as `src/token/raymond.ts`. */
export function algorithmSources(): Record<string, string> {
  const files = ['src', 'broken'].flatMap((folder) =>
    readdirSync(new URL(folder, ALGORITHMS), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file.replaceAll('\\', '/')}`,
    ),
  )
  return Object.fromEntries(
    files
      .filter(
        (file) =>
          /^src\/(?:[a-z]+\/.*|template)\.ts$|^broken\/.*\.ts$/.test(file) && !file.includes('gallery'),
      )
      .map((file) => [file, readFileSync(new URL(file, ALGORITHMS), 'utf8')]),
  )
}
