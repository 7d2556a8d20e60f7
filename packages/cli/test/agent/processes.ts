/** Real processes of the program, three daemons of them on loopback. What is waited for has a deadline. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freeAddresses } from '@turnwise/fleet/ports'
import { DEADLINE_MS, type Ended, Program } from '@turnwise/fleet/program'
import { VERSION } from '@turnwise/mesh/daemon/control-messages'
import { Client } from '@turnwise/mesh/daemon/line-client'
import { present } from '../../../../test/present.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'

/** The first line of a client that runs as the user of the daemon. */
export const HELLO = `${JSON.stringify({ kind: 'hello', version: VERSION, lingers: false, client: null, token: null })}\n`

/** A place for the files of a test, and the end of all processes that it started. */
export class Workplace {
  // Sockets have short paths, so this is short too.
  readonly directory = mkdtempSync(join(tmpdir(), 'tw-'))
  readonly #programs: Program[] = []

  path(name: string): string {
    return join(this.directory, name)
  }

  write(name: string, content: object): string {
    writeFileSync(this.path(name), JSON.stringify(content))
    return this.path(name)
  }

  start(...args: readonly string[]): Program {
    // Certificates are made by a library that cannot be put into few files.
    const program = new Program([INSTALLED, ...args], {
      env: { TURNWISE_SOCKET: '' },
    })
    this.#programs.push(program)
    return program
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.start(...args).ended
  }

  async clear(): Promise<void> {
    for (const program of this.#programs) {
      program.kill('SIGCONT')
      program.kill('SIGKILL')
    }
    await Promise.all(this.#programs.map(({ code }) => code))
    rmSync(this.directory, { recursive: true, force: true })
  }
}

/** So long that a busy machine does not end it. */
export const LEASE = 8000

/** Three daemons, a, b and c, that have joined. */
export class Trio {
  readonly place: Workplace
  readonly #daemons = new Map<string, Program>()

  readonly peers: Readonly<Record<string, string>>

  private constructor(place: Workplace, peers: Readonly<Record<string, string>>) {
    this.place = place
    this.peers = peers
  }

  /** `more` is what their files say besides. */
  static async start(place: Workplace, more: object = {}): Promise<Trio> {
    const ids = ['a', 'b', 'c']
    const peers = await freeAddresses(ids)
    const trio = new Trio(place, peers)
    for (const id of ids) {
      const common = { stateDir: `state-${id}`, lease: LEASE, firstStart: true }
      place.write(`${id}.json`, { id, peers, ...common, ...more })
      trio.startDaemon(id)
    }
    await Promise.all(ids.map((id) => trio.daemon(id).says(/"joined"/)))
    return trio
  }

  daemon(id: string): Program {
    return present(this.#daemons.get(id))
  }

  startDaemon(id: string, ...options: readonly string[]): Program {
    const daemon = this.place.start('node', '--config', this.config(id), ...options)
    this.#daemons.set(id, daemon)
    return daemon
  }

  /** As on any day after the first, when `firstStart` is not said any more. */
  restart(id: string, ...options: readonly string[]): Program {
    const { peers } = this
    this.place.write(`${id}.json`, { id, peers, stateDir: `state-${id}`, lease: LEASE })
    return this.startDaemon(id, ...options)
  }

  config(id: string): string {
    return this.place.path(`${id}.json`)
  }

  socket(id: string): string {
    return this.place.path(`state-${id}/control/socket`)
  }

  /** A shell script under a lock, through the daemon of a node. */
  lock(id: string, name: string, script: string, ...options: readonly string[]): Program {
    return this.place.start('lock', name, '--socket', this.socket(id), ...options, '--', 'sh', '-c', script)
  }

  async json<Value>(command: 'status' | 'locks', id: string): Promise<Value> {
    const { out, err } = await this.place.run(command, '--json', '--socket', this.socket(id))
    if (out === '') throw new Error(err)
    return JSON.parse(out) as Value
  }

  until<Value>(command: 'status' | 'locks', id: string, isSo: (value: Value) => boolean): Promise<Value> {
    return answerWhen(this.socket(id), command, isSo)
  }
}

/** Asks until the answer is as wanted; by the control socket itself, since a program takes long to start. */
export async function answerWhen<Value>(
  socket: string,
  command: 'status' | 'locks',
  isSo: (value: Value) => boolean,
): Promise<Value> {
  const deadline = performance.now() + DEADLINE_MS
  const client = await Client.open(socket)
  try {
    for (;;) {
      const answer = await client.ask(command, {})
      const value = (answer.kind === 'status' ? answer.status : answer) as Value
      if (answer.kind === command && isSo(value)) return value
      if (performance.now() > deadline) throw new Error(`${command} stays ${JSON.stringify(value)}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  } finally {
    client.close()
  }
}
