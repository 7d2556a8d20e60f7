/** A voter whose process tells when it has joined, and what it owes after a restart. */
import { say } from '@turnwise/fleet/program-answers'
import { type JoinOptions, join } from '../../src/join.ts'

const options = JSON.parse(process.argv[2] ?? '{}') as JoinOptions
const tell = (details: object, event: string) => say({ event, ...details })
await join({ ...options, log: { debug: () => {}, info: tell, warn: () => {}, error: tell } })
