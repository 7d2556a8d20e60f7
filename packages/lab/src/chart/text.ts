/**
 * How wide text will be, without a font to measure. The figures are those of DejaVu Sans, the widest of
 * the usual system faces, so that what fits by this estimate fits on every machine.
 */
function emWidth(character: string): number {
  // East Asian letters and emoji are as wide as they are high.
  if (character >= '\u2E80') return 1
  if (/[ijlI.,:;'|!]/.test(character)) return 0.34
  if (/[ frt()[\]{}"/\\-]/.test(character)) return 0.42
  if (/[mwMW@%\u2013-\u2015\u2026]/.test(character)) return 1
  if (/[A-Z+<=>~#&]/.test(character)) return 0.8
  return 0.63
}

const boldFactor = 1.12

export interface TextStyle {
  size: number
  bold?: boolean
}

export function textWidth(text: string, { size, bold }: TextStyle): number {
  let ems = 0
  for (const character of text) ems += emWidth(character)
  return ems * size * (bold ? boldFactor : 1)
}

/** Cuts between what a reader sees as characters, not through a letter and its accent. */
const graphemes = new Intl.Segmenter('en')

/** The text, or as much of its beginning as fits with an ellipsis. */
export function fitText(text: string, style: TextStyle, width: number): string {
  if (textWidth(text, style) <= width) return text
  const characters = Array.from(graphemes.segment(text), ({ segment }) => segment)
  while (characters.length > 0 && textWidth(`${characters.join('')}…`, style) > width) characters.pop()
  return `${characters.join('').trimEnd()}…`
}

/** The text in lines that fit, broken at spaces. A word longer than a line is cut short. */
export function wrapText(text: string, style: TextStyle, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const last = lines.at(-1)
    if (last !== undefined && textWidth(`${last} ${word}`, style) <= width) {
      lines[lines.length - 1] = `${last} ${word}`
    } else lines.push(fitText(word, style, width))
  }
  return lines
}
