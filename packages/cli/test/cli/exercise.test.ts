import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Program } from '@turnwise/fleet/program'
import { exercises } from '@turnwise/workshop/exercises'
import { describe, expect, test } from 'vitest'
import { INSTALLED } from '../../../../test/turnwise.ts'
import type { GradeJson } from '../../src/cli/grade-thread.ts'
import { command, expectRefusal, scratch } from './in-process.ts'

const files = scratch()

describe('exercise', () => {
  test('lists them, and writes the text to begin with', async () => {
    const { out } = await command('exercise')
    for (const { slug, title } of exercises) expect(out).toMatch(new RegExp(`^${slug} +${title}$`, 'm'))
    const path = files.path('begin.ts')
    expect(await command('exercise the-desk --out <file>', path)).toMatchObject({ code: 0, err: [] })
    expect(readFileSync(path, 'utf8')).toMatch(/^\/\/ Exercise the-desk: One at a time\. /)
    await expectRefusal(
      'exercise the-desk --out <file>',
      `--out: "<file>" exists, and may be somebody's answer: give another file`,
      path,
    )
    expect((await command('exercise the-desk --hints')).out).toMatch(/^1\. .*\n2\. /)
    expect(JSON.parse((await command('exercise the-desk --json')).out)).toMatchObject({ slug: 'the-desk' })
    expect(JSON.parse((await command('exercise --json')).out)).toHaveLength(exercises.length)
  })

  test('what cannot be done is refused in one line', async () => {
    await expectRefusal('exercise desk', 'NAME: "desk" is not an exercise: did you mean the-desk?')
    await expectRefusal(
      'exercise --hints',
      '--hints needs the name of an exercise: turnwise exercise lists them',
    )
    await expectRefusal('grade x.ts', 'give --exercise NAME: turnwise exercise lists the names')
    await expectRefusal(
      'grade x.ts --exercise tie-brake',
      '--exercise: "tie-brake" is not an exercise: did you mean tie-break?',
    )
    await expectRefusal('grade x.ts --exercise tie-break', 'cannot read "x.ts": no such file or directory')
    await expectRefusal(
      'grade x.ts --exercise tie-break --within soon',
      '--within: "soon" is not a time to take: a number with ms, s, m or h, such as 30s, at most 596h',
    )
  })
})

describe.concurrent('grade', () => {
  const right = fileURLToPath(
    new URL('../../../algorithms/src/permission/central-coordinator.ts', import.meta.url),
  )
  const text = readFileSync(right, 'utf8')
  const grade = (file: string, ...options: string[]) =>
    new Program([INSTALLED, 'grade', file, '--exercise', 'the-desk', ...options]).ended

  test('the right text passes', async ({ expect }) => {
    expect(await grade(right)).toEqual({
      code: 0,
      err: '',
      out:
        'the-desk: passed: every property holds in all 2 worlds of the exercise\n' +
        '  2 nodes, 1 request each: holds, 19 states\n  3 nodes, 2 requests each: holds, 869 states\n',
    })
  })

  test('a wrong one is answered with a shortest run', async ({ expect }) => {
    const wrong = files.write(
      'wrong.ts',
      text.replace('desk.holder === null) return', 'desk !== null) return'),
    )
    const { code, out } = await grade(wrong)
    expect(code).toBe(1)
    expect(out).toMatch(/^the-desk: exclusion fails: nodes 0, 1 are inside together\n {2}2 nodes/)
    expect(out).toContain('A shortest run against exclusion')
  })

  test('what never ends is ended, and told in one line', async ({ expect }) => {
    const endless = files.write(
      'endless.ts',
      text.replace('desk.queue.push(who)', 'for (;;) console.log(who)'),
    )
    const { code, out } = await grade(endless, '--within', '1s', '--json')
    expect(code).toBe(1)
    expect(JSON.parse(out) as GradeJson).toEqual({
      exercise: 'the-desk',
      passed: false,
      verdict: 'the check took longer than 1.0 s: does the file have an endless loop?',
      worlds: [],
      failure: null,
      place: null,
    })
  })
})
