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
   * As behind a router that forgot its connections: the node that was dialled hears that its connection is over. The node that dialled
   * does not, and all it says is swallowed. The repair does not mend that: the node has to find out, and dial again.
   */
  | 'half-open'
  /**
   * As behind a wall that swallows all bytes in one direction. Bytes in the other direction arrive, and nobody hears that a connection
   * is over. The repair does not mend these connections, because the swallowed bytes are missing.
   */
  | 'swallowed'
