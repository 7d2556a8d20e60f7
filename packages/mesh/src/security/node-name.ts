/**
 * The name of a node in its certificate: the URI turnwise://MESH/ID among the subject's alternative names (RFC 5280, section
 * 4.2.1.6). It is not a host name, because a node may move, and the certificate of a web server must not make a node. A client of
 * a door has its own scheme, so that its certificate does not make a node either.
 */
import type { X509Certificate } from 'node:crypto'
import type { Id } from '../protocol/record.ts'

export function nodeUri(mesh: string, id: Id): string {
  return `turnwise://${encoded(mesh)}/${encoded(id)}`
}

export function clientUri(mesh: string, name: string): string {
  return `turnwise-client://${encoded(mesh)}/${encoded(name)}`
}

/** RFC 3986 reserves these characters, and Node quotes names that contain them. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
}

/** Printable characters only, because names are logged. */
const NODE_URI = /^turnwise(?:-client)?:\/\/[\x21-\x7e]+$/

/** The names of nodes and clients that a certificate vouches for. */
export function nodeUris({ subjectAltName }: Pick<X509Certificate, 'subjectAltName'>): string[] {
  return alternativeNames(subjectAltName ?? '')
    .filter(({ kind, name }) => kind === 'URI' && NODE_URI.test(name))
    .map(({ name }) => name)
}

/**
 * Node prints all names in one text, `URI:x, DNS:y`, and quotes a name that contains a comma or a quote. Splitting at commas
 * would accept a name that another one contains (CVE-2021-44532). So this parses the text piece by piece, and returns nothing if
 * a piece cannot be parsed.
 */
function alternativeNames(text: string): { kind: string; name: string }[] {
  const piece = /([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y
  const found: { kind: string; name: string }[] = []
  while (piece.lastIndex < text.length) {
    const match = piece.exec(text)
    if (match === null) return []
    const [, kind = '', name = ''] = match
    found.push({ kind, name: name.startsWith('"') ? unquoted(name) : name })
  }
  return found
}

function unquoted(name: string): string {
  try {
    return String(JSON.parse(name))
  } catch {
    return ''
  }
}
