import { constants } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidInput } from '@turnwise/core/invalid-input'
import type { Caller, NameOverview } from '@turnwise/mesh/daemon/control-messages'
import type { Client } from '@turnwise/mesh/daemon/line-client'
import { NoDaemonError } from '@turnwise/mesh/locks/errors'
import { printable, shortInfo } from '@turnwise/mesh/protocol/printable'
import type { Command } from 'commander'
import type { Whereabouts } from '../../agent/place-view.ts'
import type { Overview } from '../../page/overview.ts'
import { duration, durationText } from '../../terminal/duration.ts'
import { given } from '../../terminal/input.ts'
import { table } from '../../terminal/table.ts'
import { figure, type Terminal } from '../../terminal/terminal.ts'
import {
  askDaemon,
  type DaemonOptions,
  daemonOptions,
  lookThere,
  placeOptions,
  WAYS,
  whereabouts,
} from '../daemon-options.ts'

interface LocksOptions extends DaemonOptions {
  readonly watch?: string | true
}

export function addLocks(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  placeOptions(
    daemonOptions(program.command('locks')),
    'join the mesh that meets here for a moment, and ask its members: ./locks, postgres://… or etcd://…',
  )
    .summary('who holds and who waits, in the whole mesh')
    .description(
      'Shows who holds which lock, for how long and with which fence; who waits, and how many are ahead; and the --info ' +
        'of each. A running turnwise node asks all members for this. If the algorithm does not know who is next, the ' +
        'longest waiters come first. With --at no daemon is needed: the command joins the mesh for a moment, or while ' +
        'it watches. So the view changes twice.',
    )
    .option('--watch [time]', 'look again and again, until Ctrl-C: every second, or at this interval')
    .addHelpText('after', HELP)
    .action(async (options: LocksOptions) => {
      const where = whereabouts(options)
      const every = everyFrom(options.watch)
      const tell = ({ names, circles }: Overview, more: number) => {
        if (every !== null) terminal.clear?.()
        // One line for each look, where a program reads them.
        const json = () => JSON.stringify({ names, more, circles }, null, every === null ? 2 : 0)
        terminal.print(options.json ? json() : locksText(names, terminal))
        if (!options.json) for (const circle of circles) terminal.print(`deadlock: ${circle}`)
        if (more > 0) terminal.tell(`${figure(more)} more names are not shown`)
      }
      exit(
        where === null
          ? await throughDaemon(options, terminal, every, tell)
          : await asMember(where, terminal, every, tell),
      )
    })
}

type Tell = (overview: Overview, more: number) => void

/** Milliseconds between two looks; null for one look. */
function everyFrom(watch: string | true | undefined): number | null {
  if (watch === undefined) return null
  if (watch === true) return 1000
  const every = given('--watch', watch, () => duration(watch, 'a time between two looks'))
  if (every >= SHORTEST_LOOK_MS) return every
  throw new InvalidInput(
    `--watch: "${watch}" is shorter than ${SHORTEST_LOOK_MS}ms, the least time between two looks`,
  )
}

/** Every look asks all members. */
const SHORTEST_LOOK_MS = 100

function throughDaemon(
  options: DaemonOptions,
  terminal: Terminal,
  everyMs: number | null,
  tell: Tell,
): Promise<number> {
  const ask = async (client: Client) => {
    for (;;) {
      const answer = await client.ask('locks', {})
      if (answer.kind === 'refused') throw new NoDaemonError(answer.message)
      if (answer.kind !== 'locks') throw new NoDaemonError('the daemon sent an unexpected answer')
      tell(answer, answer.more)
      if (everyMs === null) return
      await sleep(everyMs)
    }
  }
  return askDaemon(options, terminal, ask, WAYS)
}

/** Who watches is a member all the time, and leaves in good order: otherwise the others would wait for its lease. */
async function asMember(
  where: Whereabouts,
  terminal: Terminal,
  everyMs: number | null,
  tell: Tell,
): Promise<number> {
  const ended = new AbortController()
  let by: NodeJS.Signals | null = null
  const end = (signal: NodeJS.Signals) => {
    by = signal
    ended.abort()
  }
  for (const signal of ENDINGS) process.once(signal, end)
  try {
    const code = await lookThere(terminal, async () => {
      const { locksAt } = await import('../../agent/place-view.ts')
      const told = async (overview: Overview) => {
        tell(overview, 0)
        return everyMs !== null && (await sleep(everyMs, true, { signal: ended.signal }).catch(() => false))
      }
      if (await locksAt(where, told)) return
      terminal.tell('no member is alive, so nobody holds anything')
      tell({ names: [], circles: [] }, 0)
    })
    return by === null ? code : 128 + constants.signals[by]
  } finally {
    for (const signal of ENDINGS) process.off(signal, end)
  }
}

const ENDINGS = ['SIGINT', 'SIGTERM'] as const

function locksText(names: readonly NameOverview[], terminal: Terminal): string {
  if (names.length === 0) return 'nobody holds anything, nobody waits'
  const rows = names.flatMap(({ name, kind, holders, waiters }) => {
    const first = kind === 'lock' ? printable(name) : `${printable(name)} (${kind})`
    const all = [
      ...holders.map((each) => ['holds', ...common(each), '–', each.fence, infoText(each)]),
      ...waiters.map((each) => ['waits', ...common(each), String(each.ahead ?? '–'), '–', infoText(each)]),
    ]
    return all.map((row, index) => [index === 0 ? first : '', ...row])
  })
  const columns = ['name', '', 'node', 'mode', 'for', 'ahead', 'fence', 'info']
  if (rows.some((row) => row.at(-1) !== '')) return table(terminal, columns, rows)
  return table(
    terminal,
    columns.slice(0, -1),
    rows.map((row) => row.slice(0, -1)),
  )
}

/** Of a group the names say more than the mode, which is always the same. */
function common({ node, mode, age, names }: Caller): string[] {
  return [node, names === undefined ? mode : printable(names.join(', ')), durationText(age)]
}

function infoText({ info }: Caller): string {
  return info === null ? '' : printable(shortInfo(info))
}

const HELP = `
Exit code: 0 the node or the members answered, 75 nobody answers, 2 bad input.

Examples:
  turnwise locks --watch --at ./locks
  turnwise locks --socket /run/turnwise/socket
  turnwise locks --watch 2s --socket /run/turnwise/socket
  turnwise locks --door door.json`
