import { expect, test } from 'vitest'
import { spansBetween } from '../src/run/spans.ts'
import { watched } from './runs.ts'

test('the spans at a position, or between two, are those that a look at all of them finds', () => {
  for (const fault of [[], ['crash:1@8']]) {
    const { stays, waits, happenings } = watched({ nodes: 4, entries: 12, fault }).recording
    for (const spans of [stays, waits])
      for (let first = 0; first <= happenings.length; first += 1)
        for (const last of [first, first + 3, first + 20])
          expect(spansBetween(spans, first, last)).toEqual(
            spans.filter(({ from, until }) => from <= last && until > first),
          )
  }
})
