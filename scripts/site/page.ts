/** What a page of the site is, and the frame that all of them share. */
import { posix } from 'node:path'

/** A page of documents. Paths are those of the site, with slashes. */
export interface Page {
  readonly path: string
  readonly title: string
  /** What is inside `main`. Its links are relative to the page. */
  readonly body: string
  /** Headings of the second rank, for the list beside it. */
  readonly contents: readonly Heading[]
  /** What a search finds. */
  readonly sections: readonly Section[]
}

export interface Heading {
  readonly id: string
  /** As HTML. */
  readonly html: string
}

/** A part of a page under one heading, as plain text. */
export interface Section {
  readonly heading: string
  /** Empty for what stands before the first heading below the title. */
  readonly id: string
  readonly text: string
}

/** A group of documents in the list beside each of them. */
export interface Group {
  readonly title: string
  readonly links: readonly { readonly path: string; readonly title: string }[]
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign)
}

/** From one page of the site to another; the host may serve the site below any path. */
export function relativeTo(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to) || posix.basename(to)
}

const BAR = [
  ['index.html', 'Start'],
  ['algorithms/index.html', 'Algorithms'],
  ['docs/index.html', 'Documents'],
  ['lab/index.html', 'Lab'],
] as const

export function htmlOf(page: Page, groups: readonly Group[]): string {
  const { path, title, body, contents } = page
  const to = (target: string) => escaped(relativeTo(path, target))
  const current = (target: string) => (target === path ? ' aria-current="page"' : '')
  const bar = BAR.map(([target, name]) => `<a href="${to(target)}"${current(target)}>${name}</a>`)
  const group = ({ title: name, links }: Group) =>
    `<h2>${escaped(name)}</h2><ul>${links
      .map((link) => `<li><a href="${to(link.path)}"${current(link.path)}>${escaped(link.title)}</a></li>`)
      .join('')}</ul>`
  const aside =
    contents.length < 2
      ? ''
      : `<nav class="contents" aria-label="On this page"><h2>On this page</h2><ul>${contents
          .map(({ id, html }) => `<li><a href="#${escaped(id)}">${html}</a></li>`)
          .join('')}</ul></nav>`
  const name = title === 'turnwise' ? title : `${title} · turnwise`
  return `<!doctype html>
<html lang="en" data-root="${escaped(relativeTo(path, 'index.html').replace(/index\.html$/, ''))}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(name)}</title>
<link rel="icon" href="data:image/svg+xml,&lt;svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'&gt;&lt;path d='M8 1l7 7-7 7-7-7z' fill='%230072b2'/&gt;&lt;/svg&gt;">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('scheme.js')}"></script>
<script src="${to('site.js')}" defer></script>
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header class="bar">
<a class="bar-name" href="${to('index.html')}"><span aria-hidden="true">◆</span> turnwise</a>
<nav aria-label="Site">${bar.join('')}</nav>
<form role="search" class="search" hidden><input type="search" aria-label="Search" placeholder="Search (press /)" autocomplete="off"><div class="found" hidden></div></form>
<button type="button" class="scheme" hidden></button>
</header>
<div class="columns${aside === '' ? '' : ' with-contents'}">
<details class="documents" open><summary>All documents</summary><nav aria-label="Documents">${groups.map(group).join('')}</nav></details>
<main id="main">
${body}
</main>
${aside}
</div>
</body>
</html>
`
}
