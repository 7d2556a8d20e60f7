/** The holders of a node that wait in `upgrade()`. They hold mode update, and wait to be exclusive. */
import type { Runner } from '../host/runner.ts'
import type { About, Asked, NameStanding } from '../protocol/messages.ts'
import { areHolders } from '../protocol/query.ts'
import type { CallerId } from '../protocol/state.ts'

interface Upgrading {
  readonly key: string
  readonly since: number
  /** That of the hold, with the time of the upgrade. */
  readonly about: About | undefined
}

export class Upgrades {
  readonly #runner: Runner
  readonly #open = new Map<CallerId, Upgrading>()
  /** No two upgrades have the same time, so that a second try is not taken for the first. */
  #last = 0

  constructor(runner: Runner) {
    this.#runner = runner
  }

  begin(key: string, caller: CallerId): void {
    const seats = this.#runner.node.names.get(key)?.seats ?? []
    const hold = seats.flatMap(({ holds }) => holds).find((each) => each.caller === caller)
    this.#last = Math.max(Date.now(), this.#last + 1)
    const about = hold?.about && { ...hold.about, asked: this.#last }
    this.#open.set(caller, { key, since: this.#runner.now, about })
  }

  end(caller: CallerId): void {
    if (this.#open.size > 0) this.#open.delete(caller)
  }

  has(caller: CallerId): boolean {
    return this.#open.has(caller)
  }

  /** As others see them: beside their hold they wait for the same name. */
  told(asked: Asked): readonly NameStanding[] {
    if (this.#open.size === 0) return []
    const isAskedFor = ({ key, about }: Upgrading) =>
      areHolders(asked) ? (about?.holders.length ?? 0) > 0 : asked === null || asked === key
    return [...this.#open.values()].filter(isAskedFor).map(({ key, since, about }) => ({
      name: key,
      held: [],
      pending: [{ mode: 'exclusive', age: Math.max(0, this.#runner.now - since), ...(about && { about }) }],
    }))
  }
}
