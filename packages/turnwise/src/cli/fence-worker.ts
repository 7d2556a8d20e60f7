import { parentPort, workerData } from 'node:worker_threads'
import { FenceCheck } from '@turnwise/checker/fence-check'
import { type CheckOptions, instanceFrom } from './check-options.ts'
import { protocolOrVariantNamed } from './names.ts'

const { name, options } = workerData as { name: string; options: CheckOptions }
const { instance, mostStates } = instanceFrom(protocolOrVariantNamed(name), options)
const fences = new FenceCheck(instance, mostStates)
while (!fences.run(100_000));
parentPort?.postMessage(fences.result)
