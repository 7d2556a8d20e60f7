/** One connection to the control socket, as the daemon sees it. */
import type { Socket } from 'node:net'
import { type Held, whenLost } from '@turnwise/mesh/locks/held'
import type { Agent } from './agent.ts'
import { obtain, orAborted, whyNotIn } from './obtain.ts'
import {
  type Answer,
  BadLine,
  Lines,
  LONGEST_QUESTION,
  type Question,
  type Refusal,
  readQuestion,
  VERSION,
} from './protocol.ts'

type Acquire = Extract<Question, { kind: 'acquire' }>

/** Milliseconds in which whoever connects says hello. */
const HELLO_WITHIN = 5000
/** Characters that somebody who does not read lets pile up, before they are shown out. */
const MOST_UNREAD = 80 * 1024 * 1024

/**
 * Of a lease. Whoever held a lock and is gone without a word was killed; its command is being killed by the guard beside
 * it, and for so long nobody else is let in.
 */
const GRACE = 0.5

export class Connection {
  readonly #socket: Socket
  readonly #agent: Agent
  readonly #lines = new Lines(LONGEST_QUESTION)
  readonly #hello: NodeJS.Timeout
  #isGreeted = false
  #isGone = false
  #wait: AbortController | null = null
  #hold: { readonly held: Held; readonly over: () => void; isUsed: boolean } | null = null

  constructor(socket: Socket, agent: Agent, whenGone: () => void) {
    this.#socket = socket
    this.#agent = agent
    this.#hello = setTimeout(() => this.#refuseAll('expected a hello, got none'), HELLO_WITHIN)
    socket.on('data', (bytes) => this.#read(bytes))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#gone()
      whenGone()
    })
  }

  #read(bytes: Uint8Array): void {
    if (this.#isGone) return
    try {
      for (const line of this.#lines.push(bytes)) {
        if (!this.#isGone) this.#hear(readQuestion(line))
      }
    } catch (error) {
      // Whatever one client does, the locks of the others stay.
      const reason = error instanceof Error ? error.message : String(error)
      const event =
        error instanceof BadLine ? 'a client sent an unreadable line' : 'a client cannot be answered'
      this.#agent.log.warn(event, { reason })
      this.#refuseAll(reason)
    }
  }

  #hear(question: Question): void {
    if (question.kind === 'hello') return this.#greet(question.version)
    if (!this.#isGreeted) return this.#refuseAll('expected a hello first')
    const { ticket } = question
    switch (question.kind) {
      case 'status':
        return this.#say({ kind: 'status', ticket, status: this.#agent.status() })
      case 'locks':
        return void this.#agent.locks().then(
          (locks) => this.#say({ ...locks, ticket }),
          (error: unknown) => this.#refuse(ticket, 'not-had', error),
        )
      case 'metrics':
        return void this.#agent.registry.metrics().then(
          (text) => this.#say({ kind: 'metrics', ticket, text }),
          (error: unknown) => this.#refuse(ticket, 'not-had', error),
        )
      case 'acquire':
        return void this.#acquire(question)
      case 'beat':
        if (this.#hold !== null) this.#hold.isUsed = true
        return this.#say({ kind: 'beat', ticket, left: this.#hold?.held.isHeld ? this.#agent.leaseLeft : 0 })
      case 'release':
        return this.#say({ kind: 'released', ticket, wasHeld: this.#release() })
    }
  }

  #greet(version: number): void {
    clearTimeout(this.#hello)
    if (version !== VERSION) {
      return this.#refuseAll(`expected version ${VERSION} of the protocol, got ${version}`)
    }
    this.#isGreeted = true
    this.#say({ kind: 'hello', version: VERSION, id: this.#agent.id, lease: this.#agent.lease })
  }

  async #acquire({ ticket, ...wanted }: Acquire): Promise<void> {
    if (this.#wait !== null || this.#hold !== null) {
      return this.#refuse(ticket, 'invalid', 'a connection holds at most one lock')
    }
    if (this.#agent.isEnding) return this.#refuse(ticket, 'not-had', 'the daemon is leaving')
    const wait = new AbortController()
    this.#wait = wait
    // The wait for the mesh counts too, so the time is taken here.
    const { timeout } = wanted
    const timer = timeout === null ? undefined : setTimeout(() => wait.abort(whyNotIn(wanted)), timeout)
    try {
      const mesh = await orAborted(this.#agent.joined, wait.signal)
      this.#granted(ticket, await obtain(mesh, wanted, wait.signal))
    } catch (error) {
      this.#refuse(ticket, isInvalid(error) ? 'invalid' : 'not-had', error)
    } finally {
      clearTimeout(timer)
      this.#wait = null
    }
  }

  #granted(ticket: number, held: Held): void {
    if (this.#isGone || this.#agent.isEnding) {
      held.release()
      return this.#refuse(ticket, 'not-had', 'the daemon is leaving')
    }
    const hold = { held, over: this.#agent.holds(), isUsed: false }
    this.#hold = hold
    whenLost(held, (loss) => {
      this.#say({ kind: 'lost', message: loss.message })
      hold.over()
    })
    this.#say({ kind: 'granted', ticket, fence: String(held.fence) })
  }

  /** False if it was lost before, or there is nothing to release. */
  #release(): boolean {
    const hold = this.#hold
    if (hold === null) return false
    this.#hold = null
    const wasHeld = hold.held.isHeld
    hold.held.release()
    hold.over()
    return wasHeld
  }

  #gone(): void {
    if (this.#isGone) return
    this.#isGone = true
    clearTimeout(this.#hello)
    this.#wait?.abort('the client has gone')
    // What was sent arrives before the end: without a beat, no command was started.
    if (this.#hold === null || !this.#hold.isUsed || !this.#hold.held.isHeld) {
      this.#release()
      return
    }
    const grace = GRACE * this.#agent.lease
    this.#agent.log.warn('a client has gone with a lock', { name: this.#hold.held.name, grace })
    setTimeout(() => this.#release(), grace)
  }

  /** The daemon leaves. */
  end(): void {
    this.#wait?.abort('the daemon is leaving')
    if (this.#hold !== null) this.#say({ kind: 'end', message: 'the daemon is leaving' })
  }

  close(): void {
    this.#socket.end()
    // Whoever does not close the other half is not waited for.
    this.#socket.destroySoon()
  }

  #refuse(ticket: number, why: Refusal, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    this.#say({ kind: 'refused', ticket, why, message })
  }

  /** What comes after it is not looked at. */
  #refuseAll(message: string): void {
    this.#say({ kind: 'error', message })
    this.#gone()
    this.close()
  }

  #say(answer: Answer): void {
    if (this.#isGone || this.#socket.destroyed) return
    this.#socket.write(`${JSON.stringify(answer)}\n`)
    if (this.#socket.writableLength > MOST_UNREAD) this.#socket.destroy()
  }
}

/** What can never be had, whoever else is there: names that are reserved or too long, too many permits. */
function isInvalid(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError) return true
  return error instanceof DOMException && error.name === 'NotSupportedError'
}
