import { decimal, wholeNumber } from '@turnwise/core/invalid-input'
import { renderDiagram } from '@turnwise/core/trace/diagram'
import { renderMermaid } from '@turnwise/core/trace/mermaid'
import { renderShiviz } from '@turnwise/core/trace/shiviz'
import { readTrace } from '@turnwise/core/trace/trace'
import { type Command, Option } from 'commander'
import { given, inFile, readText } from '../input.ts'
import { diagramPainter } from '../reporters/diagram-painter.ts'
import type { Terminal } from '../terminal.ts'

interface ReplayOptions {
  readonly mermaid?: true
  readonly shiviz?: true
  readonly from?: string
  readonly to?: string
  readonly limit?: string
}

export function addReplay(program: Command, terminal: Terminal): void {
  program
    .command('replay')
    .summary('show a recorded run')
    .description(
      'Shows a recorded run as a space-time diagram: a column for each node, a row for each event.',
    )
    .argument('<trace>', 'a file that `simulate --trace` or `check --trace` wrote')
    .option('--from <time>', 'show what happened from this time on')
    .option('--to <time>', 'show what happened up to this time')
    .option('--limit <rows>', 'show at most so many rows (default: 200)')
    .addOption(
      new Option('--mermaid', 'print the whole run as a Mermaid sequence diagram instead').conflicts(PARTS),
    )
    .addOption(
      new Option(
        '--shiviz',
        'print the whole run as a log for ShiViz, with vector clocks, instead',
      ).conflicts([...PARTS, 'mermaid']),
    )
    .action((path: string, options: ReplayOptions) => {
      const part = partFrom(options)
      const trace = given('TRACE', path, () => {
        const text = readText(path)
        return inFile(path, () => readTrace(text))
      })
      if (options.mermaid) return terminal.print(renderMermaid(trace).trimEnd())
      if (options.shiviz) return terminal.print(renderShiviz(trace).trimEnd())
      const colour = diagramPainter(terminal)
      terminal.print(renderDiagram(trace, { width: terminal.columns, colour, ...part }).trimEnd())
    })
}

/** Options that choose a part of the run, which only the diagram can show. */
const PARTS = ['from', 'to', 'limit']

function partFrom({ from, to, limit = '200' }: ReplayOptions) {
  const first = from === undefined ? 0 : given('--from', from, () => decimal(from, 'a time', { min: 0 }))
  const after = from === undefined ? 'a time' : 'a time since --from'
  return {
    limit: given('--limit', limit, () => wholeNumber(limit, 'a number of rows', 1)),
    from: first,
    ...(to === undefined ? {} : { to: given('--to', to, () => decimal(to, after, { min: first })) }),
  }
}
