/** A meeting place, as it is named on the command line. */
import { invalid } from '@turnwise/core/invalid-input'

export const AT_OPTION = 'join the processes that meet here: ./locks, postgres://… or etcd://…'
export const MESH_OPTION = 'with --at: which of the meshes that meet there (default: mesh)'

/** As in a file of a node. */
const LONGEST = 255

export function meshFrom(name: string): string {
  if (name.length >= 1 && name.length <= LONGEST) return name
  throw invalid(name.slice(0, 40), `the name of a mesh, for --mesh: 1 to ${LONGEST} characters`)
}
