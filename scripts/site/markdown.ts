/** Markdown as pages. Links to files of the repository become links to pages of the site. */
import { Marked, type Token, type Tokens } from 'marked'
import { highlighted } from './highlight.ts'
import { escaped, type Heading, type Page, type Section } from './page.ts'

/** Where a link of a document leads on the site: an address for its page. It throws if there is nothing. */
export type Resolve = (href: string) => string

/** `path` is that of the page on the site. */
export function pageOf(path: string, text: string, resolve: Resolve): Page {
  const slugs = new Slugs()
  const contents: Heading[] = []
  const ids: string[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ depth, tokens }) {
        const html = this.parser.parseInline(tokens)
        const id = slugs.next(plain(tokens))
        ids.push(id)
        if (depth === 2) contents.push({ id, html: html.replace(/<\/?a\b[^>]*>/g, '') })
        return `<h${depth} id="${escaped(id)}">${html}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escaped(resolve(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text: words }) {
        return `<img src="${escaped(resolve(href))}" alt="${escaped(words)}">`
      },
      code({ text: code, lang }) {
        const html = /^(?:js|ts|mjs)$/.test(lang ?? '') ? highlighted(code) : escaped(code)
        return `<pre tabindex="0"><code>${html}</code></pre>\n`
      },
      table(token) {
        const cell = (tag: string, { tokens }: Tokens.TableCell) =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
        const row = (tag: string, cells: readonly Tokens.TableCell[]) =>
          `<tr>${cells.map((each) => cell(tag, each)).join('')}</tr>`
        const rows = token.rows.map((cells) => row('td', cells)).join('\n')
        return `<div class="wide" tabindex="0"><table><thead>${row('th', token.header)}</thead>\n<tbody>${rows}</tbody></table></div>\n`
      },
    },
  })
  const tokens = marked.lexer(text)
  const body = marked.parser(tokens)
  const first = tokens.find((token) => token.type === 'heading') as Tokens.Heading | undefined
  return { path, title: plain(first?.tokens ?? []), body, contents, sections: sectionsOf(tokens, ids) }
}

/** The names that GitHub gives to headings: what the documents link to. */
class Slugs {
  readonly #used = new Map<string, number>()

  next(text: string): string {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-')
    const before = this.#used.get(slug)
    this.#used.set(slug, (before ?? -1) + 1)
    return before === undefined ? slug : `${slug}-${before + 1}`
  }
}

/** The words of tokens, without marks. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return plain(token.tokens)
      const text = 'text' in token ? unescaped(String(token.text)) : ''
      return token.type === 'html' ? '' : text
    })
    .join('')
}

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (sign) => UNESCAPED[sign] ?? sign)
}

const UNESCAPED: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

function sectionsOf(tokens: readonly Token[], ids: readonly string[]): Section[] {
  const sections: { heading: string; id: string; text: string }[] = []
  let count = 0
  for (const token of tokens) {
    if (token.type === 'heading') {
      const id = ids[count] ?? ''
      count += 1
      const { depth, tokens: words } = token as Tokens.Heading
      sections.push({ heading: plain(words), id: depth === 1 ? '' : id, text: '' })
    } else {
      const section = sections.at(-1)
      if (section !== undefined && token.type !== 'code') section.text += ` ${wordsOf(token)}`
    }
  }
  return sections.map((section) => ({ ...section, text: section.text.replace(/\s+/g, ' ').trim() }))
}

/** The words of a block. Diagrams and commands are left out: they would fill the search with signs. */
function wordsOf(token: Token): string {
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table
    return [header, ...rows].flatMap((row) => row.map((cell) => plain(cell.tokens.filter(isSaid)))).join(' ')
  }
  if (token.type === 'list')
    return (token as Tokens.List).items.map(({ tokens }) => inBlocks(tokens)).join(' ')
  return 'tokens' in token && token.tokens !== undefined ? inBlocks(token.tokens) : ''
}

function inBlocks(tokens: readonly Token[]): string {
  return tokens
    .map((token) => (isBlock(token) ? wordsOf(token) : isSaid(token) ? plain([token]) : ''))
    .join(' ')
}

const LONGEST_NAME = 40

function isSaid(token: Token): boolean {
  return token.type !== 'codespan' || String(token.text).length <= LONGEST_NAME
}

function isBlock(token: Token): boolean {
  // The words of a list stand in a text that has tokens of its own; a plain text has none.
  if (token.type === 'text') return 'tokens' in token && token.tokens !== undefined
  return ['list', 'table', 'blockquote', 'paragraph'].includes(token.type)
}
