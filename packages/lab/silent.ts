import type { Plugin } from 'vite'

const CALL = 'here.because?.('

/**
 * Leaves out of the page what algorithms say of their reasons: its workers run them, and the page shows what they send. The page itself
 * needs the facts and shapes alone, before the first picture.
 */
export function silentPlugin(): Plugin {
  return {
    name: 'turnwise-silent',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/algorithms\/src\/.*\.ts$/ },
      handler: (text) => ({ code: silenced(text), map: null }),
    },
  }
}

export function silenced(text: string): string {
  let silent = ''
  let from = 0
  for (let at = text.indexOf(CALL); at !== -1; at = text.indexOf(CALL, from)) {
    silent += `${text.slice(from, at)}void 0`
    from = endOf(text, at + CALL.length)
  }
  return silent + text.slice(from)
}

/** Behind the bracket that closes the call. Words stand in single quotes. */
function endOf(text: string, start: number): number {
  let depth = 1
  let isQuoted = false
  for (let i = start; i < text.length; i += 1) {
    const letter = text.charAt(i)
    if (letter === "'" && text.charAt(i - 1) !== '\\') isQuoted = !isQuoted
    if (isQuoted) continue
    if (letter === '(') depth += 1
    if (letter === ')') depth -= 1
    if (depth === 0) return i + 1
  }
  throw new Error(`a reason does not end: ${text.slice(start, start + 100)}`)
}
