/** How a link can be cut. */
export type Cut =
  /**
   * As a broken network: nobody is told, bytes that were under way stay where they are, and arrive after the repair if
   * the connection has lived that long.
   */
  | 'stalled'
  /** Connections break at both ends, and new ones are broken as soon as they are made. */
  | 'refused'
  /**
   * As behind a router that forgot its connections: the node that was dialled hears that it is over, the one that dialled does not,
   * and all it says is swallowed. That stays so after the repair: it has to find out, and dial again.
   */
  | 'half-open'
  /**
   * As behind a wall that lets one way through: nobody hears that anything is over, what is said that way is swallowed, and
   * what comes back arrives. That stays so after the repair, for what was swallowed is missing.
   */
  | 'swallowed'
