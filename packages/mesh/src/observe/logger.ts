/** Where a node tells what happens to it. */

/** Plain values, so that whatever writes them can. */
export type Details = Readonly<Record<string, unknown>>

/** The shape of pino: one of its loggers can be given as it is. */
export interface Logger {
  debug(details: Details, event: string): void
  info(details: Details, event: string): void
  warn(details: Details, event: string): void
  error(details: Details, event: string): void
}

/** A function is told one line for whatever is refused, broken, lost or out of reach, and nothing else. */
export type Log = Logger | ((line: string) => void)
