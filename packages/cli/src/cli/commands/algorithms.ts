import { brokenElections, gallery } from '@turnwise/algorithms/broken/gallery'
import type { BrokenElection, BrokenVariant } from '@turnwise/algorithms/broken-variant'
import { catalogue, elections } from '@turnwise/algorithms/catalogue'
import { type AnyAlgorithm, type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import type { Command } from 'commander'
import { table } from '../../terminal/table.ts'
import type { Terminal } from '../../terminal/terminal.ts'

/** Facts of an algorithm as JSON; other programs rely on these names. */
export function factsJson(protocol: AnyProtocol) {
  const { facts, options } = protocol
  return {
    name: facts.name,
    title: facts.title,
    year: facts.year,
    family: facts.family,
    ...(isElection(protocol) ? {} : entryFacts(protocol)),
    channels: facts.channels,
    topology: facts.topology,
    knows: facts.knows,
    quorums: facts.quorums,
    structure: facts.structure ?? false,
    formula: facts.messages.formula,
    timing: facts.timing,
    faults: facts.faults,
    knownToFail: facts.knownToFail ?? null,
    sources: facts.sources,
    idea: facts.idea,
    options,
  }
}

function entryFacts({ facts }: AnyAlgorithm) {
  return { entries: facts.entries, sharedMode: facts.sharedMode, syncDelay: facts.syncDelay.formula }
}

function variantJson({
  algorithm,
  of,
  published,
  fails,
  rule,
  failure,
  repair,
}: BrokenVariant | BrokenElection) {
  return { name: algorithm.facts.name, of, published, fails, rule, failure, repair }
}

function variantTable(terminal: Terminal): string {
  const rows = [...gallery, ...brokenElections].map(({ algorithm, fails, published }) => [
    algorithm.facts.name,
    fails,
    published ?? '–',
  ])
  return `${table(terminal, ['broken variant', 'fails', 'published'], rows)}\n\nturnwise explain NAME explains one.`
}

export function addAlgorithms(program: Command, terminal: Terminal): void {
  program
    .command('algorithms')
    .summary('list the catalogue')
    .description('Lists every algorithm of the catalogue.')
    .option('--broken', 'list the broken variants instead, with the property that fails')
    .option('--json', 'print all facts as JSON')
    .action(({ broken, json }: { broken?: true; json?: true }) => {
      if (broken)
        return terminal.print(
          json
            ? JSON.stringify([...gallery, ...brokenElections].map(variantJson), null, 2)
            : variantTable(terminal),
        )
      if (json) return terminal.print(JSON.stringify([...catalogue, ...elections].map(factsJson), null, 2))
      const rows = [...catalogue, ...elections].map((protocol) => [
        protocol.facts.name,
        String(protocol.facts.year),
        protocol.facts.family,
        protocol.facts.topology,
        protocol.facts.channels,
        protocol.facts.messages.formula,
        isElection(protocol) ? '–' : protocol.facts.syncDelay.formula,
      ])
      const heads = [
        'algorithm',
        'year',
        'family',
        'topology',
        'channels',
        'messages per entry',
        'delay between entries',
      ]
      terminal.print(table(terminal, heads, rows))
      terminal.print(
        `\n${catalogue.length} algorithms and ${elections.length} elections, whose messages are per election. turnwise explain NAME explains one; ` +
          'turnwise algorithms --broken lists variants that fail.',
      )
    })
}
