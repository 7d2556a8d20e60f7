/** Where a node tells what happens to it. */

/** Plain values, which any logger can write. */
export type Details = Readonly<Record<string, unknown>>

/** A logger with the interface of pino. */
export interface Logger {
  /** Details: connections, renewed leases. */
  debug(details: Details, event: string): void
  /** Events of a healthy mesh: joined, a view, left. */
  info(details: Details, event: string): void
  /** Trouble: refused, lost, out of reach. */
  warn(details: Details, event: string): void
  /** The error that ended this node. */
  error(details: Details, event: string): void
}

/** A logger, or a function that gets one line for each warning and error. */
export type Log = Logger | ((line: string) => void)
