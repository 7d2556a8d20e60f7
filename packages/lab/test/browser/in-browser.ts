import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import { type Lab, obstacle, openLab, sharedBrowser } from './browser.ts'

interface Circumstances {
  /** Complaints on the console that the tests provoke. All others fail. */
  readonly provokes?: RegExp
  /** The folder that is served. Default: the built page. */
  readonly root?: string
}

/** Tests that share one browser with those of other files. They are left out where there is none, and the title says why. */
export function inBrowser(
  title: string,
  tests: (lab: Lab) => void,
  { provokes, root }: Circumstances = {},
): void {
  const why = obstacle()
  describe.runIf(why === null)(`${title}${why === null ? '' : ` (left out: ${why})`}`, () => {
    const lab = {} as Lab
    // Hooks of the tests come first, and at the end last: what a page talks to is there before it, and goes after it.
    tests(lab)
    beforeAll(async () => void Object.assign(lab, await openLab(root, await sharedBrowser())))
    afterEach(() => lab.closePages())
    afterAll(async () => {
      await lab.close()
      expect(lab.complaints.filter((complaint) => provokes?.test(complaint) !== true)).toEqual([])
    })
  })
}
