import type { Setup } from '@turnwise/core/setup'
import { useMemo } from 'react'
import { type Counter, counterAt } from '../../run/counters.ts'
import { type Moment, momentAt } from '../../run/moment.ts'
import { type Property, propertiesAt } from '../../run/properties.ts'
import { viewSetup } from '../../run/view-setup.ts'
import { type Mark, marksOf } from '../../scene/message-marks.ts'
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

export function useTruth(run: Run, position: number): Truth {
  const marks = useMemo(() => runMarks(run), [run.recording, run.world.config.algorithm])
  const { recording, world, spec } = run
  const { algorithm, setup } = world.config
  return useMemo(() => truthAt(run, position, marks), [recording, position, algorithm, setup, marks, spec])
}

/** The letters and hues of the messages of a run. */
export function runMarks({ recording, world }: Pick<Run, 'recording' | 'world'>): ReadonlyMap<string, Mark> {
  return marksOf(recording.types, Object.keys(world.config.algorithm.shapes.messages))
}

export function truthAt(
  { recording, world, spec }: Pick<Run, 'recording' | 'world' | 'spec'>,
  position: number,
  marks: Truth['marks'],
): Truth {
  const { algorithm, setup } = world.config
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
}
