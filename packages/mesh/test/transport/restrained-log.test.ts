import { expect, test } from 'vitest'
import { MOST_LINES, restrainedLog, WHILE } from '../../src/transport/restrained-log.ts'

test('so many lines in a while, then how many more there were', () => {
  const lines: string[] = []
  let now = 5
  const log = restrainedLog(
    (line) => lines.push(line),
    () => now,
  )
  for (let i = 1; i <= 1000; i += 1) log.write(`refusal ${i}`)
  expect(lines).toHaveLength(MOST_LINES)
  expect(lines.at(-1)).toBe(`refusal ${MOST_LINES}`)
  now += WHILE
  log.write('another')
  expect(lines.slice(MOST_LINES)).toEqual([
    'more refusals and broken connections were not logged: 980',
    'another',
  ])
})

test('what was left out is told at the end, once, and nothing where nothing was', () => {
  const lines: string[] = []
  const log = restrainedLog(
    (line) => lines.push(line),
    () => 0,
  )
  log.end()
  for (let i = 0; i <= MOST_LINES; i += 1) log.write('x')
  log.end()
  log.end()
  expect(lines).toHaveLength(MOST_LINES + 1)
  expect(lines.at(-1)).toMatch(/: 1$/)
})
