import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { type NamedStructure, statusSets } from '@turnwise/core/structure/structure'
import { type Metrics, metrics } from '@turnwise/core/structure/structure-cost'
import {
  isStructureText,
  nodesOf,
  STRUCTURE_FORMS,
  structureFromText,
  structureText,
} from '@turnwise/core/structure/structure-from-text'
import { tellFlaw, type Verdict, validate } from '@turnwise/core/structure/validate'
import { drawStructure } from '@turnwise/lab/chart/draw-structure'
import type { Command } from 'commander'
import { given, writeText } from '../../terminal/input.ts'
import { table } from '../../terminal/table.ts'
import { figure, type Terminal } from '../../terminal/terminal.ts'
import { readStructure } from '../input-structures.ts'

interface OfNodes {
  readonly nodes?: string
}

const DEFAULT_NODES = 7
/** Sets are compared pair by pair. */
const MOST_NODES = 500
const FORMS = `${STRUCTURE_FORMS} or FILE.json`
const NODES = `how many nodes (default: those of the figure or the file, else ${DEFAULT_NODES})`

function nodesFrom(text: string): number {
  return given('--nodes', text, () => wholeNumber(text, 'a number of nodes', 1, MOST_NODES))
}

/** A structure by its name, spelled out, or from a file; all but the algorithms of Figure 1 know their own nodes. */
function structureNamed(text: string, nodes: number | undefined): NamedStructure {
  if (isStructureText(text)) return structureFromText(text, nodes ?? nodesOf(text) ?? DEFAULT_NODES)
  if (!text.endsWith('.json') && !existsSync(text)) {
    throw invalid(text, `one of ${STRUCTURE_FORMS}, FILE.json`)
  }
  const structure = readStructure(text)
  if (nodes === undefined || nodes === structure.nodes) return structure
  throw new InvalidInput(`"${text}" is for ${structure.nodes} nodes, not for ${nodes}`)
}

/** Returns the command, so that others can hang theirs below it. */
export function addStructure(program: Command, terminal: Terminal, exit: (code: number) => void): Command {
  const command = program
    .command('structure')
    .summary("judge, measure, draw and design Sanders' information structures")
    .description(
      'Judges, measures, draws and designs information structures. These say which nodes each node asks, and which it tells.',
    )
    .addHelpText('after', HELP)
  const read = (text: string, { nodes: nodesText }: OfNodes) => {
    const nodes = nodesText === undefined ? undefined : nodesFrom(nodesText)
    return given('STRUCTURE', text, () => structureNamed(text, nodes))
  }
  const known = (text: string, ofNodes: OfNodes) => {
    const structure = read(text, ofNodes)
    const [flaw] = validate(structure).flaws
    if (flaw !== undefined) terminal.tell(`warning: not valid: ${tellFlaw(flaw)}`)
    return structure
  }
  command
    .command('validate')
    .description(
      'Decides whether the structure guarantees mutual exclusion. If not, it names the pairs of nodes for which it fails.',
    )
    .argument('<structure>', FORMS)
    .option('--nodes <count>', NODES)
    .option('--json', 'print the verdict as JSON')
    .action((text: string, { json, ...ofNodes }: OfNodes & { json?: true }) => {
      const verdict = validate(read(text, ofNodes))
      terminal.print(json ? JSON.stringify(verdict, null, 2) : verdictText(verdict, terminal))
      exit(verdict.valid ? 0 : 1)
    })
  command
    .command('metrics')
    .description('Shows what an entry costs each node, and how long a hand-over takes.')
    .argument('<structure>', FORMS)
    .option('--nodes <count>', NODES)
    .option('--json', 'print the metrics as JSON')
    .action((text: string, { json, ...ofNodes }: OfNodes & { json?: true }) => {
      const measured = metrics(known(text, ofNodes))
      terminal.print(json ? JSON.stringify(measured, null, 2) : metricsTable(measured, terminal))
    })
  command
    .command('show')
    .description('Lists the sets of each node, draws them, or writes them on one line.')
    .argument('<structure>', FORMS)
    .option('--nodes <count>', NODES)
    .option('--svg <file>', 'draw it: solid arcs inform and request, dashed arcs request only')
    .option('--text', 'print it as text for other commands and the locks of a mesh: structure=TEXT')
    .action((text: string, { svg, text: asText, ...ofNodes }: OfNodes & { svg?: string; text?: true }) => {
      const structure = known(text, ofNodes)
      if (asText) return terminal.print(structureText(structure))
      if (svg === undefined) return terminal.print(setsTable(structure, terminal))
      given('--svg', svg, () => writeText(svg, drawStructure(structure, basename(text))))
      terminal.tell(`drawn: ${svg}`)
    })
  return command
}

function verdictText({ form, valid, flaws }: Verdict, { paint }: Terminal): string {
  const judge =
    form === 'theorem' ? 'the theorem of section 4' : "the footnote's form, as some node does not tell itself"
  if (valid) return `${paint.green('valid')}: conditions a and b hold (Sanders 1987, ${judge})`
  return [
    `${paint.red('not valid')} (Sanders 1987, ${judge}):`,
    ...flaws.map((flaw) => `  ${tellFlaw(flaw)}`),
  ].join('\n')
}

function metricsTable({ perNode, messages, delay }: Metrics, terminal: Terminal): string {
  const rows = perNode.map((node, number) => [
    String(number),
    figure(node.messages.least),
    figure(node.messages.most),
    figure(node.deadlockMessages),
    figure(node.delay),
    node.delays.join(' '),
  ])
  const mean = [
    'mean',
    figure(messages.least),
    figure(messages.most),
    figure(messages.most - messages.least),
    figure(delay),
    '',
  ]
  return table(
    terminal,
    ['node', 'messages, least', 'at most', 'for deadlock', 'delay', 'after 0, 1, …'],
    [...rows, mean],
  )
}

function setsTable(structure: NamedStructure, terminal: Terminal): string {
  const status = statusSets(structure)
  const set = (members: readonly NodeId[]) => `{${members.join(', ')}}`
  const rows = structure.inform.map((told, node) => [
    String(node),
    set(told),
    set(get(structure.request, node)),
    set(get(status, node)),
  ])
  return table(terminal, ['node', 'inform', 'request', 'status'], rows)
}

const HELP = `
A structure has one of three forms. The first is a name of Sanders 1987: central (Figure 1a), ricart-agrawala (1b),
maekawa (1c) and figure-2 for any number of nodes; figure-3a for 3 nodes and figure-3b for 4, which are not safe. The
second is a text: the inform sets, a colon, the request sets, as in 0/1:0.1/0.1. The third is a file such as
  { "nodes": 4, "inform": [[0],[1],[0,1,2],[0,1,3]], "request": [[0,1],[0,1],[0,1,2],[0,1,3]] }

Exit code of validate: 0 valid, 1 not valid, 2 no structure.

Examples:
  turnwise structure validate figure-3a
  turnwise structure metrics maekawa --nodes 13
  turnwise structure show figure-2 --nodes 5`
