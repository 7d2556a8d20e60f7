import { algorithmNamed, catalogue } from '@turnwise/algorithms/catalogue'
import type { AnyAlgorithm } from '@turnwise/core/algorithm'
import { renderDiagram } from '@turnwise/core/trace/diagram'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { traceHeader } from '@turnwise/simulator/trace-header'
import type { Command } from 'commander'
import type { Terminal } from '../../terminal/terminal.ts'
import { diagramPainter } from '../reporters/diagram-painter.ts'
import { prepareRun, type RunOptions } from '../run-options.ts'
import { run } from '../timed-run.ts'
import { comparisonTable } from './compare.ts'

const ORDINARY: RunOptions = {
  warmup: '0',
  inside: 'constant:1',
  latency: 'constant:1',
  fault: [],
  set: [],
  readers: '0',
  priorities: 'none',
  seed: '1',
}

export function addTour(program: Command, terminal: Terminal): void {
  program
    .command('tour')
    .summary('see what turnwise does, in a minute')
    .description(
      'Shows one run as a diagram, all algorithms side by side, a broken assumption, and where to go next.',
    )
    .action(() => {
      const { paint } = terminal
      const section = (title: string, text: string) => terminal.print(`${paint.bold(title)}\n${text}\n`)
      section(
        'Processes that take turns with nothing but messages',
        'Three nodes, Ricart and Agrawala 1981: to enter, ask everyone and wait for all replies.\n' +
          'A node with an earlier request keeps its reply back until it has left.\n',
      )
      showRun(terminal, algorithmNamed('ricart-agrawala'), { ...ORDINARY, entries: '3' })
      section(
        '\nWhat a turn costs',
        'All algorithms, 9 nodes, everybody asks all the time; one message takes one unit.',
      )
      const reports = catalogue.map((algorithm) =>
        run(prepareRun(algorithm, { ...ORDINARY, entries: '500' }, '9', 'heavy').config, () => {}),
      )
      terminal.print(comparisonTable(reports, terminal))
      section(
        '\nWhy an assumption is there',
        "Lamport's algorithm needs channels that keep order. Take the order away, and a judge finds two inside:\n" +
          paint.cyan(
            '  turnwise simulate lamport --nodes 3 --load heavy --channels unordered --latency exponential:1',
          ) +
          '\nThe checker shows the shortest way there:\n' +
          paint.cyan('  turnwise check lamport --nodes 2 --channels unordered'),
      )
      section('Where to go next', NEXT)
    })
}

function showRun(terminal: Terminal, algorithm: AnyAlgorithm, options: RunOptions): void {
  const { config } = prepareRun(algorithm, options, '3', 'heavy')
  const events: TraceEvent[] = []
  run({ ...config, record: (event) => void events.push(event) }, () => {})
  const trace = { header: traceHeader(config), events }
  terminal.print(renderDiagram(trace, { width: terminal.columns, colour: diagramPainter(terminal) }))
}

const NEXT = `  npx turnwise up                                  real processes take turns: kill one, and watch
  npx turnwise algorithms                          the catalogue
  npx turnwise explain raymond                     one of them
  npx turnwise simulate raymond --nodes 100        measure it
  npx turnwise check ricart-agrawala --requests any  prove it, for three nodes
  npx turnwise compare --nodes 5,10,20 --load heavy --plot p.svg  draw them all
  npx turnwise --help                              everything else
  packages/algorithms/src/                         the algorithms themselves: one file each`
