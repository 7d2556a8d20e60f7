import { get } from '@turnwise/core/bounds'
import { decimal, wholeNumber } from '@turnwise/core/invalid-input'
import { judgeTrace } from '@turnwise/core/judges/of-trace'
import { renderDiagram } from '@turnwise/core/trace/diagram'
import { mergeParts } from '@turnwise/core/trace/merge'
import { renderMermaid } from '@turnwise/core/trace/mermaid'
import { renderShiviz } from '@turnwise/core/trace/shiviz'
import { isPart, readTrace, type Trace } from '@turnwise/core/trace/trace'
import { type Command, Option } from 'commander'
import { given, inFile, readText } from '../../terminal/input.ts'
import { counted, type Terminal } from '../../terminal/terminal.ts'
import { diagramPainter } from '../reporters/diagram-painter.ts'

interface ReplayOptions {
  readonly mermaid?: true
  readonly shiviz?: true
  readonly from?: string
  readonly to?: string
  readonly limit?: string
}

export function addReplay(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('replay')
    .summary('show a recorded run')
    .description(
      'Shows a recorded run as a space-time diagram: a column for each node, a row for each event, and below it why ' +
        'the algorithm did what it did.\n\n' +
        'If the nodes of a mesh recorded one lock, give the files of all nodes: together they are one run. replay merges ' +
        'them by time, so that no message arrives before it was sent. It names missing files, and judges exclusion and ' +
        'fences. A unit of time is then a second.',
    )
    .argument('<trace...>', 'a file that `simulate --trace` or `check --trace` wrote, or the files of a mesh')
    .option('--from <time>', 'show what happened from this time on')
    .option('--to <time>', 'show what happened up to this time')
    .option('--limit <rows>', 'show at most this many rows (default: 200)')
    .addOption(
      new Option('--mermaid', 'print the whole run as a Mermaid sequence diagram instead').conflicts(PARTS),
    )
    .addOption(
      new Option(
        '--shiviz',
        'print the whole run as a log for ShiViz, with vector clocks, instead',
      ).conflicts([...PARTS, 'mermaid']),
    )
    .addHelpText(
      'after',
      '\nExit code: 0 shown, 1 a judge found a violation in what a mesh recorded, 2 bad input.',
    )
    .action((paths: readonly string[], options: ReplayOptions) => {
      const part = partFrom(options)
      const { trace, violations } = runIn(paths, terminal)
      if (violations > 0) exit(1)
      if (options.mermaid) return terminal.print(renderMermaid(trace).trimEnd())
      if (options.shiviz) return terminal.print(renderShiviz(trace).trimEnd())
      const colour = diagramPainter(terminal)
      terminal.print(renderDiagram(trace, { width: terminal.columns, colour, ...part }).trimEnd())
    })
}

/** The run in the files. What a simulator or checker wrote was judged by them; of what a mesh recorded this is the first look. */
function runIn(paths: readonly string[], terminal: Terminal): { trace: Trace; violations: number } {
  const traces = paths.map((path) =>
    given('TRACE', path, () => {
      const text = readText(path)
      return inFile(path, () => readTrace(text))
    }),
  )
  if (traces.length === 1 && !isPart(get(traces, 0).header)) return { trace: get(traces, 0), violations: 0 }
  traces.forEach(({ torn }, i) => {
    if (torn !== undefined) terminal.tell(`${paths[i]} breaks off in line ${torn}`)
  })
  const { trace, notes } = given('TRACE', paths.join(' '), () => mergeParts(traces))
  const start = new Date(Number(trace.header.settings['start']) / 1000)
  terminal.tell(`${counted(paths.length, 'part')}; time 0 is ${start.toISOString()}`)
  for (const note of notes) terminal.tell(note)
  const judged = judgeTrace(trace)
  if (judged.violations > 0) terminal.tell(`judges found ${counted(judged.violations, 'violation')}`)
  return judged
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
