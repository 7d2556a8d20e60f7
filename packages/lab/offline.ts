import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const SOURCE = new URL('./service-worker.js', import.meta.url)

/** Writes the service worker of a build, with the list of its files. */
export function offlinePlugin(): Plugin {
  return {
    name: 'turnwise-offline',
    apply: 'build',
    // When all files have their names.
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const files = Object.keys(bundle)
          .filter((file) => file.startsWith('assets/'))
          .toSorted()
        this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: serviceWorker(files) })
      },
    },
  }
}

/** Names have a hash of their contents, so that the names say which build it is. */
export function serviceWorker(files: readonly string[]): string {
  const build = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16)
  return readFileSync(SOURCE, 'utf8').replace('__BUILD__', build).replace('__FILES__', JSON.stringify(files))
}
