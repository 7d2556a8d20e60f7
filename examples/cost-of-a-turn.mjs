// What a turn costs on a tree of a hundred nodes, and whether a judge found a violation.
import { algorithmNamed } from '@turnwise/algorithms/catalogue'
import { simulationConfig } from '@turnwise/simulator/configuration'
import { reportOf } from '@turnwise/simulator/report'
import { Simulation } from '@turnwise/simulator/simulation'

const config = simulationConfig(algorithmNamed('raymond'), { nodes: 100, load: 'heavy', entries: 1000 })
const report = reportOf(new Simulation(config).runToEnd())

console.log(
  `${report.algorithm}: ${report.messages.perEntry} messages per entry, theory ${report.predicted.formula}`,
)
if (report.violations.length > 0) throw new Error(report.violations[0].text)
