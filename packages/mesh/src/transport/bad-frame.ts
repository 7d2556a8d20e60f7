/** What came over a connection is no message of ours. It ends that connection, never the process. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame'
}
