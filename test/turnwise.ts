import { fileURLToPath } from 'node:url'

/** The built command line. */
export const TURNWISE = fileURLToPath(new URL('../packages/cli/bin/turnwise.js', import.meta.url))
