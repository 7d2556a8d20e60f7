import type { Reporter, TestModule, TestSpecification } from 'vitest/node'

/** Prints the one line that continuous integration reads: `N passed, N failed, N skipped`. What is left to the long tests is no part of it. */
export default class CountReporter implements Reporter {
  #specifications: readonly TestSpecification[] = []

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#specifications = specifications
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0
    let skipped = 0
    let left = 0
    // A file that cannot be loaded has no tests; it counts as one failure, never as none.
    let failed = errors.length
    // Of some files the long tests run those with a tag alone; the others are in `npm test`.
    const tagged = new Set(
      this.#specifications
        .filter(({ testTagsFilter }) => testTagsFilter !== undefined)
        .map(({ moduleId }) => moduleId),
    )
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      if (!module.ok() && !tests.some((test) => test.result().state === 'failed')) failed += 1
      for (const test of tests) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        else if (state === 'failed') failed += 1
        else if (test.tags.includes('long')) left += 1
        else if (!tagged.has(module.moduleId)) skipped += 1
      }
    }
    if (left > 0) {
      const runs = '`npm run test:long` and `TURNWISE_LONG=most npm run test:processes`'
      process.stdout.write(`\n${left} longer tests are left to ${runs}\n`)
    }
    process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
  }
}
