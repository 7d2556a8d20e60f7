import { fontFamily, ink } from './style.ts'

type Attributes = Record<string, string | number>

/** At most two decimals: a hundredth of a pixel is invisible, and the file stays small and stable. */
export function rounded(value: number): number {
  const short = Number(value.toFixed(2))
  // A negative zero would be written as "-0" by some printers and as "0" by others.
  return short === 0 ? 0 : short
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** XML has no escape for control characters, half surrogates and noncharacters: they are replaced. */
export function escapeXml(text: string): string {
  return text
    .replace(/\p{Cc}/gu, ' ')
    .replace(/[\p{Cs}\p{Noncharacter_Code_Point}]/gu, '\uFFFD')
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

function openTag(name: string, attributes: Attributes): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${typeof value === 'number' ? rounded(value) : escapeXml(value)}"`,
  )
  return `<${name}${written.join('')}`
}

/** An element around finished markup, one child per line so that two versions can be compared. */
export function element(name: string, attributes: Attributes, children: string[] = []): string {
  const open = openTag(name, attributes)
  return children.length === 0 ? `${open}/>` : `${open}>\n${children.join('\n')}\n</${name}>`
}

/** An element that holds plain text, which is escaped here and nowhere else. */
export function textElement(name: string, content: string, attributes: Attributes = {}): string {
  return `${openTag(name, attributes)}>${escapeXml(content)}</${name}>`
}

export const moveTo = (x: number, y: number): string => `translate(${rounded(x)} ${rounded(y)})`

/**
 * A document that stands alone: ink on white, told in words to those who cannot see it. It uses attributes only, no style
 * sheet and no ids, so several can also be pasted into one page without touching each other.
 */
export function drawing(
  { width, height, title, about }: { width: number; height: number; title: string; about: string },
  parts: string[],
): string {
  const attributes = {
    xmlns: 'http://www.w3.org/2000/svg',
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    'font-family': fontFamily,
    fill: ink.text,
  }
  const svg = element('svg', attributes, [
    textElement('title', title),
    textElement('desc', about),
    element('rect', { width, height, fill: '#ffffff' }),
    ...parts,
  ])
  return `${svg}\n`
}
