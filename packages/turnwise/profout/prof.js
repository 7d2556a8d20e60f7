import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { NO_TROUBLE } from '@turnwise/checker/instance'
import { Search } from '@turnwise/checker/search'
import { simulationConfig } from '@turnwise/simulator/configuration'

const algorithm = algorithmNamed('lamport')
for (let i = 0; i < 4; i++) {
  const s = new Search(
    {
      algorithm,
      setup: simulationConfig(algorithm, { nodes: 3 }).setup,
      requests: 1,
      channels: 'fifo',
      timing: 'any',
      budgets: NO_TROUBLE,
    },
    { mostStates: 1e7, edges: true, followFences: false },
  )
  const t = performance.now()
  while (!s.run(100000));
  const d = performance.now() - t
  console.log(s.states, (s.states / d).toFixed(0) + 'k/s', s.worlds.parts.locals.length)
}
