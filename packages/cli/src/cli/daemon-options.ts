import { InvalidInput, invalid } from '@turnwise/core/invalid-input'
import { Client, type Far } from '@turnwise/mesh/daemon/line-client'
import { NoDaemonError } from '@turnwise/mesh/locks/errors'
import { type Command, Option } from 'commander'
import type { Whereabouts } from '../agent/place-view.ts'
import { given } from '../terminal/input.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface DaemonOptions {
  readonly at?: string
  readonly mesh?: string
  readonly socket?: string
  readonly config?: string
  readonly id?: string
  readonly door?: string
  readonly json?: true
}

export const SOCKET_OPTION = 'the control socket of a running turnwise node (default: TURNWISE_SOCKET)'

export const WAYS = '--at, --socket (or TURNWISE_SOCKET), --config or --door'

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

export async function doorGiven(file: string): Promise<Far> {
  const { readDoorFile } = await import('../agent/door-file.ts')
  return given('--door', file, () => readDoorFile(file))
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

export function doorOption(): Option {
  return new Option(
    '--door <file>',
    'ask a daemon on another machine: a file with door, client, and token or tls',
  ).conflicts(['socket', 'config', 'at'])
}

export const AT_OPTION = 'join the processes that meet here: ./locks, postgres://… or etcd://…'
export const MESH_OPTION = 'with --at: which of the meshes that meet there (default: mesh)'

/** As in a file of a node. */
const LONGEST_MESH = 255

export function meshFrom(name: string): string {
  if (name.length >= 1 && name.length <= LONGEST_MESH) return name
  throw invalid(name.slice(0, 40), `the name of a mesh, for --mesh: 1 to ${LONGEST_MESH} characters`)
}

/** Of those who can do without a daemon. */
export function placeOptions(command: Command, what: string): Command {
  return command
    .addOption(new Option('--at <place>', what).conflicts(['socket', 'config']))
    .addOption(new Option('--mesh <name>', MESH_OPTION).conflicts(['socket', 'config']))
    .addOption(doorOption())
}

/** The mesh that --at names, if it is given. */
export function whereabouts({ at, mesh }: DaemonOptions): Whereabouts | null {
  return at === undefined ? null : { at, mesh: mesh === undefined ? undefined : meshFrom(mesh) }
}

/** Also of a node that answers, and is not ready. */
export const NO_ANSWER = 75

/** Looks at a place, and returns the exit code: 0, or 75 if nobody is there to be seen. */
export async function lookThere(terminal: Terminal, look: () => Promise<void>): Promise<number> {
  try {
    await look()
    return 0
  } catch (error) {
    // By its name: the class would bring a member with it, and who asks a daemon does without.
    if (!(error instanceof Error) || error.name !== 'NobodyThere') throw error
    terminal.tell(`turnwise: ${error.message}`)
    return NO_ANSWER
  }
}

/** Asks, and returns the exit code: 0, or 75 if nobody answers. */
export async function askDaemon(
  options: DaemonOptions,
  terminal: Terminal,
  ask: (client: Client) => Promise<void>,
  ways?: string,
): Promise<number> {
  const where = await daemonOf(options, ways)
  let client: Client | null = null
  try {
    client = await Client.open(where)
    await ask(client)
    return 0
  } catch (error) {
    if (!(error instanceof NoDaemonError)) throw error
    terminal.tell(`turnwise: ${error.message}`)
    return NO_ANSWER
  } finally {
    client?.close()
  }
}

async function daemonOf({ socket, config, id, door }: DaemonOptions, ways?: string): Promise<string | Far> {
  if (door !== undefined) return doorGiven(door)
  if (config === undefined) return socketGiven(socket, ways)
  const { readNodeConfig } = await import('../agent/config.ts')
  const named = given('--config', config, () => readNodeConfig(config, id)).socket
  if (named === null) throw new InvalidInput(`--config: ${config} names neither socket nor stateDir`)
  return named
}
