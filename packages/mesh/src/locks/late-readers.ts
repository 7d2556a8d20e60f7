/**
 * Callers who share join those of their node who do for one lease, for writers elsewhere cannot be seen. Whoever comes later
 * would wait for readers that keep nobody out, or inside one of them for itself. So the members are asked: if no writer
 * waits, they may join.
 */
import type { Runner } from '../host/runner.ts'
import type { NameStanding } from '../protocol/messages.ts'
import type { Survey } from './survey.ts'

export class LateReaders {
  readonly #runner: Runner
  readonly #survey: Survey
  readonly #asked = new Set<string>()

  constructor(runner: Runner, survey: Survey) {
    this.#runner = runner
    this.#survey = survey
  }

  /** Names for which callers of this node wait to share. */
  ticked(wanted: Iterable<string>): void {
    for (const name of wanted) {
      if (!this.#asked.has(name) && this.#survey.own(name).some(hasLateReader)) void this.#ask(name)
    }
  }

  async #ask(name: string): Promise<void> {
    this.#asked.add(name)
    try {
      const answers = await this.#survey.ask(name)
      const waiting = answers.flatMap(({ names }) => names.flatMap(({ pending }) => pending))
      const isWanted = waiting.some(({ mode }) => mode !== 'shared')
      if (!isWanted) this.#runner.dispatch({ kind: 'rejoin', name })
    } catch {
      // Without a quorum, and after the node has left, nobody joins.
    } finally {
      this.#asked.delete(name)
    }
  }
}

/** Some share it here, and the first who waits could. */
function hasLateReader({ held, pending }: NameStanding): boolean {
  return held[0] !== undefined && held[0].mode !== 'exclusive' && pending[0]?.mode === 'shared'
}
