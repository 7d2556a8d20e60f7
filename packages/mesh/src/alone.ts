import { invalidState } from './locks/errors.ts'
import type { MeshNode } from './mesh.ts'

/** At the global object, because a program may have this library twice: in a bundle and beside it, or in two versions. */
const KEY = Symbol.for('turnwise: the mesh of one')

/**
 * `join` calls `claim` if the node will be alone. It throws if this thread has such a node: two of them would not know of each other,
 * and two callers would be inside together, with the same fence.
 */
export async function joinOnce(join: (claim: () => void) => Promise<MeshNode>): Promise<MeshNode> {
  const globals = globalThis as { [KEY]?: boolean }
  let isMine = false
  const claim = () => {
    if (globals[KEY] === true) {
      throw invalidState(
        "this process is a mesh of one already: use what join() returned, leave() it first, or meet at a place, as in join('./locks')",
      )
    }
    globals[KEY] = true
    isMine = true
  }
  const free = () => {
    if (isMine) globals[KEY] = false
  }
  try {
    const node = await join(claim)
    void node.ended.then(free)
    return node
  } catch (error) {
    free()
    throw error
  }
}
