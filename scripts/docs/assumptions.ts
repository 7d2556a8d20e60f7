/** `docs/assumptions.md`: the grid that `npm run grid` has filled, as tables. */
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { type PropertyName, propertiesOf } from '@turnwise/checker/property'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { assumptionGrid, type Cell, DROPPED, type Verdict } from '../grid/cells.ts'
import { commandFor, type Model } from '../models.ts'

const SAFETY: ReadonlySet<string> = new Set([
  'exclusion',
  'one-token',
  'fences-rise',
  'one-coordinator',
  'rules',
])

/** A part of the document for each family, in the order of the catalogue. */
export function assumptionTables(): string {
  const grid = assumptionGrid()
  const rows = (algorithms: readonly AnyProtocol[]) =>
    algorithms.map(({ facts: { name } }) => {
      const cells = DROPPED.map((dropped) => cellText(grid[name]?.[dropped.name]))
      return `| [${name}](#${name}) | ${cells.join(' | ')} |`
    })
  const head = [
    `| | ${DROPPED.map(({ title }) => title).join(' | ')} |`,
    `|---|${DROPPED.map(() => '---|').join('')}`,
  ]
  return [
    ...head,
    ...rows(catalogue),
    '',
    'Elections:',
    '',
    ...head,
    ...rows(elections),
    '',
    '## The runs',
    '',
    'What fails, after how many steps at least, and the command that shows it. Whatever is not listed holds in the worlds of the table, or is open.',
    ...[...catalogue, ...elections].flatMap((algorithm) =>
      section(algorithm, grid[algorithm.facts.name] ?? {}),
    ),
  ].join('\n')
}

function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return 'not assumed'
  const failing = Object.entries(cell).filter(([, { fails }]) => fails !== null)
  const lost = failing.map(([name]) => name)
  if (lost.length === 0) return Object.keys(cell).length === 0 ? 'open' : 'holds'
  if (lost.some((name) => SAFETY.has(name))) return `**unsafe**: ${lost.join(', ')}`
  return `blocks: ${lost.join(', ')}`
}

function section(algorithm: AnyProtocol, cells: Readonly<Record<string, Cell>>): string[] {
  const { name } = algorithm.facts
  const lines = DROPPED.flatMap((dropped) => {
    const cell = cells[dropped.name] ?? {}
    const failing = Object.entries(cell).flatMap(([property, verdict]) =>
      verdict.fails === null ? [] : [line(name, dropped.world, property, verdict)],
    )
    const open = propertiesOf(algorithm).filter((property) => cells[dropped.name] && !(property in cell))
    const rest = open.length === 0 ? [] : [`  - open: ${open.join(', ')}`]
    return failing.length + rest.length === 0 ? [] : [`- ${dropped.title}`, ...failing, ...rest]
  })
  return lines.length === 0 ? [] : ['', `### ${name}`, '', ...lines]
}

function line(
  name: string,
  world: Partial<Model>,
  property: string,
  { nodes, requests, fails }: Verdict,
): string {
  const only = property === 'rules' ? [] : [property as PropertyName]
  return `  - ${property}, ${fails} steps: \`${commandFor(name, { ...world, nodes, requests, only })}\``
}
