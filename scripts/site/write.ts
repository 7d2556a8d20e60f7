/** Writes the site into a folder, after a look at all its links. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Site } from './build.ts'
import { siteFiles } from './files.ts'
import { brokenLinks } from './links.ts'

const PAGE = fileURLToPath(new URL('../../packages/lab/dist/page/', import.meta.url))

/** Why there is no site, in one line for each reason. */
export class SiteError extends Error {}

export async function writeSite(folder: string, withLab: boolean): Promise<Site> {
  if (withLab && !existsSync(join(PAGE, 'index.html')))
    throw new SiteError('the page is not built: npm run build')
  const site = await siteFiles()
  const broken = brokenLinks(site.files, labFiles(withLab))
  if (broken.length > 0) throw new SiteError(broken.join('\n'))
  rmSync(folder, { recursive: true, force: true })
  for (const [path, contents] of site.files) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents)
  }
  if (withLab) copyLab(join(folder, 'lab'))
  return site
}

function labFiles(isBuilt: boolean): ReadonlySet<string> {
  if (!isBuilt) return new Set(['lab/index.html'])
  const files = readdirSync(PAGE, { recursive: true, encoding: 'utf8' })
  return new Set(files.map((file) => `lab/${file.replaceAll('\\', '/')}`))
}

/** The page learns where the documents are, and links to them. */
function copyLab(folder: string): void {
  cpSync(PAGE, folder, { recursive: true })
  const index = join(folder, 'index.html')
  const html = readFileSync(index, 'utf8')
  writeFileSync(index, html.replace('<head>', '<head>\n    <meta name="turnwise-documents" content="../" />'))
}
