import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Plugin, Rolldown } from 'vite'

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
        const later = files.filter((file) => sizeOf(bundle[file]) > MOST_AT_ONCE)
        this.emitFile({ type: 'asset', fileName: 'service-worker.js', source: serviceWorker(files, later) })
      },
    },
  }
}

/** In bytes: what is larger (the compiler of the room Write) is kept when somebody first uses it. */
const MOST_AT_ONCE = 3_000_000

function sizeOf(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): number {
  return file === undefined ? 0 : (file.type === 'chunk' ? file.code : file.source).length
}

/** Names have a hash of their contents, so that the names say which build it is. */
export function serviceWorker(files: readonly string[], later: readonly string[] = []): string {
  const build = createHash('sha256').update(files.join('\n')).digest('hex').slice(0, 16)
  return readFileSync(SOURCE, 'utf8')
    .replace('__BUILD__', build)
    .replace('__FILES__', JSON.stringify(files.filter((file) => !later.includes(file))))
    .replace('__LATER__', JSON.stringify(later))
}
