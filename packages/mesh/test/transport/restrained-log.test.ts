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
  for (let i = 0; i <= MOST_LINES; i += 1) log.write(`refusal ${i}`)
  log.end()
  log.end()
  expect(lines).toHaveLength(MOST_LINES + 1)
  expect(lines.at(-1)).toMatch(/: 1$/)
})

test('one that is refused again and again, from another port each time, is told once in a while', () => {
  const lines: string[] = []
  let now = 5
  const log = restrainedLog(
    (line) => lines.push(line),
    () => now,
  )
  const dial = (port: number, why: string) => log.write(`connection from 10.0.0.7:${port} refused: ${why}`)
  for (let port = 1; port <= 10; port += 1) dial(port, '"c" uses the algorithm "lamport"')
  dial(11, 'bad frame')
  now += WHILE
  dial(12, '"c" uses the algorithm "lamport"')
  expect(lines).toEqual([
    'connection from 10.0.0.7:1 refused: "c" uses the algorithm "lamport"',
    'connection from 10.0.0.7:11 refused: bad frame',
    'more refusals and broken connections were not logged: 9',
    'connection from 10.0.0.7:12 refused: "c" uses the algorithm "lamport"',
  ])
})
