/** The compiler, for tests that parse. Node reads its nine megabytes twice more where it is imported: for their format, and for what they export. */
import { createRequire } from 'node:module'

export default createRequire(import.meta.url)('typescript') as unknown
