/** A client that says what it likes, byte for byte: `fetch` and `http.request` tidy up before they send. */
import { connect } from 'node:net'

/** Nothing here takes so long, on however busy a machine. */
const DEADLINE = 120_000

export interface Port {
  readonly port: number
}

/** All that is answered to these bytes until the connection ends. `false` leaves the last word to the other side. */
export function answerTo({ port }: Port, bytes: string | Uint8Array, isEnd = true): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true }, () => {
      socket.write(bytes)
      if (isEnd) socket.end()
    })
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer to ${JSON.stringify(String(bytes).slice(0, 200))}, only ${text}`))
    }, DEADLINE)
    socket.setEncoding('latin1').on('data', (piece: string) => (text += piece))
    // A server may hang up on us in the middle of what we say.
    socket.on('error', () => {})
    socket.on('end', () => socket.end())
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

/** A correct request, except for what is given. */
export function requestOf(target: string, more: Partial<Record<string, string>> = {}): string {
  const { method = 'GET', body = '', ...headers } = { host: 'localhost', connection: 'close', ...more }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`
}

/** 0 if the answer is none. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1] ?? 0)
}
