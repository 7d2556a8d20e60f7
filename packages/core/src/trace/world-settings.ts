import type { AnyProtocol } from '../algorithm.ts'
import { changedSettings } from '../options.ts'
import type { Setup } from '../setup.ts'
import type { TraceHeader } from './trace.ts'

/** The world of a run, as the header of its trace tells it. */
export function worldSettings(
  { options }: Pick<AnyProtocol, 'options'>,
  setup: Setup,
  channels: string,
): TraceHeader['settings'] {
  const set = changedSettings(options, setup.options)
  return {
    channels,
    topology: setup.topology.kind,
    ...(setup.quorums === null ? {} : { quorum: setup.quorums.kind }),
    ...(setup.structure === null ? {} : { structure: setup.structure.kind }),
    ...(setup.resources === 1 ? {} : { resources: setup.resources }),
    ...(set.length === 0 ? {} : { set: set.join(' ') }),
  }
}
