/** Follows each caller: request, grant, end. Used only for telemetry. */
import type { Mode } from '@turnwise/core/algorithm'
import type { Loss } from '../protocol/events.ts'
import type { Fence } from '../protocol/fence.ts'
import type { CallerId } from '../protocol/state.ts'
import type { Failure, Meters } from './meters.ts'
import type { MeshMetrics } from './metrics.ts'

export interface Observer {
  asked(caller: CallerId, key: string, mode: Mode): void
  granted(caller: CallerId, fence: Fence): void
  /** It no longer waits. */
  failed(caller: CallerId, why: Failure): void
  released(caller: CallerId): void
  /** `left`: the node has left the mesh while the lock was held. */
  lost(caller: CallerId, why: Loss | 'left'): void
  /** The lease was renewed with so many milliseconds left. */
  renewed(left: number): void
  /** Nothing more will be reported. */
  close(): void
}

/** An observer must not disturb the node: an error of a logger or an exporter would end the event that it observes. */
export function unharmed(act: () => void): void {
  try {
    act()
  } catch {
    // There is no one left to tell.
  }
}

export function harmless(observer: Observer): Observer {
  return {
    asked: (caller, key, mode) => unharmed(() => observer.asked(caller, key, mode)),
    granted: (caller, fence) => unharmed(() => observer.granted(caller, fence)),
    failed: (caller, why) => unharmed(() => observer.failed(caller, why)),
    released: (caller) => unharmed(() => observer.released(caller)),
    lost: (caller, why) => unharmed(() => observer.lost(caller, why)),
    renewed: (left) => unharmed(() => observer.renewed(left)),
    close: () => unharmed(() => observer.close()),
  }
}

/** What an observer may read of its node. */
export interface Watched {
  readonly id: string
  readonly meters: Meters
  metrics(): MeshMetrics
  /** The algorithm that serves a name. */
  algorithmOf(key: string): string
}
