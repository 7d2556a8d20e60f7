import { readFileSync } from 'node:fs'
import type { TestSpecification } from 'vitest/node'
import WaitingFirst from './waiting-first.ts'

const IMPORT = /import {(.*)} from '.*\/extent\.ts'/

/** Whether a test of this file goes further in the long tests, or is left to them. */
export function goesFar(file: string): boolean {
  return /\b(extent|isDue|isLong|LONG)\b/.test(importedBy(file))
}

/** What this file has of `extent.ts`. Its import must be one line, or nobody would run what is left to the long tests. */
function importedBy(file: string): string {
  const text = readFileSync(file, 'utf8')
  const names = IMPORT.exec(text)?.[1]
  if (names === undefined && text.includes("/extent.ts'"))
    throw new Error(`${file}: import extent.ts in one line`)
  return names ?? ''
}

/** Of a file with nothing for the long tests but those that are tagged `LONG`, these alone: `npm test` runs all the others, as far as they go. */
export default class FarOnly extends WaitingFirst {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    for (const file of files) {
      if (!/\b(extent|isDue|isLong)\b/.test(importedBy(file.moduleId))) file.testTagsFilter = ['long']
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- of the sequencer, not of an array
    return super.sort(files)
  }
}
