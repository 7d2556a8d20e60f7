import type { Layout } from '../../scene/network-layout.ts'
import type { Shot } from '../../scene/shot.ts'
import type { Run } from './use-run.ts'
import type { Truth } from './use-truth.ts'

/** A moment of a run as a picture that leaves the page. The layout has the size of `STAGE`; the time is in ticks. */
export function shotOf({ world }: Pick<Run, 'world'>, truth: Truth, layout: Layout, now: number): Shot {
  const { algorithm, setup } = world.config
  const { marks, moment, properties, setup: drawn } = truth
  return {
    title: `${algorithm.facts.title}, ${setup.nodes} nodes`,
    note: 'turnwise',
    stage: { protocol: algorithm, setup: drawn, layout, marks, moment, now, selected: null },
    properties,
  }
}
