/** A frame that is not a valid message. It ends the connection, never the process. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame'
}
