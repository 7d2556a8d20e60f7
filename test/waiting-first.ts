import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files whose tests wait for processes, leases or a browser. */
const WAITING = /\/(mesh\/test|agent|security|browser)\/|\/(up|examples|command)\.test\.ts$/

/** What waits comes first: begun last, it would leave the cores idle at the end. */
export default class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer, not of an array
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) => WAITING.test(moduleId)
    return [...sorted.filter(waits), ...sorted.filter((file) => !waits(file))]
  }
}
