/** A connection for calls of gRPC with one question and one answer each, over HTTP/2. */
import * as http2 from 'node:http2'
import type { SecureContextOptions } from 'node:tls'
import { complaintOf, later } from './server-answers.ts'

export class GrpcError extends Error {
  /** Of gRPC; null if the server gave none. */
  readonly code: number | null
  /** False if the server certainly did not get the question. */
  readonly isSent: boolean

  constructor(message: string, code: number | null, isSent: boolean) {
    super(message)
    this.code = code
    this.isSent = isSent
  }
}

/** Bytes that a server may send before we have read: more than a list of a thousand rows. */
const WINDOW = 2 ** 20
/** Before a message: a byte that says whether it is compressed, and its length. */
const PREFIX = 5

export class GrpcConnection {
  /** `host:port` */
  readonly #name: string
  readonly #session: http2.ClientHttp2Session
  readonly #connected: Promise<void>
  #calls = 0
  #isRetired = false

  /** `connecting`: milliseconds for a connection. */
  constructor(name: string, tls: SecureContextOptions | null, connecting: number) {
    this.#name = name
    const options = {
      ...tls,
      keepAlive: true,
      noDelay: true,
      settings: { enablePush: false, initialWindowSize: WINDOW },
    }
    const session = http2.connect(`${tls ? 'https' : 'http'}://${name}`, options)
    this.#session = session
    this.#connected = new Promise((resolve, reject) => {
      let why: unknown = new Error('the connection ended')
      const dismiss = later(connecting, () => session.destroy(new Error('no answer in time')))
      session.once('connect', () => {
        dismiss()
        session.setLocalWindowSize(WINDOW)
        resolve()
      })
      session.on('error', (error) => {
        why = error
      })
      session.once('close', () => {
        dismiss()
        reject(this.#failure(why, false))
      })
    })
    // Only those that call want to know.
    this.#connected.catch(() => {})
  }

  /** Whether another call may be made. If not, those that are under way still end. */
  get isOpen(): boolean {
    return !this.#isRetired && !this.#session.closed && !this.#session.destroyed
  }

  /** Milliseconds of `patience` for the answer. Rejects with a `GrpcError`. */
  async call(
    path: string,
    question: Buffer,
    metadata: Readonly<Record<string, string>>,
    patienceMs: number,
  ): Promise<Buffer> {
    // Only a call keeps the process alive.
    this.#calls += 1
    this.#session.ref()
    try {
      await this.#connected
      return await this.#exchange(path, question, metadata, patienceMs)
    } finally {
      this.#calls -= 1
      if (this.#calls === 0) this.#session.unref()
    }
  }

  #exchange(
    path: string,
    question: Buffer,
    metadata: Readonly<Record<string, string>>,
    patienceMs: number,
  ): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const stream = this.#begin(path, metadata)
      const parts: Buffer[] = []
      let said: http2.IncomingHttpHeaders = {}
      let why: unknown = null
      const dismiss = later(patienceMs, () => stream.destroy(new Error('no answer in time')))
      // A server that refuses at once sends its status with the headers.
      stream.on('response', (headers) => (said = { ...said, ...headers }))
      stream.on('trailers', (trailers) => (said = { ...said, ...trailers }))
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('error', (error) => (why = error))
      stream.on('close', () => {
        dismiss()
        try {
          if (why !== null) throw this.#failure(why, true)
          resolve(this.#answer(said, Buffer.concat(parts)))
        } catch (error) {
          reject(error)
        }
      })
      stream.end(framed(question))
    })
  }

  #begin(path: string, metadata: Readonly<Record<string, string>>): http2.ClientHttp2Stream {
    try {
      return this.#session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...metadata,
      })
    } catch (error) {
      throw this.#failure(error, false)
    }
  }

  #answer(said: http2.IncomingHttpHeaders, body: Buffer): Buffer {
    const status = said['grpc-status']
    if (status === undefined) {
      const answered = said[':status']
      const what = answered === undefined ? 'the connection ended' : `it answered ${String(answered)}`
      throw this.#failure(new Error(`${what} without a status of gRPC`), true)
    }
    if (status !== '0') throw new GrpcError(messageIn(said, String(status)), Number(status), true)
    if (body.length < PREFIX || body[0] !== 0 || body.readUInt32BE(1) !== body.length - PREFIX)
      throw this.#failure(new Error('its answer is no message'), true)
    return body.subarray(PREFIX)
  }

  /** The connection may be dead or lead to a server that stands still. So it gets no further call. */
  #failure(error: unknown, isSent: boolean): GrpcError {
    if (!this.#isRetired) {
      this.#isRetired = true
      this.#session.close()
    }
    return new GrpcError(`${this.#name}: ${complaintOf(error)}`, null, isSent)
  }

  /** Ends the calls that are under way, too. */
  close(): void {
    this.#isRetired = true
    this.#session.destroy()
  }
}

function framed(message: Buffer): Buffer {
  const frame = Buffer.alloc(PREFIX + message.length)
  frame.writeUInt32BE(message.length, 1)
  message.copy(frame, PREFIX)
  return frame
}

/** What a server says is encoded like a part of a URL. */
function messageIn(said: http2.IncomingHttpHeaders, status: string): string {
  const text = String(said['grpc-message'] ?? `it answered with status ${status} of gRPC`)
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
