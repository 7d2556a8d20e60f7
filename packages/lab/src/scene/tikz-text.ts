/** What TeX reads as something else, or has no sign for in the fonts that every installation has. */
const SIGNS: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\{',
  '}': '\\}',
  $: '\\$',
  '&': '\\&',
  '#': '\\#',
  '^': '\\textasciicircum{}',
  _: '\\_',
  '~': '\\textasciitilde{}',
  '%': '\\%',
  '<': '\\textless{}',
  '>': '\\textgreater{}',
  '|': '\\textbar{}',
  '…': '\\dots{}',
  '−': '$-$',
  '·': '$\\cdot$',
  '×': '$\\times$',
  '→': '$\\to$',
  '←': '$\\leftarrow$',
  '≤': '$\\leq$',
  '≥': '$\\geq$',
  '≠': '$\\neq$',
  '∞': '$\\infty$',
  '∈': '$\\in$',
  '∅': '$\\emptyset$',
  '✓': '$\\checkmark$',
  '✗': '$\\times$',
}

/** Letters and signs beyond ASCII that `pdflatex` sets in its usual fonts. */
const KNOWN = /^[ßæÆøØłŁœŒıåÅ–—‘’“”]$/
/** A letter and one mark above or below it: grave to caron, and the cedilla. */
const ACCENTED = /^[A-Za-z][\u0300-\u0304\u0306-\u0308\u030a-\u030c\u0327]$/

/** A text as TeX reads it. What `pdflatex` has no sign for becomes a call of `\sign`. */
export function texText(text: string): string {
  return text.normalize('NFC').replace(/./gsu, texSign)
}

function texSign(sign: string): string {
  const isPlain = /^[ -~]$/.test(sign) || KNOWN.test(sign) || ACCENTED.test(sign.normalize('NFD'))
  return SIGNS[sign] ?? (isPlain ? sign : `\\sign{${sign}}`)
}

/** The lines that a text needs at the head of its document. */
export function texHead(text: string): string[] {
  return [
    ...(text.includes('\\checkmark') ? ['\\usepackage{amssymb}'] : []),
    ...(text.includes('\\sign{')
      ? [
          '% Letters that only xelatex and lualatex can set.',
          '\\newcommand\\sign[1]{\\ifdefined\\XeTeXversion#1\\else\\ifdefined\\directlua#1\\else?\\fi\\fi}',
        ]
      : []),
  ]
}
