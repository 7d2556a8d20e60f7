/**
 * `npm run pictures` draws the pictures of the README into docs/pictures. With `-- --record` it first runs `turnwise up` again,
 * kills a holder, and keeps the record of it. `npm run docs` draws them too, and `npm run docs:check` fails if one is stale.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { pictures } from './pictures/all.ts'
import { recordKill } from './pictures/record.ts'

if (process.argv.includes('--record')) await recordKill((text) => process.stderr.write(`${text}\n`))
mkdirSync(new URL('../docs/pictures/', import.meta.url), { recursive: true })
for (const [file, text] of Object.entries(pictures())) {
  writeFileSync(new URL(`../${file}`, import.meta.url), text)
  process.stdout.write(`${file}: ${Buffer.byteLength(text)} bytes\n`)
}
