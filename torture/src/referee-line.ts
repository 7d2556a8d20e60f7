/** A connection to the referee: one line of JSON for whatever is told. */
import { connect, type Socket } from 'node:net'
import type { Access, Hello, Order, Reply, Report } from './torture-messages.ts'

export class RefereeLine {
  readonly #socket: Socket
  readonly #waiting = new Map<number, (reply: Reply) => void>()

  private constructor(socket: Socket) {
    this.#socket = socket
    eachLine(socket, (text) => {
      const reply = JSON.parse(text) as Reply
      this.#waiting.get(reply.turn)?.(reply)
      this.#waiting.delete(reply.turn)
    })
  }

  /** `lost` is called when the referee is gone. */
  static open(port: number, hello: Hello, lost: () => void): Promise<RefereeLine> {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true })
    return new Promise((resolve, reject) => {
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        socket.on('error', () => {})
        socket.on('close', lost)
        const line = new RefereeLine(socket)
        line.#send(hello)
        resolve(line)
      })
    })
  }

  tell(what: Report | Order): void {
    this.#send(what)
  }

  /** A turn asks for one thing at a time. */
  access(what: Access): Promise<Reply> {
    return new Promise((resolve) => {
      this.#waiting.set(what.turn, resolve)
      this.#send(what)
    })
  }

  #send(what: Hello | Report | Access | Order): void {
    if (this.#socket.writable) this.#socket.write(`${JSON.stringify(what)}\n`)
  }

  close(): void {
    this.#socket.removeAllListeners('close')
    this.#socket.destroy()
  }
}

/** What a process that was killed had half said is not heard. */
export function eachLine(socket: Socket, hear: (text: string) => void): void {
  let rest = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) hear(line)
  })
}
