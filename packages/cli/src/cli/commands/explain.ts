import type { BrokenElection, BrokenVariant } from '@turnwise/algorithms/broken-variant'
import type { InnocentVariant } from '@turnwise/algorithms/innocent-variant'
import { citation } from '@turnwise/algorithms/references'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { hasTimeouts } from '@turnwise/core/facts'
import { allowedValues, listOptions, readOptions } from '@turnwise/core/options'
import { whyUnservable } from '@turnwise/mesh/protocol/serving'
import type { Command } from 'commander'
import { given } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { innocentNamed, protocolOrVariantNamed, variantNamed } from '../algorithm-names.ts'
import { factsJson } from './algorithms.ts'

export function addExplain(program: Command, terminal: Terminal): void {
  program
    .command('explain')
    .summary('explain one algorithm')
    .description('Shows the idea of an algorithm, its needs, cost, options and sources.')
    .argument('<algorithm>', 'a name that `turnwise algorithms` lists')
    .option('--json', 'print the facts as JSON')
    .action((name: string, { json }: { json?: true }) => {
      const variant = variantNamed(name)
      if (variant !== undefined && !json) return terminal.print(confession(variant, terminal))
      const innocent = innocentNamed(name)
      if (innocent !== undefined && !json) return terminal.print(acquittal(innocent, terminal))
      const algorithm = given('ALGORITHM', name, () => protocolOrVariantNamed(name))
      terminal.print(json ? JSON.stringify(factsJson(algorithm), null, 2) : explanation(algorithm, terminal))
    })
}

const NEEDS_TOPOLOGY = {
  complete: 'a channel between every two nodes',
  ring: 'channels along a ring',
  tree: 'channels along a tree',
  connected: 'any connected network',
} as const

const KNOWS = {
  everyone: 'a node knows all others',
  neighbours: 'a node knows its neighbours',
  quorum: 'a node knows its quorum',
  coordinator: 'a node knows the coordinator',
} as const

function survivedText({ facts }: AnyProtocol): string {
  const kinds = facts.faults.map((kind) =>
    kind === 'crash' && facts.mostCrashes !== undefined ? `crash (at most ${facts.mostCrashes})` : kind,
  )
  return kinds.length === 0 ? 'no fault' : kinds.join(', ')
}

/** Whether it also serves real locks. */
function meshText(protocol: AnyProtocol): string {
  if (isElection(protocol)) return ''
  const { name, entries } = protocol.facts
  const why = whyUnservable(protocol, readOptions(protocol.options, [], name), entries)
  if (why === null) return entries === 'k' ? ', mesh (as a semaphore)' : ', mesh'
  return `; not in a mesh: ${why}`
}

/** What it needs, costs and survives: a name and words for each. */
export function factRows(protocol: AnyProtocol): [name: string, words: string][] {
  const { facts } = protocol
  const order = `messages ${facts.channels === 'fifo' ? 'must not' : 'may'} overtake each other`
  const { knownToFail } = facts
  return [
    ['needs', `${NEEDS_TOPOLOGY[facts.topology]}; ${order}; ${KNOWS[facts.knows]}`],
    ...costRows(protocol),
    ['survives', survivedText(protocol)],
    ['runs in', `simulator, checker, page${meshText(protocol)}`],
    ...(knownToFail === undefined
      ? []
      : [['fails', `${knownToFail.property}, when ${knownToFail.when}`] satisfies [string, string]]),
  ]
}

function explanation(protocol: AnyProtocol, { paint, columns }: Terminal): string {
  const { facts, options } = protocol
  const rows = factRows(protocol)
  const width = Math.max(...rows.map(([name]) => name.length))
  return [
    `${paint.bold(facts.title)} (${facts.year}), ${facts.family}`,
    '',
    wrap(facts.idea, Math.min(columns, 100)),
    '',
    ...rows.map(([name, value]) => `  ${paint.dim(name.padEnd(width))}  ${value}`),
    '',
    'Sources:',
    ...facts.sources.map((source) => `  ${citation(source)}`),
    ...optionLines(options),
    '',
    ...firstCommands(protocol),
  ].join('\n')
}

/** What a reader may try first. */
export function firstCommands(protocol: AnyProtocol): string[] {
  const { facts } = protocol
  return [
    isElection(protocol)
      ? `turnwise elect ${facts.name} --nodes 5`
      : `turnwise simulate ${facts.name} --nodes 5 --load heavy${severalText(protocol)}`,
    // Time-outs that may fire at any moment, again and again, make the worlds infinitely many.
    `turnwise check ${facts.name}${hasTimeouts(facts) ? ' --timing bounded' : ''}`,
  ]
}

/** Resources for a run that shows what they are for. */
function severalText({ facts }: AnyProtocol): string {
  return 'resources' in facts ? ' --resources 8 --take 2' : ''
}

function costRows(protocol: AnyProtocol): [string, string][] {
  if (isElection(protocol)) return [['messages per election', protocol.facts.messages.formula]]
  const { entries, resources, messages, syncDelay, overtakenInLine } = protocol.facts
  const together = resources === true ? 'one with each resource' : entries === 1 ? 'one' : 'k'
  return [
    ['inside together', together],
    ['messages per entry', messages.formula],
    ['delay between entries', `${syncDelay.formula} (in message delays)`],
    ...(overtakenInLine === undefined
      ? []
      : [['overtaken in line', `at most ${overtakenInLine.formula} times`] satisfies [string, string]]),
  ]
}

/** What is wrong with a broken variant. */
function confession(
  { algorithm, of, published, fails, rule, failure, repair, instance }: BrokenVariant | BrokenElection,
  terminal: Terminal,
): string {
  const { paint, columns } = terminal
  const width = Math.min(columns, 100)
  const { name } = algorithm.facts
  const world = [
    ` --nodes ${instance.nodes} --requests ${instance.requests} --channels ${instance.channels}`,
    instance.topology === undefined ? '' : ` --topology ${instance.topology}`,
    instance.quorum === undefined ? '' : ` --quorum ${instance.quorum}`,
    instance.structure === undefined ? '' : ` --structure ${instance.structure}`,
    instance.resources === undefined ? '' : ` --resources ${instance.resources}`,
    instance.sets === undefined ? '' : ` --sets '${instance.sets}'`,
    instance.readers === undefined ? '' : ' --readers 0.5',
    instance.downgrades === undefined ? '' : ' --downgrades',
    instance.updates === undefined ? '' : ' --updates',
    instance.priorities === undefined ? '' : ` --priorities ${instance.priorities}`,
    ...BUDGETS.map((name) => (instance[name] === undefined ? '' : ` --${name} ${instance[name]}`)),
    instance.k === undefined ? '' : ` --k ${instance.k}`,
    ...(instance.set ?? []).map((setting) => ` --set ${setting}`),
    instance.dead === undefined ? '' : ` --dead ${instance.dead}`,
  ].join('')
  return [
    `${paint.bold(name)}, ${of} with one rule changed: ${paint.red(`${fails} fails`)}`,
    published === null ? 'Nobody published it; it shows what the rule is for.' : `Published in ${published}.`,
    '',
    wrap(`Rule: ${rule}`, width),
    wrap(`Failure: ${failure}`, width),
    wrap(`Repair: ${repair}`, width),
    '',
    `turnwise check ${name}${world}`,
  ].join('\n')
}

/** Why a suspected rule is none of the broken variants. */
function acquittal(innocent: InnocentVariant, { paint, columns }: Terminal): string {
  const width = Math.min(columns, 100)
  const { name, of, published, rule, suspicion, harmless } = innocent
  return [
    `${paint.bold(name)}, a rule of ${of} that was suspected: ${paint.green('every property holds')}`,
    `Published in ${published}.`,
    '',
    wrap(`Rule: ${rule}`, width),
    wrap(`Suspicion: ${suspicion}`, width),
    wrap(`Why it does no harm: ${harmless}`, width),
    '',
    `turnwise check ${name}`,
  ].join('\n')
}

function optionLines(options: object): string[] {
  const entries = listOptions(options)
  if (entries.length === 0) return []
  return [
    '',
    'Options:',
    ...entries.map(
      ([name, spec]) =>
        `  --set ${name}=${allowedValues(spec)}  ${spec.about} (default ${String(spec.default)})`,
    ),
  ]
}

function wrap(text: string, width: number): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].join('\n')
}

/** What may happen in the world of a broken variant, as the options of a check are called. */
const BUDGETS = ['withdrawals', 'crashes', 'restarts', 'unlinks', 'links', 'joins', 'leaves'] as const
