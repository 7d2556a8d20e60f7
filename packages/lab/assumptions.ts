import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const RECORDS = new URL('../algorithms/assumptions.json', import.meta.url)
const NAME = 'virtual:assumptions'

/** The records of `npm run grid`, for the room that shows them. */
export function assumptionsPlugin(): Plugin {
  return {
    name: 'turnwise-assumptions',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load: (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(records())}` : null),
  }
}

function records(): unknown {
  return JSON.parse(readFileSync(RECORDS, 'utf8'))
}
