import type { NodeStatus } from '@turnwise/mesh/daemon/control-messages'
import type { Client } from '@turnwise/mesh/daemon/line-client'
import { NoDaemonError } from '@turnwise/mesh/locks/errors'
import type { PlaceStatus } from '@turnwise/mesh/observe/mesh-status'
import type { Survives } from '@turnwise/mesh/protocol/losses'
import { type Command, Option } from 'commander'
import type { PlaceView, SessionState } from '../../agent/place-view.ts'
import { durationText } from '../../terminal/duration.ts'
import { table } from '../../terminal/table.ts'
import { counted, type Terminal } from '../../terminal/terminal.ts'
import {
  askDaemon,
  type DaemonOptions,
  daemonOptions,
  lookThere,
  NO_ANSWER,
  placeOptions,
  WAYS,
  whereabouts,
} from '../daemon-options.ts'

interface StatusOptions extends DaemonOptions {
  readonly ready?: true
}

export function addStatus(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  placeOptions(
    daemonOptions(program.command('status')),
    'look at the mesh that meets here, without a daemon: ./locks, postgres://… or etcd://…',
  )
    .summary('the state of a running node and its mesh')
    .description(
      'Asks a running turnwise node for its view, its lease, missing voters and trouble. With --at it asks the meeting ' +
        'place instead: for the view, its members, and which of them renew their lease. It joins and changes nothing.',
    )
    .addOption(
      new Option(
        '--ready',
        'print nothing if the node is in its mesh and has a lease; otherwise say why it is not ready',
      ).conflicts(['at', 'json']),
    )
    .addHelpText('after', HELP)
    .action(async (options: StatusOptions) => {
      const where = whereabouts(options)
      if (where === null) return exit(await askNode(options, terminal))
      const code = await lookThere(terminal, async () => {
        const { lookAt } = await import('../../agent/place-view.ts')
        const view = await lookAt(where)
        terminal.print(options.json ? JSON.stringify(view, null, 2) : placeViewText(view, terminal))
      })
      exit(code)
    })
}

async function askNode(options: StatusOptions, terminal: Terminal): Promise<number> {
  const unready: string[] = []
  const ask = async (client: Client) => {
    const answer = await client.ask('status', {})
    if (answer.kind === 'refused') throw new NoDaemonError(answer.message)
    if (answer.kind !== 'status') throw new NoDaemonError('the daemon sent an unexpected answer')
    const { status } = answer
    if (options.ready) unready.push(...whyNotReady(status))
    else
      terminal.print(options.json ? JSON.stringify(status, null, 2) : statusText(status, options, terminal))
  }
  const code = await askDaemon(options, terminal, ask, WAYS)
  for (const why of unready) terminal.tell(`turnwise: not ready: ${why}`)
  return unready.length === 0 ? code : NO_ANSWER
}

/** Ready is who could be granted a lock now. Nobody waits here for a lock of its own, or to lead. */
function whyNotReady({ id, joined, leaseLeft, trouble }: NodeStatus): readonly string[] {
  if (joined && leaseLeft > 0) return []
  return trouble.length > 0 ? trouble : [`${id} has ${joined ? 'no valid lease' : 'not joined yet'}`]
}

function placeViewText(
  { place, mesh, epoch, settings, watched, sessions }: PlaceView,
  terminal: Terminal,
): string {
  const { red } = terminal.paint
  const words: Readonly<Record<SessionState, string>> = {
    renews: 'renews its lease',
    silent: red(`has not renewed its lease for ${durationText(watched)}`),
    sealed: red('sealed: its lease runs out'),
    gone: red('gone'),
  }
  const rows = sessions.map(({ id, isMember, state }) => [id, isMember ? 'member' : 'joins', words[state]])
  const isAnybody = sessions.some(({ state }) => state === 'renews')
  return [
    `mesh "${mesh}" meets at ${place}`,
    epoch === null
      ? 'no view yet'
      : `view ${epoch}; ${settings.algorithm}, lease ${settings.lease} ms, drift ${settings.drift}`,
    ...(isAnybody ? [] : [red('nobody is alive: the next process that joins begins a new view')]),
    ...(rows.length === 0 ? [] : ['', table(terminal, ['session', 'view', ''], rows)]),
  ].join('\n')
}

/** A door does not tell of other clients, nor how many names there are. */
function statusText(status: NodeStatus, { door }: StatusOptions, terminal: Terminal): string {
  const { id, joined, epoch, place, lease, leaseLeft } = status
  const view = joined ? (epoch === null ? 'none at the moment' : String(epoch)) : 'not joined yet'
  const left =
    leaseLeft > 0 ? `${Math.round(leaseLeft)} of ${lease} ms left` : terminal.paint.red('not valid')
  return [
    `node ${id}, up for ${durationText(status.uptime)}`,
    ...(place === null ? [] : [placeText(place, terminal)]),
    `view ${view}; lease ${left}`,
    ...(status.survives === null || status.members.length < 2 ? [] : [survivalText(status.survives)]),
    ...(place === null || status.members.length < 2
      ? []
      : ['survives the loss of all members but one, as long as the place answers']),
    ...status.trouble.map((line) => terminal.paint.red(line)),
    ...(door === undefined
      ? [`${counted(status.names, 'name')}, ${status.holding} held through the control socket`]
      : []),
    '',
    place === null ? peersTable(status, terminal) : membersTable(status, terminal),
  ].join('\n')
}

/** Which losses leave a majority of the voters, in one line. */
export function survivalText({ nodes, zones, notZones }: Survives): string {
  const count = zones.length + notZones.length
  const safe =
    count > 1 && notZones.length === 0
      ? ['of any one zone']
      : zones.length === 0
        ? []
        : [`of zone ${zones.join(' or ')}`]
  const some = nodes === 0 ? [] : [`of any ${nodes === 1 ? 'node' : `${nodes} nodes`}`]
  const losses = [...some, ...safe]
  const not = notZones.length === 0 ? '' : `; not of zone ${notZones.join(' or ')}`
  return losses.length === 0
    ? `survives no loss of a voter${not}`
    : `survives the loss ${losses.join(', or ')}${not}`
}

function placeText({ name, silentFor, why }: PlaceStatus, terminal: Terminal): string {
  return silentFor === null
    ? `meets at ${name}, which answers`
    : terminal.paint.red(`meets at ${name}, which has not answered for ${durationText(silentFor)}: ${why}`)
}

/** At a meeting place nobody votes, and who is there is a member. */
function membersTable({ id, members, zones }: NodeStatus, terminal: Terminal): string {
  if (members.length === 0) return 'no members yet'
  const rows = members.map((member) => [
    member === id ? `${member} (this)` : member,
    ...zoneCell(zones, member),
  ])
  return table(terminal, [counted(members.length, 'member'), ...zoneHead(zones)], rows)
}

/** There is a column for zones where somebody states one. */
function zoneHead(zones: NodeStatus['zones']): string[] {
  return Object.keys(zones).length === 0 ? [] : ['zone']
}

export function zoneCell(zones: NodeStatus['zones'], node: string): string[] {
  return zoneHead(zones).map(() => (Object.hasOwn(zones, node) ? String(zones[node]) : '–'))
}

function peersTable(status: NodeStatus, terminal: Terminal): string {
  const { id, epoch, members, zones, voters, peers, missing } = status
  const everyone = [...new Set([...peers, ...members, ...voters])].toSorted()
  const presence = (node: string) => {
    if (missing.includes(node)) return terminal.paint.red('missing')
    // Before there is a view, only voters are watched.
    return epoch === null && node !== id && !voters.includes(node) ? '–' : 'there'
  }
  const rows = everyone.map((node) => [
    node === id ? `${node} (this)` : node,
    members.includes(node) ? 'member' : '–',
    voters.includes(node) ? 'voter' : '–',
    ...zoneCell(zones, node),
    presence(node),
  ])
  return table(terminal, ['node', 'view', 'votes', ...zoneHead(zones), ''], rows)
}

const HELP = `
Exit code: 0 the node or the place answered, 75 nobody answers, nobody has ever met there, or with --ready the node is not
ready, 2 bad input.

Examples:
  turnwise status --at ./locks
  turnwise status --socket /run/turnwise/socket
  turnwise status --ready --socket /run/turnwise/socket
  turnwise status --door door.json`
