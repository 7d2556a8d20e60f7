/**
 * The JSON gateway of etcd v3. One endpoint is used as long as it answers, then the next. A write is repeated elsewhere only if
 * it was certainly not sent: otherwise the first attempt may have happened.
 */
import { readFileSync } from 'node:fs'
import * as http from 'node:http'
import * as https from 'node:https'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { codeOf } from '../disk/witness.ts'
import { later } from './answers.ts'

export interface EtcdAddress {
  /** `host:port`, one or more. */
  readonly endpoints: readonly string[]
  readonly user?: string
  readonly password?: string
  /** Paths of files, for connections with TLS. Without `ca`: the authorities that Node trusts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

/** Errors while connecting that prove that nothing was sent. */
const NOT_SENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'TOOK_TOO_LONG']
/** A gRPC code: the token is unknown, or was made before permissions changed. Nothing was done. */
const UNAUTHENTICATED = 16
const OLD_TOKEN = /revision of auth store is old|invalid auth token/

export class EtcdError extends Error {
  readonly isSent: boolean

  constructor(message: string, isSent: boolean) {
    super(message)
    this.isSent = isSent
  }
}

interface Answer {
  readonly code?: number
  readonly error?: string
  readonly message?: string
}

export class EtcdGateway {
  readonly #address: EtcdAddress
  /** Milliseconds for an answer. */
  readonly #patience: number
  /** Milliseconds for a connection. With several endpoints it leaves time to try the others. */
  readonly #connecting: number
  readonly #agent: http.Agent
  readonly #request: typeof http.request
  /** The endpoint to use next. */
  #at = 0
  #token: Promise<string> | null = null

  constructor(address: EtcdAddress, patience: number) {
    this.#address = address
    this.#patience = patience
    this.#connecting = patience / address.endpoints.length
    const kept = { keepAlive: true, maxSockets: 8 }
    const { tls } = address
    this.#request = tls ? https.request : http.request
    this.#agent = tls ? new https.Agent({ ...kept, ...filesOf(tls) }) : new http.Agent(kept)
  }

  /** For calls that change nothing: every endpoint is tried. */
  read<Result>(call: string, body: object): Promise<Result> {
    return this.#ask(call, body, () => true)
  }

  /** Rejects with an error that says whether the write may have happened. */
  write<Result>(call: string, body: object): Promise<Result> {
    return this.#ask(call, body, (error) => !error.isSent)
  }

  async #ask<Result>(
    call: string,
    body: object,
    mayAskElsewhere: (error: EtcdError) => boolean,
  ): Promise<Result> {
    let failure = new EtcdError('no endpoint', false)
    // One attempt more than there are endpoints: a kept connection may lead to an endpoint that was restarted.
    for (const _ of ['', ...this.#address.endpoints]) {
      const endpoint = this.#at
      try {
        return await this.#authorized<Result>(call, body)
      } catch (error) {
        failure = error as EtcdError
        // Unless another call has already moved on.
        if (this.#at === endpoint) this.#at = (endpoint + 1) % this.#address.endpoints.length
        if (!mayAskElsewhere(failure)) break
      }
    }
    throw failure
  }

  /** Repeats the call with a fresh token if the present one was refused. */
  async #authorized<Result>(call: string, body: object): Promise<Result> {
    const { user, password = '' } = this.#address
    if (user === undefined) return (await this.#post(call, body)) as Result
    for (let attempt = 1; ; attempt += 1) {
      this.#token ??= this.#post('auth/authenticate', { name: user, password }).then(
        (answer) => (answer as { token: string }).token,
      )
      const asked = this.#token
      try {
        const token = await asked.catch((error: EtcdError) => {
          throw new EtcdError(error.message, false)
        })
        return (await this.#post(call, body, token)) as Result
      } catch (error) {
        if (this.#token === asked) this.#token = null
        if (attempt === 2 || (error as EtcdError).isSent || !OLD_TOKEN.test((error as EtcdError).message))
          throw error
      }
    }
  }

  async #post(call: string, body: object, token?: string): Promise<unknown> {
    const text = JSON.stringify(body)
    const { status, said } = await this.#exchange(call, text, token)
    let answer: Answer
    try {
      answer = JSON.parse(said) as Answer
    } catch {
      throw new EtcdError(`it answered ${status} without JSON`, true)
    }
    if (status === 200 && answer.error === undefined) return answer
    const message = answer.error ?? answer.message ?? `it answered ${status}`
    throw new EtcdError(message, answer.code !== UNAUTHENTICATED && !OLD_TOKEN.test(message))
  }

  #exchange(call: string, body: string, token?: string): Promise<{ status: number; said: string }> {
    return new Promise((resolve, reject) => {
      let isConnected = false
      const request = this.#begin(call, body, token, (response) => {
        let said = ''
        response.setEncoding('utf8')
        response.on('data', (text: string) => (said += text))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, said }))
        response.on('error', (error) => fail(error))
      })
      const fail = (error: Error) => {
        dismiss()
        const isSent = isConnected || !NOT_SENT.includes(codeOf(error) ?? '')
        reject(
          new EtcdError(`${this.#address.endpoints[this.#at]}: ${error.message || codeOf(error)}`, isSent),
        )
      }
      const tooLong = () =>
        request.destroy(
          Object.assign(new Error('no answer in time'), { code: isConnected ? 'SILENT' : 'TOOK_TOO_LONG' }),
        )
      let dismiss = later(this.#connecting, tooLong)
      const connected = () => {
        isConnected = true
        dismiss()
        dismiss = later(this.#patience, tooLong)
      }
      request.on('socket', (socket) => {
        if (!socket.connecting) connected()
        else socket.once('connect', connected)
      })
      request.on('error', fail)
      request.on('close', () => dismiss())
    })
  }

  #begin(
    call: string,
    body: string,
    token: string | undefined,
    heard: (response: http.IncomingMessage) => void,
  ): http.ClientRequest {
    const scheme = this.#address.tls ? 'https' : 'http'
    const url = `${scheme}://${this.#address.endpoints[this.#at]}/v3/${call}`
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...(token === undefined ? {} : { authorization: token }),
    }
    const request = this.#request(url, { method: 'POST', agent: this.#agent, headers }, heard)
    request.end(body)
    return request
  }

  close(): void {
    this.#agent.destroy()
  }
}

function filesOf(tls: NonNullable<EtcdAddress['tls']>): https.AgentOptions {
  const given = Object.entries(tls).filter(([, file]) => file !== undefined)
  return Object.fromEntries(
    given.map(([name, file]) => {
      try {
        return [name, readFileSync(file)]
      } catch (error) {
        throw new InvalidInput(`the file ${file} cannot be read: ${codeOf(error) ?? String(error)}`, {
          cause: error,
        })
      }
    }),
  )
}
