import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { decimal, InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { randomStream } from '@turnwise/core/random'
import { type Candidate, classicsFor } from '@turnwise/core/structure/classics-for'
import {
  type Design,
  design,
  MOST_NODES,
  MOST_NODES_EXACT,
  OBJECTIVES,
  type Objective,
  type Wanted,
} from '@turnwise/core/structure/design'
import { type Expected, expected } from '@turnwise/core/structure/expected'
import type { Command } from 'commander'
import { given, writable, writeText } from '../../terminal/input.ts'
import { Progress } from '../../terminal/progress.ts'
import { table } from '../../terminal/table.ts'
import { counted, figure, type Terminal } from '../../terminal/terminal.ts'

interface DesignOptions {
  readonly nodes?: string
  readonly demand?: string
  readonly objective: string
  readonly maxLoad: string
  readonly available: string
  readonly seed: string
  readonly out?: string
  readonly json?: true
}

export function addDesign(
  structureCommand: Command,
  terminal: Terminal,
  exit: (code: number) => void,
): Command {
  return structureCommand
    .command('design')
    .description('Finds the structure that serves a workload best, and compares it with the classic ones.')
    .option('--nodes <count>', `how many nodes, at most ${MOST_NODES} (default: as many as --demand names)`)
    .option(
      '--demand <list>',
      'how often each node enters, such as 10,10,1,1; the last number counts for all further nodes (default: all alike)',
    )
    .option('--objective <name>', `what to optimize: ${OBJECTIVES.join(', ')}`, 'messages')
    .option('--max-load <share>', 'no node is asked by others for more than this share of entries', '1')
    .option('--available <probability>', 'the probability that a node is up when it is asked', '0.95')
    .option('--seed <number>', `the random seed of the search above ${MOST_NODES_EXACT} nodes`, '1')
    .option('--out <file>', 'write the structure, for the other commands')
    .option('--json', 'print all as JSON')
    .addHelpText('after', HELP)
    .action((options: DesignOptions) => {
      const { out } = options
      const wanted = wantedFrom(options)
      const seed = given('--seed', options.seed, () => wholeNumber(options.seed, 'a seed', 0))
      if (out !== undefined) given('--out', out, () => writable(out))
      const classics = classicsFor(wanted.demand)
      const found = search(wanted, classics, seed, terminal)
      if (found === null) {
        terminal.tell(`no structure keeps every load at or below ${wanted.maxLoad}`)
        if (options.json) terminal.print(JSON.stringify({ ...wanted, structure: null }, null, 2))
        return exit(1)
      }
      terminal.print(
        options.json ? designJson(wanted, found, classics) : designText(wanted, found, classics, terminal),
      )
      if (out === undefined) return
      given('--out', out, () => writeText(out, `${JSON.stringify(found.structure)}\n`))
      terminal.tell(`written: turnwise structure show ${out}, turnwise check sanders --structure ${out}`)
    })
}

function search(
  wanted: Wanted,
  classics: readonly Candidate[],
  seed: number,
  terminal: Terminal,
): Design | null {
  const progress = new Progress(terminal, 'designing')
  const beginnings = classics.map(({ structure }) => structure)
  const steps = design(wanted, beginnings, randomStream(seed, 'design'))
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) {
      progress.done()
      return value
    }
    progress.show(value)
  }
}

function wantedFrom(options: DesignOptions): Wanted {
  const { objective } = options
  if (!isObjective(objective)) {
    throw new InvalidInput(`--objective: ${invalid(objective, `one of ${OBJECTIVES.join(', ')}`).message}`)
  }
  return {
    demand: demandFrom(options),
    objective,
    maxLoad: given('--max-load', options.maxLoad, () =>
      decimal(options.maxLoad, 'a share of entries', { min: 0, max: 1 }),
    ),
    available: given('--available', options.available, () =>
      decimal(options.available, 'a probability', { min: 0, max: 1 }),
    ),
  }
}

function isObjective(text: string): text is Objective {
  return (OBJECTIVES as readonly string[]).includes(text)
}

function demandFrom({ nodes: nodesText, demand: demandText }: DesignOptions): number[] {
  if (nodesText === undefined && demandText === undefined) {
    throw new InvalidInput('give --nodes or --demand')
  }
  const listed = given('--demand', demandText ?? '', () =>
    (demandText ?? '1').split(',').map((weight) => decimal(weight, 'a demand', { min: 0 })),
  )
  const nodes = given('--nodes', nodesText ?? '', () =>
    wholeNumber(nodesText ?? String(listed.length), 'a number of nodes', 1, MOST_NODES),
  )
  if (listed.length > nodes) {
    throw new InvalidInput(`--demand: names ${listed.length} nodes, but there are ${nodes}`)
  }
  const demand = Array.from({ length: nodes }, (_, node) => get(listed, Math.min(node, listed.length - 1)))
  if (demand.every((weight) => weight === 0))
    throw new InvalidInput('--demand: all weights are 0, so nobody ever enters')
  return demand
}

function designText(
  wanted: Wanted,
  { structure, isExact }: Design,
  classics: readonly Candidate[],
  terminal: Terminal,
): string {
  const { paint } = terminal
  const best = isExact ? 'no structure is better' : 'the best that was found'
  const row = (name: string, cost: Expected) => [
    name,
    figure(cost.messages.least),
    figure(cost.messages.most),
    figure(cost.delay),
    figure(cost.availability),
    cost.load <= wanted.maxLoad + 1e-9 ? figure(cost.load) : `${figure(cost.load)} too much`,
  ]
  const rows = [
    row('designed', expected(structure, wanted)),
    ...classics.map((classic) => row(classic.name, expected(classic.structure, wanted))),
  ]
  const heads = ['', 'messages', 'at most', 'delay', 'availability', 'largest load']
  const set = (members: readonly NodeId[]) => `{${members.join(', ')}}`
  const sets = structure.inform.map((told, node) => [
    String(node),
    figure(wanted.demand[node]),
    set(told),
    set(get(structure.request, node)),
  ])
  return [
    `${paint.bold('designed')} for ${counted(structure.nodes, 'node')}, least ${wanted.objective}: ${best}`.replace(
      'least availability',
      'most availability',
    ),
    '',
    table(terminal, ['node', 'demand', 'inform', 'request'], sets),
    '',
    table(terminal, heads, rows),
  ].join('\n')
}

function designJson(wanted: Wanted, found: Design, classics: readonly Candidate[]): string {
  return JSON.stringify(
    {
      ...wanted,
      exact: found.isExact,
      structure: found.structure,
      expected: expected(found.structure, wanted),
      classics: classics.map(({ name, structure }) => ({
        name,
        structure,
        expected: expected(structure, wanted),
      })),
    },
    null,
    2,
  )
}

const HELP = `
All figures are weighted by demand:
  messages      of an entry when nobody competes
  delay         messages one after another, between an exit and the entry of another node
  availability  the probability that all nodes that a node asks are up
  load          the share of entries for which others ask a node
Up to ${MOST_NODES_EXACT} nodes, every structure is compared.

Exit code: 0 found, 1 no structure keeps within --max-load, 2 bad input.

Examples:
  turnwise structure design --demand 10,10,1,1
  turnwise structure design --nodes 7 --max-load 0.5 --objective delay --out seven.json`
