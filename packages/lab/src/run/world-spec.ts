import { type AnyProtocol, isElection } from '@turnwise/core/algorithm'
import { InvalidInput } from '@turnwise/core/invalid-input'
import { listOptions } from '@turnwise/core/options'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { electionConfig } from '@turnwise/simulator/election-configuration'
import type { ElectionConfig } from '@turnwise/simulator/election-simulation'
import type { SimulationConfig } from '@turnwise/simulator/engine'
import { type Load, loadFrom, scriptFrom } from '@turnwise/simulator/load'

/** The wishes for a run, in the words of the command line and of the address. The algorithm's needs decide the rest. */
export interface RunSpec {
  readonly algorithm: string
  readonly nodes: number
  readonly seed: number
  /** As on the command line, or `script:0 request 2; 0.5 request 1`. For an election: who calls it. */
  readonly load: string
  readonly entries: number
  readonly latency: string
  readonly inside: string
  readonly channels?: string | undefined
  readonly topology?: string | undefined
  readonly quorum?: string | undefined
  readonly structure?: string | undefined
  readonly k?: number | undefined
  /** How many resources there are, and how many of them each request is for. */
  readonly resources?: number | undefined
  readonly take?: number | undefined
  /** The share of requests that ask to share, and the shares that have a priority, as on the command line. */
  readonly readers?: number | undefined
  readonly priorities?: string | undefined
  readonly fault: readonly string[]
  readonly set: readonly string[]
}

/** More than this is no picture any more. */
export const MOST_NODES_SHOWN = 400

/** A world that is ready to run. */
export type WorldSpec =
  | { readonly is: 'exclusion'; readonly config: SimulationConfig }
  | { readonly is: 'election'; readonly config: ElectionConfig }

/** Reads the words. An error is one line that begins with the name of the setting. */
export function worldFor(spec: RunSpec, algorithm: AnyProtocol): WorldSpec {
  const { nodes, seed, latency, channels, topology, fault, set } = spec
  if (nodes > MOST_NODES_SHOWN) throw new InvalidInput(`nodes: at most ${MOST_NODES_SHOWN} can be drawn`)
  const common = {
    nodes,
    seed,
    latency,
    fault,
    set: set.filter((setting) => isOptionOf(algorithm, setting)),
    ...(channels === undefined ? {} : { channels }),
    ...(topology === undefined ? {} : { topology }),
  }
  if (isElection(algorithm)) {
    // What asks for entries asks an election for nothing: then one node calls it.
    const initiators = /^(one|all|\d+(@[\d.]+)?(,\d+(@[\d.]+)?)*)$/.test(spec.load) ? spec.load : 'one'
    return { is: 'election', config: electionConfig(algorithm, { ...common, initiators }) }
  }
  const { facts } = algorithm
  const config = simulationConfig(algorithm, {
    ...common,
    load: readLoad(spec.load, nodes),
    ...(spec.load.startsWith('script:') ? {} : { entries: spec.entries }),
    inside: spec.inside,
    ...(facts.quorums && spec.quorum !== undefined ? { quorum: spec.quorum } : {}),
    ...(facts.structure === true && spec.structure !== undefined ? { structure: spec.structure } : {}),
    ...(facts.entries === 'k' && spec.k !== undefined ? { k: spec.k } : {}),
    ...(facts.resources ? severalOf(spec) : {}),
    ...(facts.sharedMode && spec.readers !== undefined ? { readers: spec.readers } : {}),
    ...(spec.priorities === undefined ? {} : { priorities: spec.priorities }),
  })
  return { is: 'exclusion', config }
}

/** The world of a record; what its header says and no world can be is left out. */
export function recordedWorld(spec: RunSpec, algorithm: AnyProtocol): WorldSpec {
  try {
    return worldFor(spec, algorithm)
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return worldFor(
      { ...spec, topology: undefined, quorum: undefined, structure: undefined, channels: undefined },
      algorithm,
    )
  }
}

/** So many are few enough to see, and let two be inside together. */
export const RESOURCES_SHOWN = 4

/** A load that says by itself who asks for what has nothing to draw. */
function severalOf({ resources = RESOURCES_SHOWN, take, load }: RunSpec): {
  resources: number
  take?: number
} {
  const isDrawn = load !== 'hands' && !load.startsWith('script:')
  return { resources, ...(take === undefined || !isDrawn ? {} : { take }) }
}

/** An option that another algorithm had is not carried over to one that lacks it. */
function isOptionOf({ options }: AnyProtocol, setting: string): boolean {
  return listOptions(options).some(([name]) => setting.startsWith(`${name}=`))
}

function readLoad(text: string, nodes: number): Load {
  if (text === 'hands') return { text, kind: 'script', lines: [] }
  if (text === 'one' || text === 'all') return loadFrom(text === 'one' ? 'light' : 'heavy', nodes)
  if (!text.startsWith('script:')) return loadFrom(text, nodes)
  return scriptFrom(text.slice('script:'.length).replaceAll(';', '\n'), nodes, text)
}
