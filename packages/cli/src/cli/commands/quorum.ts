import { decimal, InvalidInput, invalid, wholeNumber } from '@turnwise/core/invalid-input'
import { agreementFrom, broadcast, type QuorumAgreement } from '@turnwise/core/quorum/agreement'
import {
  type AgreementFamily,
  agreementOfQuorums,
  broadcastAgreement,
  gridAgreement,
} from '@turnwise/core/quorum/agreement-family'
import {
  gridFamily,
  listedFamily,
  projectiveFamily,
  type QuorumFamily,
  thresholdFamily,
  treeFamily,
  votingFamily,
} from '@turnwise/core/quorum/family'
import { K_COTERIE_KINDS, type KCoterieKind, kCoterieFamily } from '@turnwise/core/quorum/k-coterie-family'
import { quorumsFrom } from '@turnwise/core/quorum/quorum-from-text'
import type { Quorums } from '@turnwise/core/quorum/quorums'
import { assignVotes, votingQuorum } from '@turnwise/core/quorum/votes'
import type { Command } from 'commander'
import { given } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { readQuorums } from '../input-structures.ts'
import { agreementReport } from '../reporters/agreement-report.ts'
import { quorumJson, quorumReport, quorumText } from '../reporters/quorum-report.ts'

interface QuorumOptions {
  readonly nodes?: string
  readonly available: string
  readonly k?: string
  readonly seed: string
  readonly json?: true
}

const KINDS = `majority, votes:V0,V1,…, grid, projective, tree, broadcast, ${K_COTERIE_KINDS.join(', ')}, FILE.json`
const DEFAULT_NODES = '7'
/** All families are listed or computed node by node. */
const MOST_NODES = 2000

export function addQuorum(program: Command, terminal: Terminal): void {
  program
    .command('quorum')
    .summary('measure a quorum system')
    .description(
      'Shows the sizes of the quorums of a system, the load of the busiest node, how many failures always leave a ' +
        'quorum, and how likely a quorum is available. Shows the same for the agreement of request and acquired sets ' +
        'that the quorums make.',
    )
    .argument('<kind>', KINDS)
    .option('--nodes <count>', `how many nodes (default: ${DEFAULT_NODES}, or those of the file)`)
    .option('--available <p>', 'the probability that a node is up', '0.95')
    .option('--k <count>', 'how many may be inside together (default: 2 for a k-coterie, else 1)')
    .option('--seed <number>', 'the random seed for samples, if there are too many sets to count', '1')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', HELP)
    .action((kind: string, options: QuorumOptions) => {
      const { available } = options
      const k = entriesFrom(kind, options.k)
      const system = systemFrom(kind, options.nodes, k)
      const up = given('--available', available, () =>
        decimal(available, 'a probability', { min: 0, max: 1 }),
      )
      const seed = given('--seed', options.seed, () => wholeNumber(options.seed, 'a seed', 0))
      const agreement =
        k > 1 ? null : agreementReport(agreementFamilyOf(system.family), agreementOf(system.own), up, seed)
      const report = quorumReport(system.family, system.own, up, seed, k, agreement)
      terminal.print(
        options.json ? JSON.stringify(quorumJson(report), null, 2) : quorumText(report, terminal),
      )
    })
}

function isKCoterie(kind: string): kind is KCoterieKind {
  return (K_COTERIE_KINDS as readonly string[]).includes(kind)
}

function entriesFrom(kind: string, text: string | undefined): number {
  if (text === undefined) return isKCoterie(kind) ? 2 : 1
  return given('--k', text, () => wholeNumber(text, 'a number of nodes inside together', 1))
}

/** All quorums of a kind, and the one that each node asks. */
function systemFrom(
  kind: string,
  nodesText: string | undefined,
  k: number,
): { family: QuorumFamily; own: Quorums } {
  if (kind.endsWith('.json')) {
    const own = given('KIND', kind, () => readQuorums(kind))
    if (nodesFrom(nodesText ?? String(own.nodes)) !== own.nodes) {
      throw new InvalidInput(`--nodes: "${nodesText}" contradicts ${kind}, which has ${own.nodes} nodes`)
    }
    return { family: listedFamily(own), own }
  }
  const nodes = nodesFrom(nodesText ?? DEFAULT_NODES)
  return given('KIND', kind, () => systemOfKind(kind, nodes, k))
}

function systemOfKind(kind: string, nodes: number, k: number): { family: QuorumFamily; own: Quorums } {
  const [, list] = /^votes:(.*)$/.exec(kind) ?? []
  if (list !== undefined) {
    const votes = list.split(',').map((item) => wholeNumber(item, 'a number of votes', 0))
    const assigned = assignVotes(nodes, votes)
    const own = { kind, nodes, of: (node: number) => votingQuorum(assigned, node) ?? [] }
    return { family: votingFamily(kind, nodes, votes), own }
  }
  if (isKCoterie(kind)) return { family: kCoterieFamily(kind, nodes, k), own: quorumsFrom(kind, nodes, k) }
  if (kind === 'broadcast') {
    const everyone = { kind, nodes, of: (node: number) => broadcast(nodes).request(node) }
    return { family: { ...thresholdFamily(nodes, nodes), kind }, own: everyone }
  }
  const build = Object.hasOwn(FAMILIES, kind) ? FAMILIES[kind] : undefined
  if (build === undefined) throw invalid(kind, `one of ${KINDS}`)
  return { family: build(nodes), own: quorumsFrom(kind, nodes) }
}

function agreementFamilyOf(quorums: QuorumFamily): AgreementFamily {
  if (quorums.kind === 'grid') return gridAgreement(quorums.nodes)
  return quorums.kind === 'broadcast' ? broadcastAgreement(quorums.nodes) : agreementOfQuorums(quorums)
}

function agreementOf(quorums: Quorums): QuorumAgreement {
  return quorums.kind === 'broadcast' ? broadcast(quorums.nodes) : agreementFrom(quorums)
}

const FAMILIES: Readonly<Record<string, (nodes: number) => QuorumFamily>> = {
  majority: (nodes) => votingFamily('majority', nodes, []),
  grid: gridFamily,
  projective: projectiveFamily,
  tree: treeFamily,
}

function nodesFrom(text: string): number {
  return given('--nodes', text, () => wholeNumber(text, 'a number of nodes', 1, MOST_NODES))
}

const HELP = `
Kinds:
  majority       more than half of the nodes (Thomas 1979)
  votes:2,1,1    more than half of the votes; nodes that are not named have one (Gifford 1979)
  grid           a row and a column of a square (Maekawa 1985)
  projective     the lines of a finite projective plane (Maekawa 1985): q + 1 of q^2 + q + 1 nodes, if q is a power
                 of a prime. Other numbers of nodes take the next larger plane, and fold its points onto the nodes.
                 Every two quorums still meet, and none has more than q + 1 nodes. The report says so
  tree           a path to a leaf, with paths from all children in place of failed nodes (Agrawal, El Abbadi 1991)
  broadcast      all nodes are asked; in the agreement the holder tells nobody else (Suzuki and Kasami 1985)
  k-majority     so many nodes that two of any k + 1 such sets meet (Kakugawa and others 1993)
  k-singleton    one of k coordinators
  disjoint       a majority of one of k groups
  FILE.json      the quorum of each node: { "nodes": 3, "quorums": [[0,1],[1,2],[0,2]] }

The load is that of Naor and Wool (1998): how busy the busiest node is if quorums are chosen at random in the
best way. A coterie is dominated if one more set could be a quorum (Garcia-Molina and Barbara 1985).

In an agreement (Q, Q^-1), a node that wants the token asks a request set of Q, and the holder tells an acquired set
of Q^-1. Every request set meets every acquired set (Mizuno, Neilsen and Rao 1991). For a grid they are the columns and
the rows of a grid about twice as high as wide. For all other kinds both are the quorums themselves. A node can ask
while all nodes of some request set are up: one of these nodes is also in the acquired set that was told. A holder can
make itself known while all nodes of some acquired set are up. So the report has a row "one of each": how many failures
always leave a set of each kind, and how likely this is. Its load is how often the busiest node is asked or told per
entry; a node that is both asked and told counts twice. If the holder fails, the token is lost.

Examples:
  turnwise quorum tree --nodes 15 --available 0.9
  turnwise quorum grid --nodes 18 --available 0.9
  turnwise quorum votes:2 --nodes 4
  turnwise quorum disjoint --nodes 12 --k 3
  turnwise quorum projective --nodes 13 --json
  turnwise quorum projective --nodes 10`
