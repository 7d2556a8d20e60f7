import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { pictures } from '../scripts/pictures/all.ts'
import { type Files, recordedFiles, SAID, storyOf } from '../scripts/pictures/killed.ts'

const files = recordedFiles()

/** The record with each line of its files changed, or left out where the change is null. */
function altered(change: (line: string, file: string) => string | null): Files {
  return new Map(
    [...files].map(([file, text]) => [
      file,
      text
        .split('\n')
        .flatMap((line) => change(line, file) ?? [])
        .join('\n'),
    ]),
  )
}

test('the pictures of the README are what the script draws, and small', () => {
  let bytes = 0
  for (const [file, text] of Object.entries(pictures())) {
    expect(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8') === text, `${file} is stale`).toBe(
      true,
    )
    // An image of a document loads nothing and runs nothing.
    expect(text).not.toMatch(/href|url\(|<script/)
    bytes += Buffer.byteLength(text)
  }
  expect(bytes).toBeLessThan(300_000)
})

describe('the record of a killed holder', () => {
  const story = storyOf(files)

  test('tells that the lock moves on, with a higher fence', () => {
    expect(story.next.node).not.toBe(story.killed.node)
    expect(story.next.at).toBeGreaterThan(story.killed.at)
    expect(story.next.fence).toBeGreaterThan(story.killed.fence)
    const moved = story.said.find(({ text }) => text.includes('moves on to'))
    expect(moved?.text).toContain(`${story.lock} moves on to ${story.ids[story.next.node]}`)
  })

  test.each([
    ['nobody is killed', (line: string) => (line.includes('kill -9') ? null : line), 'no line tells'],
    [
      'nobody enters afterwards',
      (line: string) =>
        line.includes('"is":"enter"') && Number(/"fence":(\d+)/.exec(line)?.[1]) > story.killed.fence
          ? null
          : line,
      'nobody entered',
    ],
    [
      'a fence falls',
      (line: string) => line.replace(`"fence":${story.next.fence}`, '"fence":1'),
      'violates a property',
    ],
    ['a line is no trace', (line: string) => line.replace('"is":"enter"', '"is":"entre"'), 'entre'],
    [
      'the files of the lock are empty',
      (line: string, file: string) => (file === SAID ? line : null),
      'line 1',
    ],
  ])('is refused if %s', (_, change, complaint) => {
    expect(() => storyOf(altered(change))).toThrow(complaint)
  })
})
