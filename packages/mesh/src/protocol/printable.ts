const LONGEST_SHOWN = 60

/** Shortens a caller's info for a line of text. `query()` and `--json` show all of it. */
export function shortInfo(info: string): string {
  return info.length > LONGEST_SHOWN ? `${info.slice(0, LONGEST_SHOWN)}…` : info
}

/** Escapes control characters. Programs choose names and infos, and a terminal would obey the escape sequences in them. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  )
}
