import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files whose tests wait for processes, for leases or for a browser. */
const WAITS =
  /\/(processes|agent|browser|security|web-locks)\/|\/(up|examples|acquire|election|semaphore|bin)\.test\.ts$/

/** Those that wait begin, and those that only compute come last: then no core is idle at the end for one long file. */
export default class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) => (WAITS.test(moduleId) ? 0 : 1)
    return sorted.toSorted((a, b) => waits(a) - waits(b))
  }
}
