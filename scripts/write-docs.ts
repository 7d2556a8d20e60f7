/**
 * `npm run docs` writes the generated documents; with `-- --check` it changes nothing and fails if one is
 * stale. A generated part of a document stands between two comments that name it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { algorithmTable, electionTable } from './docs/algorithm-table.ts'
import { api, optionTable } from './docs/api.ts'
import { assumptionTables } from './docs/assumptions.ts'
import { coverage } from './docs/coverage.ts'
import { dashboard } from './docs/dashboard.ts'
import { errata } from './docs/errata.ts'
import { answerList, exerciseTable } from './docs/exercises.ts'
import { modelTables } from './docs/model-tables.ts'
import { mutants } from './docs/mutants.ts'
import { otherCheckersTable } from './docs/other-checkers.ts'
import { proofTable } from './docs/proof-table.ts'
import { recovery } from './docs/recovery.ts'
import { churnTable, meshAtScale, messagesAtScale } from './docs/scale.ts'
import { severalResourcesTable } from './docs/several-resources.ts'
import { structures } from './docs/structures.ts'
import { zoneBudgetChart, zoneBudgetTable } from './docs/zone-budgets.ts'
import { pictures } from './pictures/all.ts'

const check = process.argv.includes('--check')
const read = (file: string) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8')

const documents: Readonly<Record<string, string>> = {
  'docs/algorithms.md': [
    ['algorithms', algorithmTable()] as const,
    ['elections', electionTable()] as const,
    ['several resources', severalResourcesTable()] as const,
    ['zone budgets', zoneBudgetTable()] as const,
  ].reduce((text, [part, content]) => withPart(text, part, content), read('docs/algorithms.md')),
  'docs/pictures/zone-budgets.svg': zoneBudgetChart(),
  'docs/api.md': api(),
  'docs/locks.md': withPart(read('docs/locks.md'), 'options of join', optionTable('JoinOptions')),
  'docs/checker.md': withPart(
    withPart(read('docs/checker.md'), 'check', example('check-an-algorithm')),
    'explore',
    example('explore-a-protocol'),
  ),
  'docs/assumptions.md': withPart(read('docs/assumptions.md'), 'assumptions', assumptionTables()),
  'docs/models.md': modelTables(),
  'docs/mutants.md': mutants(),
  'docs/coverage.md': await coverage(),
  'docs/errata.md': await errata(),
  'docs/other-checkers.md': withPart(read('docs/other-checkers.md'), 'worlds', otherCheckersTable()),
  'docs/proofs.md': withPart(read('docs/proofs.md'), 'proofs', proofTable()),
  'docs/recovery.md': recovery(),
  'docs/structures.md': structures(),
  'docs/scale.md': [
    ['messages', messagesAtScale()] as const,
    ['mesh', meshAtScale()] as const,
    ['churn', churnTable()] as const,
  ].reduce((text, [part, content]) => withPart(text, part, content), read('docs/scale.md')),
  'docs/teaching.md': withPart(read('docs/teaching.md'), 'exercises', exerciseTable()),
  'docs/teaching-answers.md': withPart(read('docs/teaching-answers.md'), 'answers', answerList()),
  'deploy/grafana.json': dashboard(),
  ...pictures(),
}

function example(name: string): string {
  return `\`\`\`js\n${read(`examples/${name}.mjs`)}\`\`\``
}

function withPart(text: string, part: string, content: string): string {
  const marks = new RegExp(`(<!-- begin ${part}[^>]*-->\n)[^]*?(<!-- end ${part} -->)`)
  if (!marks.test(text)) throw new Error(`there is no place for ${part}`)
  return text.replace(marks, (_, begin: string, end: string) => `${begin}${content}\n${end}`)
}

let stale = 0
for (const [file, fresh] of Object.entries(documents)) {
  const path = new URL(`../${file}`, import.meta.url)
  if (existsSync(path) && readFileSync(path, 'utf8') === fresh) continue
  stale += 1
  if (check) process.stderr.write(`${file} is stale; npm run docs writes it anew\n`)
  else writeFileSync(path, fresh)
}
process.stdout.write(
  `${Object.keys(documents).length} generated documents, ${stale} ${check ? 'stale' : 'written anew'}\n`,
)
if (check && stale > 0) process.exit(1)
