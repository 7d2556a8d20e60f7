/** The wait of a caller that holds a lock in mode update and wants to be exclusive. */
import { lockTimedOut } from './errors.ts'
import { type LockOptions, readSignal, readTime, requireKnown } from './options.ts'

/** What ends the wait of an upgrade. */
export type UpgradeOptions = Pick<LockOptions, 'signal' | 'timeout'>

export function readUpgrade(options: UpgradeOptions): UpgradeOptions {
  requireKnown(options, ['signal', 'timeout'], 'upgrade')
  readSignal(options.signal)
  readTime('timeout', options.timeout)
  return options
}

export class Upgrade {
  readonly settled: Promise<void>
  #settle: (failure: Error | null) => void = () => {}

  /** `giveUp` is called when the time is over, or the signal aborts. */
  constructor(
    name: string,
    signal: AbortSignal | undefined,
    timeout: number | undefined,
    giveUp: (reason: Error) => void,
  ) {
    const abort = () => giveUp(signal?.reason as Error)
    signal?.addEventListener('abort', abort)
    const timer =
      timeout === undefined ? undefined : setTimeout(() => giveUp(lockTimedOut(name, timeout)), timeout)
    this.settled = new Promise((resolve, reject) => {
      this.#settle = (failure) => {
        signal?.removeEventListener('abort', abort)
        clearTimeout(timer)
        if (failure === null) resolve()
        else reject(failure)
      }
    })
  }

  /** Null means success. */
  end(failure: Error | null): void {
    this.#settle(failure)
  }
}
