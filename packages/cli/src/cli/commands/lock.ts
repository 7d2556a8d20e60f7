import { Buffer } from 'node:buffer'
import { InvalidInput, wholeNumber } from '@turnwise/core/invalid-input'
import type { Wanted } from '@turnwise/mesh/daemon/control-messages'
import { exclusive } from '@turnwise/mesh/daemon/wanted'
import { readNames, readWanted } from '@turnwise/mesh/locks/group'
import { LONGEST_INFO } from '@turnwise/mesh/transport/standing-check'
import { type Command, Option } from 'commander'
import { duration } from '../../terminal/duration.ts'
import { given } from '../../terminal/input.ts'
import type { Terminal } from '../../terminal/terminal.ts'
import { AT_OPTION, doorOption, MESH_OPTION, SOCKET_OPTION } from '../daemon-options.ts'
import { type Holder, runUnder } from '../under-lock.ts'

interface WaitingOptions extends Holder {
  /** Not undefined but true unless --no-wait is given. */
  readonly wait: boolean
  readonly timeout?: string
  readonly info?: string
}

interface LockOptions extends WaitingOptions {
  readonly shared?: true
  readonly steal?: true
  readonly permits?: string
  readonly priority?: string
  readonly of?: string
  readonly take?: string
}

/** As many as a semaphore has. */
const MOST_PERMITS = 64

/** In characters: of a list of names that cannot be used. */
const LONGEST_TOLD = 60

export function addLock(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = program
    .command('lock')
    .summary('run a command while a lock is held')
    .description(
      'Acquires a lock, runs a command, and releases the lock. --at joins the processes that meet at a directory or ' +
        'a database. --socket asks a daemon on this machine, --door one on another machine. --config joins as a node. ' +
        'The command has TURNWISE_LOCK and TURNWISE_FENCE in its environment, and TURNWISE_NAMES for a group.',
    )
    .argument('<name>', 'of the lock')
    .argument('[command...]', 'the command to run, after --')
    .option('--shared', 'share the lock with other holders that use --shared')
    .addOption(
      new Option('--steal', 'take the lock from its holder').conflicts(['shared', 'wait', 'permits']),
    )
    .addOption(
      new Option(
        '--permits <count>',
        `a semaphore: how many are inside together, 1 to ${MOST_PERMITS}`,
      ).conflicts('shared'),
    )
    .addOption(
      new Option(
        '--priority <number>',
        'go ahead of waiters with a lower number, at any node (default: 0)',
      ).conflicts('permits'),
    )
    .addOption(
      new Option('--of <names>', 'the names of a group, separated by commas').conflicts([
        'shared',
        'steal',
        'permits',
        'priority',
        'wait',
      ]),
    )
    .option('--take <names>', 'with --of: which of its names to hold together, separated by commas')
  holderOptions(command, 'the lock', 'somebody holds it or waits for it, as flock -n does')
    .addHelpText('after', HELP)
    .action(async (name: string, words: readonly string[], options: LockOptions) => {
      const wanted = lockWanted(name, options)
      requireCommand(words, 'lock')
      exit(await runUnder(wanted, words, options, terminal))
    })
}

export function addLead(program: Command, terminal: Terminal, exit: (code: number) => void): void {
  const command = program
    .command('lead')
    .summary('run a command while this node leads')
    .description(
      'Waits until this node leads, and runs a command while it leads. Other callers that campaign under the same name ' +
        'wait meanwhile. The command has TURNWISE_LOCK and TURNWISE_FENCE in its environment.',
    )
    .argument('<name>', 'of the election')
    .argument('[command...]', 'the command to run, after --')
  holderOptions(command, 'the lead', 'somebody leads or waits to lead')
    .addHelpText('after', LEAD_HELP)
    .action(async (name: string, words: readonly string[], options: WaitingOptions) => {
      const wanted = { ...plain(name, 'an election'), ...waitFrom(options), what: 'election' } as const
      requireCommand(words, 'lead')
      exit(await runUnder(wanted, words, options, terminal))
    })
}

function holderOptions(command: Command, what: string, taken: string): Command {
  return command
    .option('--no-wait', `exit with 75 if ${taken}`)
    .option('--timeout <time>', `how long to wait for ${what}, such as 30s (default: no limit)`)
    .option(
      '--info <value>',
      `what turnwise locks shows beside ${what}: JSON or a text, at most ${LONGEST_INFO} bytes`,
    )
    .addOption(new Option('--at <place>', AT_OPTION).conflicts(['socket', 'config']))
    .addOption(new Option('--mesh <name>', MESH_OPTION).conflicts(['socket', 'config']))
    .option(
      '--lease <time>',
      'with --at: how long the others wait for a silent member (default: that of the mesh, or 2s)',
    )
    .option('--socket <path>', SOCKET_OPTION)
    .addOption(new Option('--config <file>', 'join as the node that this file describes').conflicts('socket'))
    .addOption(doorOption())
    .addOption(
      new Option(
        '--daemon-within <time>',
        'how long to wait for a daemon that is not there, or restarts (default: do not wait)',
      ).conflicts(['config', 'at']),
    )
    .option('--id <name>', 'with --config: the name of the node, if the file has none')
}

function plain(name: string, what: string): Wanted {
  if (name.startsWith('-') || name === '' || name.length > 250) {
    const allowed = `of ${what}: 1 to 250 characters, and not "-" first`
    throw new InvalidInput(`"${name.slice(0, 40)}" is not the name ${allowed}`)
  }
  return exclusive(name)
}

function lockWanted(name: string, options: LockOptions): Wanted {
  const { shared, steal, permits, priority, of, take } = options
  const wanted: Wanted = {
    ...plain(name, 'a lock'),
    ...waitFrom(options),
    mode: shared ? 'shared' : 'exclusive',
    ...(steal && { how: 'steal' }),
    ...(priority !== undefined && { priority: given('--priority', priority, () => priorityFrom(priority)) }),
  }
  if (of !== undefined || take !== undefined) return { ...wanted, ...stayFrom(wanted, of, take) }
  if (permits === undefined) return wanted
  const count = given('--permits', permits, () =>
    wholeNumber(permits, 'a number of permits', 1, MOST_PERMITS),
  )
  return { ...wanted, what: 'semaphore', permits: count }
}

function stayFrom({ name, how }: Wanted, of?: string, take?: string): Pick<Wanted, 'what' | 'group'> {
  if (of === undefined) throw new InvalidInput('--take needs --of, the names of the group')
  if (take === undefined) throw new InvalidInput('--of needs --take, the names to hold')
  if (how === 'now')
    throw new InvalidInput('--timeout 0 does not wait, and a request to a group (--of) waits')
  const listed = <Value>(option: string, text: string, read: (names: readonly string[]) => Value): Value => {
    try {
      return read(namesFrom(text))
    } catch (error) {
      const told = text.length > LONGEST_TOLD ? `${text.slice(0, LONGEST_TOLD)}…` : text
      throw new InvalidInput(`${option} ${told || '""'}: ${(error as Error).message}`, { cause: error })
    }
  }
  const names = listed('--of', of, (all) => readNames(name, all))
  const taken = listed('--take', take, (some) => readWanted(name, names, some))
  return { what: 'group', group: { names, resources: taken.map((each) => names.indexOf(each)) } }
}

/** Another list is another group, and its callers are inside together. So a slip must not make another list. */
function namesFrom(text: string): readonly string[] {
  const names = text.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidInput('a name is empty')
  return names
}

function priorityFrom(text: string): number {
  return wholeNumber(text, 'a priority', Number.MIN_SAFE_INTEGER)
}

/** As flock has it: no time to wait is not to wait. */
function waitFrom({
  wait,
  timeout: time,
  info: said,
}: WaitingOptions): Pick<Wanted, 'how' | 'timeout' | 'info'> {
  const timeout = timeoutFrom(time)
  const info = infoFrom(said)
  return wait && timeout !== 0
    ? { how: 'wait', timeout, info }
    : { how: 'now', timeout: timeout === 0 ? null : timeout, info }
}

/** What is not JSON is a text. */
function infoFrom(said: string | undefined): string | null {
  if (said === undefined) return null
  const json = asJson(said)
  const length = Buffer.byteLength(json)
  if (length <= LONGEST_INFO) return json
  throw new InvalidInput(`--info has ${length} bytes as JSON, at most ${LONGEST_INFO} are allowed`)
}

function asJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return JSON.stringify(text)
  }
}

/** `0` needs no unit. */
function timeoutFrom(text: string | undefined): number | null {
  if (text === undefined) return null
  return text === '0' ? 0 : given('--timeout', text, () => duration(text, 'a time to wait'))
}

function requireCommand(words: readonly string[], command: string): void {
  if (words.length === 0) throw new InvalidInput(`no command is given: turnwise ${command} NAME -- COMMAND …`)
}

const HELP = `
Exit code: that of the command, or 128 and the number of the signal that ended it; 75 the lock was not acquired (taken,
timed out, no quorum, no daemon), 76 it was lost and the command was ended, 126 or 127 the command cannot be run, 2 bad input.

Examples:
  turnwise lock nightly --at ./locks -- ./backup.sh
  turnwise lock backup --timeout 30s --socket /run/turnwise/socket -- pg_dump -f dump.sql shop
  turnwise lock report --shared --config node.json -- sh -c 'make report FENCE=$TURNWISE_FENCE'
  turnwise lock hotfix --priority 10 --socket /run/turnwise/socket -- ./deploy.sh
  turnwise lock nightly --no-wait --socket /run/turnwise/socket -- ./nightly.sh
  turnwise lock downloads --permits 4 --socket /run/turnwise/socket -- ./download.sh
  turnwise lock stock --of east,north,west --take east,west --at ./locks -- ./move.sh
  turnwise lock nightly --info '{"job":4711}' --at ./locks -- ./nightly.sh
  turnwise lock nightly --door door.json -- ./nightly.sh`

const LEAD_HELP = `
Exit code: that of the command, or 128 and the number of the signal that ended it; 75 it never led (timed out, no quorum, no
daemon), 76 it lost the lead and the command was ended, 126 or 127 the command cannot be run, 2 bad input.

Example:
  turnwise lead scheduler --socket /run/turnwise/socket -- ./scheduler`
