import { NoDaemonError } from '@turnwise/mesh/locks/errors'
import type { Command } from 'commander'
import type { Terminal } from '../../terminal/terminal.ts'
import { askDaemon, type DaemonOptions, daemonAddress } from '../daemon-options.ts'

export function addMetrics(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  daemonAddress(program.command('metrics'))
    .summary("the metrics of a running node, in Prometheus' format")
    .description(
      'Asks a running turnwise node for its metrics: turns, waits, holds, losses, views, the lease. With "metrics" in ' +
        'its file the node serves the same text over HTTP.',
    )
    .addHelpText('after', HELP)
    .action(async (options: DaemonOptions) => {
      const code = await askDaemon(options, terminal, async (client) => {
        const answer = await client.ask('metrics', {})
        if (answer.kind !== 'metrics') throw new NoDaemonError('the daemon sent an unexpected answer')
        terminal.print(answer.text.trimEnd())
      })
      exit(code)
    })
}

const HELP = `
Exit code: 0 the node answered, 75 nobody answers, 2 bad input.`
