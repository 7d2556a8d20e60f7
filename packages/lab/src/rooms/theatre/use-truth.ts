import type { Setup } from '@turnwise/core/setup'
import { useMemo } from 'react'
import { type Counter, counterAt } from '../../run/counters.ts'
import { type Moment, momentAt } from '../../run/moment.ts'
import { type Property, propertiesAt } from '../../run/properties.ts'
import { viewSetup } from '../../run/view-setup.ts'
import { type Mark, marksOf } from '../../scene/legend.ts'
import type { Run } from './use-run.ts'

/** The state of a run at a position; computed when the position changes, not with every frame. */
export interface Truth {
  readonly marks: ReadonlyMap<string, Mark>
  readonly moment: Moment
  readonly properties: readonly Property[]
  readonly counter: Counter
  /** The nodes that run the algorithm at this moment: of a mesh, the members of its newest view. */
  readonly setup: Setup
}

export function useTruth({ recording, world, spec }: Run, position: number): Truth {
  const { algorithm, setup } = world.config
  const marks = useMemo(
    () => marksOf(recording.types, Object.keys(algorithm.shapes.messages)),
    [recording, algorithm],
  )
  return useMemo(() => {
    const moment = momentAt(recording, position, algorithm)
    const { own, drawn } =
      moment.view === null
        ? { own: setup, drawn: setup }
        : viewSetup(algorithm, setup, moment.view.members, spec)
    return {
      marks,
      moment,
      properties: propertiesAt(recording, moment, algorithm),
      counter: counterAt(recording, moment, algorithm, own, spec.load),
      setup: drawn,
    }
  }, [recording, position, algorithm, setup, marks, spec])
}
