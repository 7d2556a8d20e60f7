/** Whoever follows each caller on its way: asked, let in, gone. Nobody does unless telemetry is wanted. */
import type { Mode } from '@turnwise/core/algorithm'
import type { Loss } from '../protocol/events.ts'
import type { Fence } from '../protocol/fence.ts'
import type { CallerId } from '../protocol/state.ts'
import type { Failure, Meters } from './meters.ts'
import type { MeshMetrics } from './metrics.ts'

export interface Observer {
  asked(caller: CallerId, key: string, mode: Mode): void
  granted(caller: CallerId, fence: Fence): void
  /** It waits no longer. */
  failed(caller: CallerId, why: Failure): void
  released(caller: CallerId): void
  /** `left`: the node has left the mesh while it was held. */
  lost(caller: CallerId, why: Loss | 'left'): void
  /** The lease was renewed with so many milliseconds left. */
  renewed(left: number): void
  /** Nothing more will be told. */
  close(): void
}

/** Whoever looks on must not stand in the way: what a logger or an exporter throws would end the event that it hears of. */
export function unharmed(act: () => void): void {
  try {
    act()
  } catch {
    // There is nobody left to tell.
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

/** What an observer may read of the node that it tells of. */
export interface Watched {
  readonly id: string
  readonly meters: Meters
  metrics(): MeshMetrics
  /** The algorithm that serves a name. */
  algorithmOf(key: string): string
}
