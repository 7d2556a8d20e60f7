/**
 * Calls of etcd v3 by gRPC. One endpoint is used as long as it answers, then the next. A write is repeated elsewhere only if it was
 * certainly not sent: otherwise the first attempt may have happened.
 *
 * etcd also has a gateway for JSON. That one makes a call of gRPC to its own server for each request, which cost etcd half as much
 * again for a write, and several times as much for a list of 500 rows.
 */
import { readFileSync } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { codeOf } from '../disk/witness.ts'
import { authenticateRequest, headerIn, tokenIn } from './etcd-messages.ts'
import { GrpcConnection, GrpcError } from './grpc.ts'

export interface EtcdAddress {
  /** `host:port`, one or more. */
  readonly endpoints: readonly string[]
  readonly user?: string
  readonly password?: string
  /** Paths of files, for connections with TLS. Without `ca`: the authorities that Node trusts. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
}

/** The token is unknown, or was made before permissions changed. Nothing was done. */
const UNAUTHENTICATED = 16
const OLD_TOKEN = /revision of auth store is old|invalid auth token/

export class EtcdCalls {
  readonly #address: EtcdAddress
  /** Milliseconds for an answer. */
  readonly #patienceMs: number
  /** Milliseconds for a connection. With several endpoints it leaves time to try the others. */
  readonly #connectingMs: number
  readonly #tls: SecureContextOptions | null
  readonly #connections = new Map<string, GrpcConnection>()
  /** The endpoint to use next. */
  #at = 0
  #token: Promise<string> | null = null
  /** The cluster that has answered first, and where. */
  #cluster: { readonly id: bigint; readonly endpoint: string } | null = null

  constructor(address: EtcdAddress, patienceMs: number) {
    this.#address = address
    this.#patienceMs = patienceMs
    this.#connectingMs = patienceMs / address.endpoints.length
    this.#tls = address.tls ? filesOf(address.tls) : null
  }

  /** For calls that change nothing: every endpoint is tried. */
  read(call: string, question: Buffer): Promise<Buffer> {
    return this.#ask(call, question, () => true)
  }

  /** Rejects with an error that says whether the write may have happened. */
  write(call: string, question: Buffer): Promise<Buffer> {
    return this.#ask(call, question, (error) => !error.isSent)
  }

  async #ask(
    call: string,
    question: Buffer,
    mayAskElsewhere: (error: GrpcError) => boolean,
  ): Promise<Buffer> {
    let failure = new GrpcError('no endpoint', null, false)
    // One attempt more than there are endpoints: a kept connection may lead to an endpoint that was restarted.
    for (const _ of ['', ...this.#address.endpoints]) {
      const endpoint = this.#at
      try {
        return await this.#authorized(call, question)
      } catch (error) {
        // An endpoint that answered says more than one that is away.
        if (!failure.isSent || (error as GrpcError).isSent) failure = error as GrpcError
        // Unless another call has already moved on.
        if (this.#at === endpoint) this.#at = (endpoint + 1) % this.#address.endpoints.length
        if (!mayAskElsewhere(error as GrpcError)) break
      }
    }
    throw failure
  }

  /** Repeats the call with a fresh token if the present one was refused. */
  async #authorized(call: string, question: Buffer): Promise<Buffer> {
    const { user, password = '' } = this.#address
    if (user === undefined) return this.#call(call, question, {})
    for (let attempt = 1; ; attempt += 1) {
      this.#token ??= this.#call('Auth/Authenticate', authenticateRequest(user, password), {}).then(tokenIn)
      const asked = this.#token
      try {
        const token = await asked.catch((error: GrpcError) => {
          throw new GrpcError(error.message, error.code, false)
        })
        return await this.#call(call, question, { token })
      } catch (error) {
        if (this.#token === asked) this.#token = null
        if (attempt === 2 || (error as GrpcError).isSent || !OLD_TOKEN.test((error as GrpcError).message))
          throw error
      }
    }
  }

  async #call(call: string, question: Buffer, metadata: Readonly<Record<string, string>>): Promise<Buffer> {
    try {
      const path = `/etcdserverpb.${call}`
      const endpoint = this.#address.endpoints[this.#at] ?? ''
      const answer = await this.#connection(endpoint).call(path, question, metadata, this.#patienceMs)
      this.#requireOneCluster(endpoint, answer)
      return answer
    } catch (error) {
      const { message, code } = error as GrpcError
      if (code === UNAUTHENTICATED || OLD_TOKEN.test(message)) throw new GrpcError(message, code, false)
      throw error
    }
  }

  /** Two servers that are no cluster are two registers, so two members could both hold a lock. */
  #requireOneCluster(endpoint: string, answer: Buffer): void {
    const id = headerIn(answer)?.cluster
    if (id === undefined) return
    this.#cluster ??= { id, endpoint }
    if (id === this.#cluster.id) return
    throw new GrpcError(`${endpoint} is in another cluster than ${this.#cluster.endpoint}`, null, true)
  }

  #connection(endpoint: string): GrpcConnection {
    const kept = this.#connections.get(endpoint)
    if (kept?.isOpen) return kept
    const fresh = new GrpcConnection(endpoint, this.#tls, this.#connectingMs)
    this.#connections.set(endpoint, fresh)
    return fresh
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.close()
  }
}

function filesOf(tls: NonNullable<EtcdAddress['tls']>): SecureContextOptions {
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
