// A thread cannot begin with a TypeScript file; from source it begins here.
import { register } from 'tsx/esm/api'

register()
await import('./thread.ts')
