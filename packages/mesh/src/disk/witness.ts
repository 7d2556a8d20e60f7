/**
 * A listening socket is a witness that its process lives: the system closes it together with the process, however that ends. A
 * file that names a process cannot tell that, and a process number may be somebody else's by now, or one of another container.
 */
import { connect, createServer } from 'node:net'

/** Addresses of sockets are short on all systems; this is what fits everywhere, with the name of a socket after it. */
export const LONGEST_PATH = process.platform === 'win32' ? 200 : 88

/** Listens there until the function that is returned is called, or this process ends. */
export function witness(path: string): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    // Whoever connects only wants to know that somebody is here.
    const server = createServer((socket) => {
      socket.on('error', () => socket.destroy())
      socket.end()
    })
    const close = () => new Promise<void>((closed) => void server.close(() => closed()))
    server.once('error', reject)
    // Exclusive, or the processes of a cluster would share it. A witness alone keeps no process running.
    server.listen({ path, exclusive: true }, () => resolve(close)).unref()
  })
}

/**
 * Only a refusal proves that a process is dead: all its threads have let go of their files. A process that is stopped, or too
 * busy to answer, is alive. `missing`: nothing is there, and nothing is proved.
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
