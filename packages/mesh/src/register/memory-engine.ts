/** A register in memory, for tests. All openers of one engine in this process meet there. */
import { type Cell, done, type Outcome, REFUSED, type Register, type Version } from './register.ts'

export class MemoryEngine {
  readonly #meshes = new Map<string, Map<string, Cell>>()
  readonly #watching = new Set<(mesh: string, cell: string) => void>()
  /** One counter for all cells, so that no version comes twice, whatever is deleted. */
  #versions = 0

  open(mesh: string): Register {
    const cells = this.#meshes.get(mesh) ?? new Map<string, Cell>()
    this.#meshes.set(mesh, cells)
    const ended = new Set<() => void>()
    return {
      read: async (cell) => cells.get(cell) ?? null,
      list: async (prefix) => new Map([...cells].filter(([cell]) => cell.startsWith(prefix))),
      cas: async (cell, version, value) => this.#cas(mesh, cells, cell, version, value),
      watch: (prefix, changed) => {
        const look = (where: string, cell: string) => {
          if (where === mesh && cell.startsWith(prefix)) changed()
        }
        const end = () => void this.#watching.delete(look)
        this.#watching.add(look)
        ended.add(end)
        return end
      },
      close: async () => {
        for (const end of ended) end()
      },
    }
  }

  #cas(
    mesh: string,
    cells: Map<string, Cell>,
    cell: string,
    version: Version | null,
    value: string | null,
  ): Outcome {
    if ((cells.get(cell)?.version ?? null) !== version) return REFUSED
    this.#versions += 1
    const next = String(this.#versions)
    if (value === null) cells.delete(cell)
    else cells.set(cell, { value, version: next })
    for (const look of this.#watching) look(mesh, cell)
    return done(value === null ? '' : next)
  }
}
