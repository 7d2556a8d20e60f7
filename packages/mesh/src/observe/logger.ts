/** Where a node tells what happens to it. */

/** Plain values, so that whatever writes them can. */
export type Details = Readonly<Record<string, unknown>>

/** The shape of pino: one of its loggers can be given as it is. */
export interface Logger {
  /** What only helps to understand a mesh: connections, renewed leases. */
  debug(details: Details, event: string): void
  /** What happens in a healthy mesh: joined, a view, left. */
  info(details: Details, event: string): void
  /** What somebody should look at: refused, lost, out of reach. */
  warn(details: Details, event: string): void
  /** What ended this node. */
  error(details: Details, event: string): void
}

/** A function is told one line for whatever is refused, broken, lost or out of reach, and nothing else. */
export type Log = Logger | ((line: string) => void)
