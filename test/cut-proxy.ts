/**
 * Stands between a register and its server, and cuts a connection in the middle of a question or of an answer. The relay of the fleet cuts
 * links, whatever passes on them; this one has to see what passes.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Milliseconds for an answer: however busy the machine is, it comes before. */
export const LONG = { patience: 120_000 }

export interface CutProxy {
  readonly port: number
  /** The next question that contains this text is lost on its way; or it arrives, and its answer is lost. */
  cutNext(what: 'question' | 'answer', text?: string): void
  close(): Promise<void>
}

/** `isAnswer`: whether a server that sends these bytes answers a question. By default they always do. */
export async function cutProxy(
  port: number,
  isAnswer: (bytes: Buffer) => boolean = () => true,
): Promise<CutProxy> {
  const open = new Set<Socket>()
  let cut: { readonly what: 'question' | 'answer'; readonly text: string } | null = null
  /** On this connection a question is under way whose answer shall be lost. */
  const doomed = new WeakSet<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      open.add(socket)
      socket.on('error', end).on('close', () => {
        open.delete(socket)
        end()
      })
    }
    client.on('data', (bytes) => {
      // A client also says other things, such as what a connection of HTTP/2 needs.
      if (cut !== null && bytes.includes(cut.text)) {
        const { what } = cut
        cut = null
        if (what === 'question') return end()
        doomed.add(client)
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => (doomed.has(client) && isAnswer(bytes) ? end() : client.write(bytes)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    cutNext: (what, text = '') => void (cut = { what, text }),
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
