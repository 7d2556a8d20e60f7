import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files whose tests wait for processes, leases or a browser. */
const WAITING = /\/(mesh\/test|agent|security|browser)\/|\/(up|examples|command)\.test\.ts$/

/** Of this many files that are begun one after another, one works. */
const SHARE = 3

/**
 * Waiting files come early: begun last, they would leave the cores idle at the end. One in three is a file that works, so that the cores have
 * something to do from the first moment.
 */
export default class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer, not of an array
    const sorted = await super.sort(files)
    const waits = ({ moduleId }: TestSpecification) => WAITING.test(moduleId)
    const [waiting, working] = [sorted.filter(waits), sorted.filter((file) => !waits(file))]
    const mixed = waiting.flatMap((file, i) =>
      i % (SHARE - 1) === 0 ? [file, ...working.splice(0, 1)] : [file],
    )
    return [...mixed, ...working]
  }
}
