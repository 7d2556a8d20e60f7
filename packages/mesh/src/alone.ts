import { invalidState } from './locks/errors.ts'
import type { MeshNode } from './mesh.ts'

/** At the global object, because a program may have this library twice: in a bundle and beside it, or in two versions. */
const KEY = Symbol.for('turnwise: the mesh of one')

interface Alone {
  isThere: boolean
  /** The highest epoch of those that have ended. */
  epoch: number
}

/**
 * `join` calls `claim` if the node will be alone. It throws if this thread has such a node: two of them would not know of each other,
 * and two callers would be inside together, with the same fence. It returns the lowest epoch to begin with. Without it, the second
 * node in one second would begin with the epoch of the first, and repeat its fences.
 */
export async function joinOnce(join: (claim: () => number) => Promise<MeshNode>): Promise<MeshNode> {
  const globals = globalThis as { [KEY]?: Alone }
  globals[KEY] ??= { isThere: false, epoch: 0 }
  const alone = globals[KEY]
  let isMine = false
  const claim = () => {
    if (alone.isThere) {
      throw invalidState(
        "this process is a mesh of one already: use what join() returned, leave() it first, or meet at a place, as in join('./locks')",
      )
    }
    alone.isThere = true
    isMine = true
    return alone.epoch + 1
  }
  const free = (epoch: number) => {
    if (!isMine) return
    alone.isThere = false
    alone.epoch = Math.max(alone.epoch, epoch)
  }
  try {
    const node = await join(claim)
    void node.ended.then(() => free(node.runner.node.durable.promised.epoch))
    return node
  } catch (error) {
    free(0)
    throw error
  }
}
