/** `docs/assumptions.md`: the grid that `npm run grid` has filled, as tables. */
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import type { PropertyName } from '@turnwise/checker/property'
import type { AnyProtocol } from '@turnwise/core/algorithm'
import { type Cell, DROPPED, openIn, standingOf, type Verdict } from '@turnwise/workshop/dropped-assumptions'
import { assumptionGrid } from '../grid/cells.ts'
import { commandFor, type Model } from '../models.ts'
import { markdownTable } from './algorithm-table.ts'

export function assumptionTables(): string {
  const grid = assumptionGrid()
  const table = (algorithms: readonly AnyProtocol[]) =>
    markdownTable(
      ['', ...DROPPED.map(({ title }) => title)],
      algorithms.map((algorithm) => {
        const { name } = algorithm.facts
        return [
          `[${name}](#${name})`,
          ...DROPPED.map((dropped) => cellText(algorithm, grid[name]?.[dropped.name])),
        ]
      }),
    )
  return [
    ...table(catalogue),
    '',
    'Elections:',
    '',
    ...table(elections),
    '',
    '## The runs',
    '',
    'What fails, after how many steps at least, and the command that shows it.',
    ...[...catalogue, ...elections].flatMap((algorithm) =>
      section(algorithm, grid[algorithm.facts.name] ?? {}),
    ),
  ].join('\n')
}

/** What becomes of the algorithm without the assumption, in few words. */
export function cellText(algorithm: AnyProtocol, cell: Cell | undefined): string {
  const { is, properties } = standingOf(algorithm, cell)
  if (properties.length === 0) return is
  return `${is === 'unsafe' ? '**unsafe**' : is}: ${properties.join(', ')}`
}

function section(algorithm: AnyProtocol, cells: Readonly<Record<string, Cell>>): string[] {
  const lines = assumptionLines(algorithm, cells)
  return lines.length === 0 ? [] : ['', `### ${algorithm.facts.name}`, '', ...lines]
}

/** What fails without each assumption, with the command that shows it. */
export function assumptionLines(algorithm: AnyProtocol, cells: Readonly<Record<string, Cell>>): string[] {
  const { name } = algorithm.facts
  return DROPPED.flatMap((dropped) => {
    const cell = cells[dropped.name]
    if (cell === undefined) return []
    const failing = Object.entries(cell).flatMap(([property, verdict]) =>
      verdict.fails === null ? [] : [line(name, dropped.world, property, verdict)],
    )
    const open = openIn(algorithm, cell)
    const rest = open.length === 0 ? [] : [`  - open: ${open.join(', ')}`]
    return failing.length + rest.length === 0 ? [] : [`- ${dropped.title}`, ...failing, ...rest]
  })
}

function line(
  name: string,
  world: Partial<Model>,
  property: string,
  { nodes, requests, fails }: Verdict,
): string {
  const only = [property as PropertyName]
  return `  - ${property}, ${fails} steps: \`${commandFor(name, { ...world, nodes, requests, only })}\``
}
