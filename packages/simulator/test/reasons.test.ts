import { ricartAgrawala } from '@turnwise/algorithms/permission/ricart-agrawala'
import type { Here } from '@turnwise/core/algorithm'
import { happenings } from '@turnwise/core/trace/happening'
import { reasonsOf } from '@turnwise/core/trace/sentence'
import type { TraceEvent } from '@turnwise/core/trace/trace'
import { expect, test } from 'vitest'
import { simulationConfig } from '../src/configuration.ts'
import { Simulation } from '../src/simulation.ts'
import { traceHeader } from '../src/trace-header.ts'

const config = simulationConfig(ricartAgrawala, { nodes: 3, entries: 3, load: 'heavy' })

test('a recorded run tells every reason with the step that it belongs to', () => {
  const events: TraceEvent[] = []
  new Simulation({ ...config, record: (event) => void events.push(event) }).runToEnd()
  const told = [...happenings({ header: traceHeader(config), events })]
  expect(told.flatMap(({ reasons }) => reasons)).toEqual(events.filter(({ is }) => is === 'because'))
  expect(told.map(reasonsOf)).toContainEqual([
    'Node 1 keeps its reply to node 2 back: both have number 1, and node 1 is smaller.',
  ])
})

test('nobody is asked for reasons in a run that nobody records', () => {
  const places: Here[] = []
  const algorithm = {
    ...ricartAgrawala,
    request(...event: Parameters<typeof ricartAgrawala.request>) {
      places.push(event[1])
      ricartAgrawala.request(...event)
    },
  }
  new Simulation({ ...config, algorithm }).runToEnd()
  expect(places.map((here) => 'because' in here)).toEqual([false, false, false])
})
