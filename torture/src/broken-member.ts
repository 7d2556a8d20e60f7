/** A node of the torture whose protocol has one mistake, which is named as the argument. From the sources: no package has it. */
import { broken } from '../../packages/mesh/broken/rules.ts'
import { enforce } from '../../packages/mesh/broken/under.ts'

enforce(broken(process.argv[2]))
await import('./member.ts')
