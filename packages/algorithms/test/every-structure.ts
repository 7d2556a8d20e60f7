import type { NodeId } from '@turnwise/core/algorithm'
import { get } from '@turnwise/core/bounds'
import { type Structure, structureOf } from '@turnwise/core/structure/structure'
import { type Verdict, validate } from '@turnwise/core/structure/validate'

/** Each of three nodes tells any of eight sets, and asks any of eight. */
export const STRUCTURES = 8 ** 6

const NODES: readonly NodeId[] = [0, 1, 2]
const RENAMINGS: readonly (readonly NodeId[])[] = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
]

/** The structures of three nodes, numbered: three bits for each set, inform sets first. */
export function structureAt(code: number): Structure {
  const set = (place: number) => NODES.filter((node) => (code >> (3 * place + node)) & 1)
  return structureOf(
    NODES.map((node) => set(node)),
    NODES.map((node) => set(3 + node)),
  )
}

/** The numbers of a structure under other names of the nodes, each once. */
export function renamed(code: number): number[] {
  const under = (names: readonly NodeId[]) => {
    let other = 0
    for (const half of [0, 3])
      for (const node of NODES)
        for (const member of NODES)
          if ((code >> (3 * (half + node) + member)) & 1)
            other |= 1 << (3 * (half + get(names, node)) + get(names, member))
    return other
  }
  return [...new Set(RENAMINGS.map(under))]
}

/**
 * The theorem without the condition that is not necessary: a node that is told but not asked decides nothing, so it is left out, and
 * then a and b must hold.
 */
export function verdictOf({ inform, request }: Structure): Verdict {
  const told = inform.map((set, node) => set.filter((other) => get(request, node).includes(other)))
  return validate(structureOf(told, request))
}

/** Whether the theorem is wrong about a structure. The footnote, for nodes that do not tell themselves, is only said to be sufficient. */
export function isWrong({ form, valid }: Verdict, isSafe: boolean): boolean {
  return valid ? !isSafe : form === 'theorem' && isSafe
}
