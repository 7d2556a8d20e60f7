const LONGEST_SHOWN = 60

/** A line has room for so many characters of it; `query()` and `--json` tell all. */
export function shortInfo(info: string): string {
  return info.length > LONGEST_SHOWN ? `${info.slice(0, LONGEST_SHOWN)}…` : info
}

/** Names and what callers say are chosen by programs, and a terminal obeys what it is sent. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  )
}
