import { Program } from '@turnwise/fleet/program'
import { describe, expect, test } from 'vitest'
import { LONG } from '../../../../test/extent.ts'
import { atLeast } from '../../../../test/present.ts'
import { INSTALLED } from '../../../../test/turnwise.ts'

/** As much of the report as is looked at here. */
interface CheckJson {
  readonly wallMs: number
  readonly properties: readonly { readonly holds: boolean | null }[]
}

const program = (line: string) => new Program([INSTALLED, ...line.split(' ')])

describe('check, the program itself', () => {
  // In threads, without a process for each: check-thread.test.ts.
  test.each([
    ['raymond --nodes 3', 0],
    ['ricart-agrawala-without-tie-break --nodes 2', 1],
    ['ricart-agrawala --nodes 3 --requests any --max-states 500', 3],
  ])('two workers find what one finds: %s', LONG, async (line, expected) => {
    const [one, two] = atLeast(
      2,
      await Promise.all([1, 2].map((workers) => program(`check ${line} --json --workers ${workers}`).ended)),
    )
    expect([one.code, two.code]).toEqual([expected, expected])
    const untimed = ({ out }: typeof one) => ({ ...(JSON.parse(out) as CheckJson), wallMs: 0 })
    expect(untimed(two)).toEqual(untimed(one))
  })

  // The note on the quorums is written when Ctrl-C is listened to; the instance is far too large to finish.
  for (const [workers, tags] of [
    [1, LONG],
    [2, {}],
  ] as const) {
    test(`Ctrl-C ends a search with a report and exit code 3, ${workers} workers`, tags, async () => {
      const line = `check maekawa --nodes 5 --requests any --max-states 1000000000 --json --workers ${workers}`
      const search = program(line)
      await search.says(/quorums/)
      search.kill('SIGINT')
      const { code, out, err } = await search.ended
      expect({ code, err }).toEqual({ code: 3, err: 'no projective plane has 5 points: took grid quorums\n' })
      const report = JSON.parse(out) as CheckJson
      expect(report).toMatchObject({ complete: false, bounded: null, extremes: null })
      expect(report.properties.some(({ holds }) => holds === false)).toBe(false)
      expect(report.properties.filter(({ holds }) => holds === null).length).toBeGreaterThan(4)
    })
  }
})
