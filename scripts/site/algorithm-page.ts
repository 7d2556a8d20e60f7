/** The page of one algorithm, as Markdown: the same facts and records of which the documents are made. */
import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import { innocents } from '@turnwise/algorithms/innocent/innocents'
import { citation } from '@turnwise/algorithms/references'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { allowedValues, listOptions } from '@turnwise/core/options'
import { proofOf } from '@turnwise/proof/proofs'
import { DROPPED } from '@turnwise/workshop/dropped-assumptions'
import { factRows, firstCommands } from '../../packages/cli/src/cli/commands/explain.ts'
import { markdownTable } from '../docs/algorithm-table.ts'
import { assumptionLines, cellText } from '../docs/assumptions.ts'
import { modelTable } from '../docs/model-tables.ts'
import { PROOF_HEADS, proofRow } from '../docs/proof-table.ts'
import { assumptionGrid } from '../grid/cells.ts'
import { type ModelFile, modelFiles } from '../models.ts'
import { firstRun } from './first-run.ts'
import { readText } from './repository.ts'

/** Where its rules stand. */
export function sourceOf({ facts: { family, name } }: AnyProtocol): string {
  return `packages/algorithms/src/${family}/${name}.ts`
}

/** As a document of the folder `algorithms`, with links as documents have them. */
export function algorithmText(algorithm: AnyProtocol, records: Records): string {
  const { facts } = algorithm
  const source = sourceOf(algorithm)
  return [
    `# ${facts.title} (${facts.year})`,
    '',
    `\`${facts.name}\` · ${facts.family} · [the file](#the-file) · [all algorithms](index.html)`,
    '',
    facts.idea,
    '',
    ...runLines(algorithm),
    '## Needs and cost',
    '',
    ...markdownTable(['', ''], [...factRows(algorithm), ...measuredRows(algorithm, records)]),
    '',
    ...optionLines(algorithm),
    '```',
    ...firstCommands(algorithm).map((command) => `npx ${command}`),
    '```',
    '',
    ...checkedLines(algorithm, records),
    ...proofLines(algorithm),
    ...withoutLines(algorithm, records),
    ...failingLines(algorithm),
    ...innocentLines(algorithm),
    '## Sources',
    '',
    ...facts.sources.map((one) => `- ${citation(one)}`),
    '',
    '## The file',
    '',
    `\`${source}\``,
    '',
    '```ts',
    readText(source).trimEnd(),
    '```',
    '',
  ].join('\n')
}

/** What was measured and checked before, read once for all pages. */
export interface Records {
  readonly models: readonly ModelFile[]
  readonly grid: ReturnType<typeof assumptionGrid>
  /** The text of `docs/algorithms.md`, in which the measurements stand; `npm run docs:check` holds it to the code. */
  readonly table: string
}

export function readRecords(): Records {
  return { models: modelFiles(), grid: assumptionGrid(), table: readText('docs/algorithms.md') }
}

function runLines(algorithm: AnyProtocol): string[] {
  const { svg, address, notes } = firstRun(algorithm)
  return [
    '## A run',
    '',
    `<figure class="run" tabindex="0">\n${svg.trim().replace(/\n\s*\n/g, '\n')}\n</figure>`,
    '',
    `Time runs to the right, each line is a node. Thin bars are waiting, thick ones are inside. ${notes}[Watch it step by step](../lab/index.html${address}), ` +
      'crash a node in it, or drop a message.',
    '',
  ]
}

/** The cells of the table in the documents, by their heads. */
function measuredRows({ facts: { name } }: AnyProtocol, { table }: Records): [string, string][] {
  const lines = table.split('\n')
  const at = lines.findIndex((line) => line.startsWith(`| [${name}](`))
  if (at < 0) throw new Error(`docs/algorithms.md has no row for ${name}: npm run docs`)
  const head = lines.slice(0, at).findLast((_, i) => (lines[i + 1] ?? '').startsWith('| -')) ?? ''
  const [heads, cells] = [head, lines[at] ?? ''].map((line) =>
    line.split(/(?<!\\)\|/).map((cell) => cell.trim()),
  ) as [string[], string[]]
  const shown: Readonly<Record<string, string>> = {
    light: 'measured, light load',
    heavy: 'measured, heavy load',
    'one calls': 'measured, one calls',
    'all call': 'measured, all call',
  }
  return heads.flatMap((one, i): [string, string][] => {
    const words = shown[one]
    return words === undefined ? [] : [[words, `${cells[i] ?? ''} ([13 nodes](../docs/algorithms.md))`]]
  })
}

function optionLines({ options }: AnyProtocol): string[] {
  const entries = listOptions(options)
  if (entries.length === 0) return []
  const rows = entries.map(([name, spec]) => [
    `\`--set ${name}=${allowedValues(spec)}\``,
    spec.about,
    String(spec.default),
  ])
  return [...markdownTable(['option', 'what', 'default'], rows), '']
}

function checkedLines({ facts: { name } }: AnyProtocol, { models }: Records): string[] {
  const own = models.filter(({ algorithm }) => algorithm === name)
  if (own.length === 0) return []
  return [
    '## Checked',
    '',
    'The checker visited every state of these worlds ([what that means](../docs/models.md)).',
    '',
    ...modelTable(own),
    '',
  ]
}

function proofLines({ facts: { name } }: AnyProtocol): string[] {
  const proof = proofOf(name)
  if (proof === undefined) return []
  const cells = proofRow(proof)
  // The first cell is the algorithm, with a link from the folder of the documents.
  const rows = PROOF_HEADS.slice(1).map((head, i) => [head, cells[i + 1] ?? ''])
  return [
    '## Proved for any number of nodes',
    '',
    `\`npx turnwise prove ${name}\` asks the prover again. [The model](../packages/proof/src/models/${name}.ts) · [how it is done](../docs/proofs.md)`,
    '',
    ...markdownTable(['', ''], rows),
    '',
  ]
}

function withoutLines(algorithm: AnyProtocol, { grid }: Records): string[] {
  const cells = grid[algorithm.facts.name] ?? {}
  const rows = DROPPED.map(({ name, title }) => [title, cellText(algorithm, cells[name])])
  const lines = assumptionLines(algorithm, cells)
  return [
    '## Without an assumption',
    '',
    'What becomes of it in small worlds when one assumption is dropped ([all algorithms](../docs/assumptions.md)).',
    '',
    ...markdownTable(['without', 'then'], rows),
    '',
    ...(lines.length === 0 ? [] : [...lines, '']),
  ]
}

function failingLines({ facts: { name } }: AnyProtocol): string[] {
  const broken = [...gallery, ...brokenElections].filter(({ of }) => of === name)
  if (broken.length === 0) return []
  return [
    '## Rules that fail',
    '',
    'The algorithm with one rule changed. Each link leads to a shortest run in which it fails.',
    '',
    ...broken.map(({ algorithm, published, rule, fails }) => {
      const variant = algorithm.facts.name
      const by = published === null ? '' : ` Published in ${published}.`
      return (
        `- **[${variant}](../docs/errata.md#${variant})**: ${fails} fails.${by} ${rule} ` +
        `[Watch it](../lab/index.html#/theatre?algorithm=${variant}&violating=yes)`
      )
    }),
    '',
  ]
}

function innocentLines({ facts: { name } }: AnyProtocol): string[] {
  const suspects = innocents.filter(({ of }) => of === name)
  if (suspects.length === 0) return []
  return [
    '## Rules that were suspected, and hold',
    '',
    ...suspects.map(
      (each) =>
        `- **[${each.name}](../docs/errata.md#${each.name})** (${each.published}). ${each.suspicion} ${each.harmless}`,
    ),
    '',
  ]
}
