import { InvalidInput } from '@turnwise/core/invalid-input'
import { type Command, Option } from 'commander'
import { Client, NoDaemon } from '../agent/client.ts'
import { given } from './input.ts'
import type { Terminal } from './terminal.ts'

export interface DaemonOptions {
  readonly socket?: string
  readonly config?: string
  readonly id?: string
  readonly json?: true
}

export const SOCKET_OPTION = 'the control socket of a running turnwise node (default: TURNWISE_SOCKET)'

/** Where no --config is. */
export function socketGiven(
  option: string | undefined,
  ways = '--socket (or TURNWISE_SOCKET) or --config',
): string {
  const path = option ?? process.env.TURNWISE_SOCKET
  if (path === undefined || path === '') {
    throw new InvalidInput(`give ${ways}`)
  }
  return path
}

/** What those who ask a daemon know of it. */
export function daemonAddress(command: Command): Command {
  return command
    .option('--socket <path>', SOCKET_OPTION)
    .addOption(new Option('--config <file>', 'the file that the node was started with').conflicts('socket'))
    .option('--id <name>', 'with --config: the name of the node, if the file has none')
}

export function daemonOptions(command: Command): Command {
  return daemonAddress(command).option('--json', 'print it as JSON')
}

const NO_ANSWER = 75

/** Asks, and returns the exit code: 0, or 75 if nobody answers. */
export async function askDaemon(
  options: DaemonOptions,
  terminal: Terminal,
  ask: (client: Client) => Promise<void>,
): Promise<number> {
  const path = await socketOf(options)
  let client: Client | null = null
  try {
    client = await Client.open(path)
    await ask(client)
    return 0
  } catch (error) {
    if (!(error instanceof NoDaemon)) throw error
    terminal.tell(`turnwise: ${error.message}`)
    return NO_ANSWER
  } finally {
    client?.close()
  }
}

async function socketOf({ socket, config, id }: DaemonOptions): Promise<string> {
  if (config === undefined) return socketGiven(socket)
  const { readNodeConfig } = await import('../agent/config.ts')
  const named = given('--config', config, () => readNodeConfig(config, id)).socket
  if (named === null) throw new InvalidInput(`--config: ${config} names neither socket nor stateDir`)
  return named
}
