import { decimal, wholeNumber } from '@turnwise/core/invalid-input'
import { renderDiagram } from '@turnwise/core/trace/diagram'
import { renderMermaid } from '@turnwise/core/trace/mermaid'
import { renderShiviz } from '@turnwise/core/trace/shiviz'
import { readTrace } from '@turnwise/core/trace/trace'
import type { Command } from 'commander'
import { given, readText } from '../input.ts'
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
    .argument('<trace>', 'a file that `turnwise simulate --trace` wrote')
    .option('--from <time>', 'show what happened from this time on')
    .option('--to <time>', 'show what happened up to this time')
    .option('--limit <rows>', 'show at most so many rows (default: 200)')
    .option('--mermaid', 'print a Mermaid sequence diagram instead')
    .option('--shiviz', 'print a log for ShiViz, with vector clocks, instead')
    .action((path: string, options: ReplayOptions) => {
      const trace = given(path, () => readTrace(readText(path)))
      if (options.mermaid) return terminal.print(renderMermaid(trace))
      if (options.shiviz) return terminal.print(renderShiviz(trace))
      const { from, to, limit } = options
      terminal.print(
        renderDiagram(trace, {
          width: terminal.columns,
          colour: diagramPainter(terminal),
          limit:
            limit === undefined ? 200 : given('--limit', () => wholeNumber(limit, 'a number of rows', 1)),
          ...(from === undefined ? {} : { from: given('--from', () => decimal(from, 'a time', { min: 0 })) }),
          ...(to === undefined ? {} : { to: given('--to', () => decimal(to, 'a time', { min: 0 })) }),
        }),
      )
    })
}
