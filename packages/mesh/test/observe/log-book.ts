/** Keeps what is logged, for tests that look at it or wait for it. */
import type { Details, Logger } from '../../src/observe/logger.ts'

export interface Entry {
  readonly level: keyof Logger
  readonly event: string
  readonly details: Details
}

/** Nothing here takes so long, on however busy a machine. */
const DEADLINE = 30_000

export class LogBook implements Logger {
  readonly entries: Entry[] = []
  readonly #listeners = new Set<() => void>()

  debug(details: Details, event: string): void {
    this.#note('debug', details, event)
  }

  info(details: Details, event: string): void {
    this.#note('info', details, event)
  }

  warn(details: Details, event: string): void {
    this.#note('warn', details, event)
  }

  error(details: Details, event: string): void {
    this.#note('error', details, event)
  }

  #note(level: keyof Logger, details: Details, event: string): void {
    this.entries.push({ level, event, details })
    for (const look of this.#listeners) look()
  }

  /** The first entry of this event, and of this node, as soon as there is one. */
  says(event: string, node?: string): Promise<Entry> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = this.entries.find(
          (entry) => entry.event === event && (node === undefined || entry.details['node'] === node),
        )
        if (found === undefined) return
        clearTimeout(timer)
        this.#listeners.delete(look)
        resolve(found)
      }
      const timer = setTimeout(
        () => reject(new Error(`nobody said "${event}", but ${JSON.stringify(this.entries)}`)),
        DEADLINE,
      )
      this.#listeners.add(look)
      look()
    })
  }
}
