/** What some commands need of the system and the runtime. */
export interface Host {
  readonly platform: string
  readonly versions: Readonly<Record<string, string | undefined>>
}

/** They speak over sockets in a directory, or send signals that only Unix has. */
const ON_UNIX = ['node', 'lock', 'lead', 'status', 'locks', 'metrics', 'up', 'torture']
/** Their judges compare times that different processes noted; on Bun and Deno the clock starts with its process. */
const ON_NODE = ['up', 'torture']

/** Why a command cannot run here, or null. */
export function hostComplaint(command: string, { platform, versions }: Host): string | null {
  if (platform === 'win32' && ON_UNIX.includes(command))
    return `${command} needs a Unix system (Linux, macOS, WSL); the library, simulate, check and the lab work on Windows`
  if (('bun' in versions || 'deno' in versions) && ON_NODE.includes(command))
    return `${command} needs Node: its judges compare the clocks of processes, which this runtime does not share`
  return null
}
