/** What a program can use: the catalogue, a world to run an algorithm in, and its report. */
export { algorithmNamed, catalogue } from '@turnwise/algorithms/catalogue'
export type { Algorithm, Here, Message, NodeId } from '@turnwise/core/algorithm'
export type { Setup } from '@turnwise/core/setup'
export { type RunWishes, simulationConfig } from '@turnwise/simulator/configuration'
export type { SimulationConfig } from '@turnwise/simulator/engine'
export { type Report, reportOf } from '@turnwise/simulator/report'
export { Simulation } from '@turnwise/simulator/simulation'
