/** The words for a checked world. The command line, records and exercises use the same. */
import { type Asked, instanceOf } from '@turnwise/checker/asked-instance'
import { type Budgets, type Instance, NO_TROUBLE } from '@turnwise/checker/instance'
import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { electionConfig } from '@turnwise/simulator/election-configuration'

/** One world. What is not said is as the algorithm needs it; no trouble comes that is not named. */
export interface World extends Asked, Partial<Budgets> {
  readonly nodes: number
  readonly topology?: string
  readonly quorum?: string
  readonly structure?: string
  /** How many may be inside together, if not two where it is k. */
  readonly k?: number
  readonly resources?: number
  /** Options of the algorithm, each as `name=value`. */
  readonly set?: readonly string[]
  /** The nodes that are dead when the world begins. */
  readonly dead?: string
}

const TROUBLE = Object.keys(NO_TROUBLE) as readonly (keyof Budgets)[]

export function instanceIn(asked: AnyProtocol, world: World): Instance {
  const { nodes, topology, quorum, structure, k, resources, set, dead = 'none' } = world
  const wishes = {
    nodes,
    ...(topology === undefined ? {} : { topology }),
    ...(quorum === undefined ? {} : { quorum }),
    ...(structure === undefined ? {} : { structure }),
    ...(k === undefined ? {} : { k }),
    ...(resources === undefined ? {} : { resources }),
    ...(set === undefined ? {} : { set }),
  }
  const configured = isElection(asked)
    ? electionConfig(asked, { ...wishes, dead })
    : simulationConfig(asked, wishes)
  const trouble = Object.fromEntries(TROUBLE.map((kind) => [kind, world[kind] ?? 0]))
  return instanceOf<AnyProtocol>(configured, world, trouble)
}
