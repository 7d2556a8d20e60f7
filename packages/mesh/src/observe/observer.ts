/** Whoever follows each caller on its way: asked, let in, gone. Nobody does unless telemetry is wanted. */
import type { Mode } from '@turnwise/core/algorithm'
import type { Fence } from '../protocol/fence.ts'
import type { CallerId, Loss } from '../protocol/state.ts'
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

/** What an observer may read of the node that it tells of. */
export interface Watched {
  readonly id: string
  readonly meters: Meters
  metrics(): MeshMetrics
  /** The algorithm that serves a name. */
  algorithmOf(key: string): string
}
