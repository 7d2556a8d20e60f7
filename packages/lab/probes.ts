import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { probed } from './instrument.ts'

const ALGORITHMS = pathOf('../algorithms/')
const RUNTIME = pathOf('./src/code/code-probes.ts')
const QUERY = '?probed'

/**
 * A file of the algorithms that is imported with `?probed` tells which of its lines run, and so do those that it imports. All others stay as
 * they are, so nothing else that runs an algorithm pays for it.
 */
export function probesPlugin(): Plugin {
  return {
    name: 'turnwise-probes',
    enforce: 'pre',
    async resolveId(id, importer, options) {
      const isProbed = id.endsWith(QUERY) || importer?.endsWith(QUERY) === true
      if (!isProbed) return null
      const found = await this.resolve(without(id), importer === undefined ? importer : without(importer), {
        ...options,
        skipSelf: true,
      })
      if (found === null) return null
      return found.id.startsWith(ALGORITHMS) ? `${without(found.id)}${QUERY}` : found
    },
    load(id) {
      if (!id.startsWith(ALGORITHMS) || !id.endsWith(QUERY)) return null
      const path = without(id).slice(ALGORITHMS.length)
      return probed(path, readFileSync(without(id), 'utf8'), RUNTIME)
    },
  }
}

/** As the builder writes paths, also on Windows. */
function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url)).replaceAll('\\', '/')
}

function without(id: string): string {
  return id.endsWith(QUERY) ? id.slice(0, -QUERY.length) : id
}
