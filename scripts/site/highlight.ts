import { classHighlighter, highlightCode } from '@lezer/highlight'
import { parser } from '@lezer/javascript'
import { escaped } from './page.ts'

const typescript = parser.configure({ dialect: 'ts' })

/** Only these are told apart: comments say why, and the eye finds the rest by itself. */
const SHOWN = /\btok-(comment|keyword|string|string2)\b/

/** TypeScript or JavaScript as HTML with classes. */
export function highlighted(text: string): string {
  let html = ''
  highlightCode(
    text,
    typescript.parse(text),
    classHighlighter,
    (code, classes) => {
      const [, kind] = SHOWN.exec(classes) ?? []
      html += kind === undefined ? escaped(code) : `<span class="${kind}">${escaped(code)}</span>`
    },
    () => {
      html += '\n'
    },
  )
  return html
}
