/** Writers that add to the cell `view` until they are told to stop, through whatever happens to the engine meanwhile. */
import { get } from '@turnwise/core/bounds'
import { expect } from 'vitest'
import type { Register } from '../../src/register/register.ts'

export class Load {
  done = 0
  #unsure = 0
  #isOver = false
  readonly #writing: Promise<void>[]
  readonly #writers: readonly Register[]

  private constructor(writers: readonly Register[]) {
    this.#writers = writers
    this.#writing = writers.map((register) => this.#write(register))
  }

  static async begin(writers: readonly Register[]): Promise<Load> {
    expect(await get(writers, 0).cas('view', null, '0')).toMatchObject({ kind: 'done' })
    return new Load(writers)
  }

  async #write(register: Register): Promise<void> {
    while (!this.#isOver) {
      const cell = await register.read('view').catch(() => null)
      if (cell === null) {
        await new Promise((resolve) => void setTimeout(resolve, 5))
        continue
      }
      const outcome = await register.cas('view', cell.version, String(Number(cell.value) + 1))
      if (outcome.kind === 'done') this.done += 1
      if (outcome.kind === 'unknown') this.#unsure += 1
    }
  }

  /** When some more is done. */
  async goesOn(): Promise<void> {
    const before = this.done
    await expect.poll(() => this.done).toBeGreaterThan(before + 20)
  }

  /** Stops, and looks whether anything was lost, or done that was refused. */
  async end(reader = get(this.#writers, 0)): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#writing)
    const total = Number((await reader.read('view'))?.value)
    expect(total).toBeGreaterThanOrEqual(this.done)
    expect(total).toBeLessThanOrEqual(this.done + this.#unsure)
  }
}
