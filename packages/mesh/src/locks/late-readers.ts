/**
 * Callers that share may join the readers of their node for one lease, because writers of other nodes are not visible. A later
 * reader would wait for readers that exclude no one; inside a reader's callback it would even wait for itself. So the members are
 * asked: if no writer waits, it may join.
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

  /** `wanted`: names that callers of this node wait to share. */
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
      // Without a quorum, and after the node has left, no caller joins.
    } finally {
      this.#asked.delete(name)
    }
  }
}

/** Callers share it here, and the first waiter wants to share. */
function hasLateReader({ held, pending }: NameStanding): boolean {
  return held[0] !== undefined && held[0].mode !== 'exclusive' && pending[0]?.mode === 'shared'
}
