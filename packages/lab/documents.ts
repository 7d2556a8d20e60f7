import { existsSync, readFileSync, statSync } from 'node:fs'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const SITE = fileURLToPath(new URL('../../dist/site/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** During development: the documents of the site around the page, as `npm run site` would have them. */
export function documentsPlugin(): Plugin {
  return {
    name: 'turnwise-documents',
    apply: 'serve',
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = siteFile(new URL(request.url ?? '/', 'http://localhost').pathname)
        if (file === null) return next()
        response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
        response.end(readFileSync(file))
      })
    },
    transformIndexHtml: () =>
      existsSync(join(SITE, 'index.html'))
        ? [{ tag: 'meta', attrs: { name: 'turnwise-documents', content: '../' }, injectTo: 'head' }]
        : [],
  }
}

/** The file of the site at this path, or null. The page itself comes from its sources. */
function siteFile(path: string): string | null {
  const place = normalize(decodeURIComponent(path))
  if (place.startsWith('/lab/')) return null
  const file = join(SITE, place.endsWith('/') ? `${place}index.html` : place)
  return file.startsWith(SITE) && existsSync(file) && statSync(file).isFile() ? file : null
}
