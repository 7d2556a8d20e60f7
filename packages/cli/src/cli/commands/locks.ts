import type { Command } from 'commander'
import { NoDaemon } from '../../agent/client.ts'
import type { NameOverview } from '../../agent/protocol.ts'
import { askDaemon, type DaemonOptions, daemonOptions } from '../daemon-options.ts'
import { durationText } from '../duration.ts'
import { table } from '../table.ts'
import { figure, type Terminal } from '../terminal.ts'

export function addLocks(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  daemonOptions(program.command('locks'))
    .summary('who holds and who waits, in the whole mesh')
    .description(
      'Asks a running turnwise node, which asks all members: who holds what, since when and with which fence, and who ' +
        'waits, the longest first. Who of them is next is for the algorithm to decide.',
    )
    .addHelpText('after', HELP)
    .action(async (options: DaemonOptions) => {
      const code = await askDaemon(options, terminal, async (client) => {
        const answer = await client.ask('locks', {})
        if (answer.kind === 'refused') throw new NoDaemon(answer.message)
        if (answer.kind !== 'locks') throw new NoDaemon('the daemon sent an unexpected answer')
        const { names, more } = answer
        terminal.print(options.json ? JSON.stringify({ names, more }, null, 2) : locksText(names, terminal))
        if (more > 0) terminal.tell(`${figure(more)} more names are not shown`)
      })
      exit(code)
    })
}

function locksText(names: readonly NameOverview[], terminal: Terminal): string {
  if (names.length === 0) return 'nobody holds anything, nobody waits'
  const rows = names.flatMap(({ name, kind, holders, waiters }) => {
    const first = kind === 'lock' ? printable(name) : `${printable(name)} (${kind})`
    const all = [
      ...holders.map(({ node, mode, age, fence }) => ['holds', node, mode, durationText(age), fence]),
      ...waiters.map(({ node, mode, age }) => ['waits', node, mode, durationText(age), '–']),
    ]
    return all.map((row, index) => [index === 0 ? first : '', ...row])
  })
  return table(terminal, ['name', '', 'node', 'mode', 'for', 'fence'], rows)
}

/** Names are chosen by programs, and a terminal obeys what it is sent. */
function printable(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}]/gu, (sign) => JSON.stringify(sign).slice(1, -1))
}

const HELP = `
Exit code: 0 the node answered, 75 nobody answers, 2 bad input.`
