import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import colours from 'picocolors'
import { afterAll, expect } from 'vitest'
import { main } from '../../src/cli/main.ts'
import type { TimedReport } from '../../src/cli/timed-run.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'

/** What a command did: its exit code, what it printed and what it told, one text per line. */
export interface Outcome {
  readonly code: number
  readonly out: string
  readonly err: readonly string[]
}

/** Runs the command line in this process, as on a terminal of 100 columns without colours. */
export function turnwise(args: readonly string[]): Promise<Outcome> {
  return outcomeOf((terminal) => main(args, terminal))
}

export async function outcomeOf(run: (terminal: Terminal) => Promise<number>): Promise<Outcome> {
  const printed: string[] = []
  const told: string[] = []
  const code = await run({
    print: (text) => void printed.push(text),
    tell: (text) => void told.push(text),
    paint: colours.createColors(false),
    columns: 100,
    redraw: null,
    clear: null,
  })
  return { code, out: printed.join('\n'), err: told.flatMap((text) => text.split('\n')) }
}

/**
 * Runs a command written as a person types it. Each `<file>` stands for a path, so that rows of a table can be
 * read; paths may hold spaces, commands are split at them before the path comes in.
 */
export function command(line: string, path = ''): Promise<Outcome> {
  return turnwise(line.split(' ').map((word) => word.replace('<file>', path)))
}

/** Runs `simulate … --json` and hands over its report with the exit code. */
export async function simulated(
  line: string,
  path = '',
): Promise<{ report: TimedReport; code: number; err: readonly string[] }> {
  const { code, out, err } = await command(`simulate ${line} --json`, path)
  return { report: JSON.parse(out) as TimedReport, code, err }
}

/** Refused: exit code 2, nothing on standard output, this one line on standard error. */
export async function expectRefusal(line: string, complaint: string, path = ''): Promise<void> {
  const outcome = await command(line, path)
  expect(outcome).toEqual({ code: 2, out: '', err: [`turnwise: ${complaint.replaceAll('<file>', path)}`] })
}

/** A directory for the files of one test file, removed after its tests. */
export function scratch(): { path(name: string): string; write(name: string, content: string): string } {
  const directory = mkdtempSync(join(tmpdir(), 'turnwise cli '))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const path = (name: string) => join(directory, name)
  return {
    path,
    write(name, content) {
      writeFileSync(path(name), content)
      return path(name)
    },
  }
}
