/** All pages of the site: documents, algorithms, and each file of the repository that one of them links to. */
import { posix } from 'node:path'
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { algorithmText, readRecords, sourceOf } from './algorithm-page.ts'
import { catalogueText } from './catalogue-page.ts'
import { pageOf } from './markdown.ts'
import { escaped, type Group, htmlOf, type Page, relativeTo } from './page.ts'
import { foldersOf, readText, repositoryFiles } from './repository.ts'

/** Documents of the repository's root. */
const AT_ROOT = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md']

/** What is shown as it is. */
const PICTURE = /\.(?:svg|png)$/

export interface Site {
  /** By their paths on the site. */
  readonly files: ReadonlyMap<string, string>
  readonly pages: number
  readonly algorithms: number
  readonly documents: number
}

export function buildSite(): Site {
  const builder = new Builder(repositoryFiles())
  const algorithms = [...catalogue, ...elections]
  const documents = builder.documents()
  for (const file of documents) builder.document(file)
  builder.catalogue(algorithms)
  const files = builder.finished()
  return { files, pages: builder.count, algorithms: algorithms.length, documents: documents.length }
}

class Builder {
  readonly #known: ReadonlySet<string>
  readonly #folders: ReadonlyMap<string, readonly string[]>
  readonly #pages: Page[] = []
  readonly #files = new Map<string, string>()
  /** Files and folders that a page links to, with the way to their page. */
  readonly #asked = new Set<string>()
  readonly #algorithms: ReadonlyMap<string, string>

  constructor(files: readonly string[]) {
    this.#known = new Set(files)
    this.#folders = foldersOf(files)
    this.#algorithms = new Map(
      [...catalogue, ...elections].map((each) => [sourceOf(each), `algorithms/${each.facts.name}.html`]),
    )
  }

  get count(): number {
    return this.#pages.length
  }

  documents(): string[] {
    return [...AT_ROOT, ...[...this.#known].filter((file) => /^docs\/[^/]+\.md$/.test(file))]
  }

  document(file: string): void {
    const path = documentPath(file)
    this.#pages.push(pageOf(path, readText(file), (href) => this.#resolve(file, path, href)))
  }

  catalogue(algorithms: readonly AnyProtocol[]): void {
    const records = readRecords()
    const add = (name: string, text: string) => {
      const path = `algorithms/${name}.html`
      // Their links are written as if they stood in a folder of the repository.
      this.#pages.push(pageOf(path, text, (href) => this.#resolve(`algorithms/${name}.md`, path, href)))
    }
    add('index', catalogueText())
    for (const algorithm of algorithms) add(algorithm.facts.name, algorithmText(algorithm, records))
  }

  /** Pages of what is linked to may link to more. */
  finished(): ReadonlyMap<string, string> {
    const groups = groupsOf(readText('docs/README.md'))
    for (const file of this.#asked) this.#source(file)
    for (const page of this.#pages) this.#files.set(page.path, htmlOf(page, groups))
    this.#files.set('search-index.js', searchIndex(this.#pages))
    return this.#files
  }

  #source(file: string): void {
    const path = sourcePath(file, this.#folders.has(file))
    const children = this.#folders.get(file)
    const title = `<h1>${escaped(file)}</h1>`
    const body =
      children === undefined
        ? `${title}<pre tabindex="0" class="source"><code>${escaped(readText(file))}</code></pre>`
        : `${title}<ul>${children.map((child) => this.#child(path, child)).join('')}</ul>`
    this.#pages.push({ path, title: file, body, contents: [], sections: [] })
  }

  #child(from: string, child: string): string {
    const target = this.#target(child.replace(/\/$/, ''))
    return `<li><a href="${escaped(relativeTo(from, target))}">${escaped(posix.basename(child))}${child.endsWith('/') ? '/' : ''}</a></li>`
  }

  /** What a link in a file of the repository is on the page of the site. */
  #resolve(file: string, path: string, href: string): string {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href
    const [place = '', anchor] = href.split('#')
    const target = posix.join(posix.dirname(file), place).replace(/\/$/, '')
    // A page that only the site has, such as the lab: the check of links knows it.
    const isOfSite = !this.#known.has(target) && !this.#folders.has(target) && target.endsWith('.html')
    const found = isOfSite ? target : this.#target(target)
    return `${relativeTo(path, found)}${anchor === undefined ? '' : `#${anchor}`}`
  }

  #target(file: string): string {
    const algorithm = this.#algorithms.get(file)
    if (algorithm !== undefined) return algorithm
    if (this.#known.has(file) && file.endsWith('.md') && !file.startsWith('packages/'))
      return documentPath(file)
    if (PICTURE.test(file) && this.#known.has(file)) {
      this.#files.set(file, readText(file))
      return file
    }
    // What does not exist is left to the check of links, which names the page.
    if (!this.#known.has(file) && !this.#folders.has(file)) return file
    this.#asked.add(file)
    return sourcePath(file, this.#folders.has(file))
  }
}

function documentPath(file: string): string {
  if (file === 'README.md') return 'index.html'
  return file.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html')
}

function sourcePath(file: string, isFolder: boolean): string {
  return isFolder ? `source/${file}/index.html` : `source/${file}.html`
}

/** The documents in the groups of their map. */
function groupsOf(map: string): Group[] {
  return map
    .split(/^\*\*/m)
    .slice(1)
    .map((part) => ({
      title: part.replace(/\*\*[^]*$/, ''),
      links: [...part.matchAll(/\[([^\]]*)\]\(([^)#]*\.md)\)/g)]
        .map(([, words = '', file = '']) => ({
          path: documentPath(posix.join('docs', file)),
          title: posix.basename(words, '.md'),
        }))
        .filter((link, i, all) => all.findIndex(({ path }) => path === link.path) === i),
    }))
}

/** As a script, since a browser loads no data from a file. */
function searchIndex(pages: readonly Page[]): string {
  const rows = pages.flatMap(({ path, title, sections }) =>
    sections.map(({ heading, id, text }) => [id === '' ? path : `${path}#${id}`, title, heading, text]),
  )
  return `window.turnwiseSections = ${JSON.stringify(rows)}\n`
}
