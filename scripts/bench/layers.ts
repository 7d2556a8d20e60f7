/** A token that goes round processes through more and more of the mesh's code: where the time of a hand-off goes. */
import { freeAddresses } from '@turnwise/fleet/ports'
import { DEFAULT_ALGORITHM } from '../../packages/mesh/dist/protocol/serving.js'
import { bareRing, fastestRound, type Passing, passToken, type Times } from './fleet.ts'
import { handOffs, told } from './hand-offs.ts'
import { startHelper } from './program.ts'
import type { Progress } from './progress.ts'
import { LAYERS, type Layer } from './talk.ts'

export interface LayerCost extends Passing {
  readonly name: string
}

const NAMES: Readonly<Record<Layer, string>> = {
  frames: 'in frames of the mesh',
  codec: 'with its codec',
  transport: 'with its connections',
  protocol: 'with protocol, links and algorithm',
}

export async function layers(processes: number, times: Times, progress: Progress): Promise<LayerCost[]> {
  const measured: LayerCost[] = []
  const measure = async (name: string, of: () => Promise<Passing>) => {
    measured.push({ ...(await told(progress, `${name}, ${processes} processes`, of)), name })
  }
  await measure('a bare token', () => bareRing(processes, times))
  for (const layer of LAYERS) await measure(NAMES[layer], () => ringThrough(layer, processes, times))
  await measure('by locks.acquire and release', () => handOffs(DEFAULT_ALGORITHM, processes, times))
  return measured
}

async function ringThrough(layer: Layer, count: number, times: Times): Promise<Passing> {
  const ids = Array.from({ length: count }, (_, i) => `n${i}`)
  const addresses = Object.values(await freeAddresses(ids))
  const helpers = ids.map(() => startHelper('./layer-process.ts'))
  try {
    await Promise.all(helpers.map((helper, self) => helper.ask({ do: 'layer', layer, self, addresses })))
    return await fastestRound(count, () => passToken(helpers, times))
  } finally {
    await Promise.all(helpers.map((helper) => helper.end()))
  }
}
