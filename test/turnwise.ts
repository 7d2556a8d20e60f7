import { fileURLToPath } from 'node:url'

/** The built command line, as it is installed. */
export const INSTALLED = fileURLToPath(new URL('../packages/cli/bin/turnwise.js', import.meta.url))
