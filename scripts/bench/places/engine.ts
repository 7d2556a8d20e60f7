/** Where members of the benchmark meet, and what the engine there has worked. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { placeAt, startServer } from '../../../test/servers.ts'

export const ENGINES = ['directory', 'postgres', 'etcd'] as const
export type EngineName = (typeof ENGINES)[number]

export interface Engine {
  readonly place: string
  /** Where members listen: not beyond this machine. */
  readonly listen: string | undefined
  /** Seconds of processor time of the engine, its children included; null for a directory, which has none. */
  worked(): number | null
  end(): Promise<void>
}

export async function startEngine(name: EngineName): Promise<Engine> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tw-places-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  if (name === 'directory') {
    return {
      place: path.join(folder, 'locks'),
      listen: undefined,
      worked: () => null,
      end: () => Promise.resolve(remove()),
    }
  }
  const engine = name === 'etcd' ? 'etcd' : 'postgresql'
  const server = await startServer(engine, folder)
  return {
    place: placeAt(engine, `127.0.0.1:${server.port}`),
    listen: '127.0.0.1:0',
    worked: () => secondsOf(server.pid),
    async end() {
      await server.end()
      remove()
    },
  }
}

/** Of a second, in /proc. */
const TICKS = 100

/** Of this process and those below it, the ended ones that were waited for included. */
function secondsOf(root: number): number {
  const below = new Map<number, { readonly parent: number; readonly ticks: number }>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
      // The name of a program may have spaces, and ends with the last bracket.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
      below.set(Number(pid), { parent: Number(fields[1]), ticks })
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (pid: number): boolean =>
    pid === root || (pid > 1 && below.has(pid) && isBelow(below.get(pid)?.parent ?? 0))
  let ticks = 0
  for (const [pid, own] of below) if (isBelow(pid)) ticks += own.ticks
  return ticks / TICKS
}
