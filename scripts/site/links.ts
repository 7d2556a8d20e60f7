/** Whether every link within the site leads somewhere, and every anchor is there. */
import { posix } from 'node:path'

/** One line for each link that leads nowhere: the page, the link, and what is missing. */
export function brokenLinks(files: ReadonlyMap<string, string>, others: ReadonlySet<string>): string[] {
  const anchors = new Map<string, ReadonlySet<string>>()
  const anchorsOf = (path: string, html: string) => {
    const known =
      anchors.get(path) ?? new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = '']) => unescaped(id)))
    anchors.set(path, known)
    return known
  }
  const complaints: string[] = []
  for (const [path, html] of files) {
    if (!path.endsWith('.html')) continue
    for (const [, raw = ''] of html.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      const link = unescaped(raw)
      if (/^(?:[a-z]+:|\/\/)/.test(link)) continue
      const why = complaint(path, link)
      if (why !== null) complaints.push(`${path}: the link "${link}" leads nowhere: ${why}`)
    }
  }
  return [...new Set(complaints)]

  function complaint(path: string, link: string): string | null {
    const [place = '', anchor = ''] = link.split('#')
    const target = place === '' ? path : posix.join(posix.dirname(path), place.replace(/\?.*$/, ''))
    const file = target.endsWith('/') ? `${target}index.html` : target
    // What the page keeps behind its number sign is its own address, not an anchor.
    if (others.has(file)) return null
    const html = files.get(file)
    if (html === undefined) return `there is no ${file}`
    if (anchor === '') return null
    return anchorsOf(file, html).has(decodeURIComponent(anchor)) ? null : `${file} has no "${anchor}"`
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
