import { constants } from 'node:os'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import { LAST_EPOCH } from '@turnwise/mesh/protocol/fence'
import { isZone, ZONE_RULE } from '@turnwise/mesh/protocol/zones'
import { readPlace } from '@turnwise/mesh/register/place'
import { secretComplaint } from '@turnwise/mesh/security/security'
import { type Command, Option } from 'commander'
import type { Agent } from '../../agent/agent.ts'
import {
  CONFIG_FIELDS,
  NO_FILE,
  type NodeConfig,
  type PageWish,
  pageWish,
  readNodeConfig,
  requirePlaceFits,
} from '../../agent/config.ts'
import { LEVELS, type Level } from '../../agent/log-level.ts'
import { given, inField } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { AT_OPTION, MESH_OPTION, meshFrom } from '../daemon-options.ts'

interface NodeOptions {
  readonly at?: string
  readonly mesh?: string
  readonly config?: string
  readonly id?: string
  readonly zone?: string
  readonly socket?: string
  readonly jsonLogs?: true
  readonly logLevel?: Level
  readonly genesis?: number
  readonly page?: string | true
}

/** The daemon could not join, or fell out of its mesh: not the fault of what was typed. */
const FAILED = 1

export function addNode(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  program
    .command('node')
    .summary('run one member of a mesh as a daemon')
    .description(
      'Runs one member of a mesh in the foreground, until SIGTERM or SIGINT. Programs of the same user on ' +
        'the same machine talk to it over its control socket: turnwise lock, status and locks.',
    )
    .option('--at <place>', AT_OPTION)
    .option('--mesh <name>', MESH_OPTION)
    .option('--config <file>', `JSON with any of ${CONFIG_FIELDS.join(', ')}`)
    .option(
      '--id <name>',
      'the name of this node among the peers (default: that in the file); with --at it is only a label',
    )
    .option(
      '--zone <name>',
      'where this node runs, such as eu-west (default: that in the file, or TURNWISE_ZONE)',
    )
    .option('--socket <path>', 'the control socket (default: that in the file, or one in its stateDir)')
    .addOption(
      new Option(
        '--log-level <level>',
        'log lines of this level and above (default: that in the file, or info)',
      ).choices(LEVELS),
    )
    .option('--json-logs', 'log JSON objects, on a terminal too')
    .option(
      '--page [address]',
      'serve a page that shows the mesh in a browser (default: as in the file; without an address any free port of 127.0.0.1)',
    )
    .option(
      '--genesis <epoch>',
      'only if a majority of disks is lost for good: begin a new first view with this epoch. It must be above every epoch ' +
        'ever used (if you do not know them: $((34359738368 + $(date +%s))))',
      (text) => given('--genesis', text, () => wholeNumber(text, 'an epoch', 1, LAST_EPOCH)),
    )
    .addHelpText('after', HELP)
    .action(async (options: NodeOptions) => {
      const config = configFrom(options)
      const socket = options.socket ?? config.socket
      if (socket === null) {
        throw new InvalidInput(
          'a node needs a control socket: give --socket, or set socket or stateDir in the file',
        )
      }
      // What a daemon needs to log and to count takes a while to load, and other commands do without.
      const [daemon, { loggerTo }] = await Promise.all([
        import('../../agent/agent.ts'),
        import('../../agent/log.ts'),
      ])
      const form = terminal.redraw === null || options.jsonLogs ? 'json' : 'text'
      const logger = loggerTo((line) => terminal.tell(line), form, options.logLevel ?? config.logLevel)
      const page = options.page === undefined ? config.page : pageFrom(options.page, config.page)
      exit(await run(new daemon.Agent({ ...config, page }, logger), socket))
    })
}

/** What the file says, and before that what was typed. */
function configFrom({ at, mesh, config: file, id, zone, genesis }: NodeOptions): NodeConfig {
  if (at === undefined && file === undefined)
    throw new InvalidInput('no mesh is given: give --at or --config')
  const config =
    file === undefined
      ? { ...NO_FILE, join: id === undefined ? {} : { id } }
      : given('--config', file, () => readNodeConfig(file, id))
  const join = {
    ...secretFrom(process.env.TURNWISE_SECRET, at ?? config.join.at),
    ...config.join,
    ...(at !== undefined && { at }),
    ...(mesh !== undefined && { mesh: meshFrom(mesh) }),
    ...(zone !== undefined && { zone: given('--zone', zone, () => zoneFrom(zone)) }),
    ...(genesis !== undefined && { genesis: { epoch: genesis } }),
  }
  inField(at === undefined ? '--config' : '--at', () => requirePlaceFits(join))
  return { ...config, join }
}

function zoneFrom(zone: string): string {
  if (isZone(zone)) return zone
  throw new InvalidInput(`expected ${ZONE_RULE}`)
}

/** From the environment, where a container gets it; what the file says counts before that. In a directory nobody proves anything. */
function secretFrom(secret: string | undefined, at: string | undefined): { readonly secret?: string } {
  if (secret === undefined || (at !== undefined && readPlace(at).engine === 'directory')) return {}
  const complaint = secretComplaint(secret)
  if (complaint !== null) throw new InvalidInput(`TURNWISE_SECRET: ${complaint}`)
  return { secret }
}

const NO_WISH = { token: null, hosts: [], tls: null, insecure: false }

/** The option says where, the file what has to be known to look. */
function pageFrom(option: string | true, inFile: PageWish | null): PageWish {
  const listen = option === true ? '127.0.0.1:0' : option
  return given('--page', listen, () => pageWish(listen, inFile ?? NO_WISH))
}

async function run(agent: Agent, socket: string): Promise<number> {
  await agent.start(socket)
  const signals = new AbortController()
  const ended = endingBySignal(agent, signals.signal)
  const fell = agent.joined.then(
    async (mesh) => {
      await agent.watch(mesh)
      return agent.isEnding ? ended : fallen(agent, 'the node has dropped out of its mesh')
    },
    async (error: unknown) => {
      if (agent.isEnding) return ended
      if (error instanceof InvalidInput) {
        await agent.abandon()
        throw error
      }
      return fallen(agent, `cannot join: ${error instanceof Error ? error.message : String(error)}`)
    },
  )
  return Promise.race([ended, fell]).finally(() => signals.abort())
}

async function fallen(agent: Agent, reason: string): Promise<number> {
  agent.log.warn(reason)
  await agent.abandon()
  return FAILED
}

/** The first signal leaves in good order, the second does not wait for it. */
function endingBySignal(agent: Agent, over: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const hear = () => {
        count += 1
        if (count > 1) {
          agent.log.warn('ended at once', { reason: signal })
          process.exit(128 + constants.signals[signal])
        }
        // A node that still tries to join cannot be called back, and has nothing to give back.
        agent.end(signal).then((hadJoined) => (hadJoined ? resolve(0) : process.exit(0)), reject)
      }
      process.on(signal, hear)
      over.addEventListener('abort', () => process.off(signal, hear))
    }
  })
}

const HELP = `
Exit code: 0 it left its mesh in good order, 1 it could not join or dropped out, 2 bad input. A second signal ends it at
once: then 128 and the number of the signal.

If the file has no secret or zone, the node takes TURNWISE_SECRET and TURNWISE_ZONE of the environment.

Examples:
  turnwise node --at ./locks --socket run/socket
  turnwise node --config a.json

Example of a file:
  { "id": "a", "stateDir": "state-a",
    "peers": { "a": "127.0.0.1:7101", "b": "127.0.0.1:7102", "c": "127.0.0.1:7103" } }`
