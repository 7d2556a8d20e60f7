/**
 * A listening socket proves that its process lives: the system closes it with the process, however that ends. A file with a
 * process number cannot prove it: the number may be reused by now, or belong to another container.
 */
import { connect, createServer } from 'node:net'
import { listening } from '../transport/sockets.ts'

/** The longest path that leaves room for the name of a socket. Socket addresses are short on all systems. */
export const LONGEST_PATH = process.platform === 'win32' ? 200 : 88

/** Listens there until the returned function is called, or this process ends. */
export async function witness(path: string): Promise<() => Promise<void>> {
  // A process that connects only wants to know that this one lives. It may be stopped before it hangs up, so it is not waited for.
  const server = createServer((socket) => void socket.destroy())
  // Exclusive, or the processes of a cluster would share it. A witness alone does not keep its process alive.
  await listening(server.unref(), { path, exclusive: true })
  return () => new Promise<void>((closed) => void server.close(() => closed()))
}

/**
 * Only a refused connection proves that a process is dead: all its threads have closed their files. A process that is stopped, or
 * too busy to answer, is alive. `missing`: there is no socket, which proves nothing.
 */
export function askWitness(path: string): Promise<'alive' | 'dead' | 'missing'> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.on('connect', () => {
      socket.destroy()
      resolve('alive')
    })
    socket.on('error', (error) => {
      const code = codeOf(error)
      resolve(code === 'ECONNREFUSED' ? 'dead' : code === 'ENOENT' ? 'missing' : 'alive')
    })
  })
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
