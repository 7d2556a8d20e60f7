/** What a daemon tells of itself, a line each: for people, or as JSON for what gathers logs. */
export interface Log {
  info(event: string, details?: Details): void
  warn(event: string, details?: Details): void
}

export type Details = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export function logTo(write: (line: string) => void, asJson: boolean, node: string): Log {
  const line = (level: 'info' | 'warn', event: string, details: Details = {}) => {
    const time = new Date().toISOString()
    if (asJson) return write(JSON.stringify({ time, level, node, event, ...details }))
    const told = Object.entries(details).map(([name, value]) => `${name}=${shown(value)}`)
    const words = [time, ...(level === 'warn' ? ['warning:'] : []), event, ...told]
    write(words.join(' ').replaceAll(/\p{Cc}/gu, ' '))
  }
  return {
    info: (event, details) => line('info', event, details),
    warn: (event, details) => line('warn', event, details),
  }
}

/** Quoted where it could be taken for more than one word: a log line stays one line. */
function shown(value: Details[string]): string {
  if (Array.isArray(value)) return value.map((each: string) => shown(each)).join(',')
  return typeof value === 'string' && !/^[\w.:/@+-]+$/.test(value) ? JSON.stringify(value) : String(value)
}
