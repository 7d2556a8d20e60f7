import type { Violation } from '@turnwise/core/judges/findings'
import colours from 'picocolors'

/**
 * What the commands print to. Results go to standard output, all else to standard error, so that a pipe gets
 * the results alone. Colour is used on a terminal and nowhere else.
 */
export interface Terminal {
  print(text: string): void
  /** Notes, warnings, errors. */
  tell(text: string): void
  readonly paint: ReturnType<typeof colours.createColors>
  readonly columns: number
  /** Draws over the same line of standard error; null where there is no terminal to draw on. */
  readonly redraw: ((text: string) => void) | null
  /** Clears the screen, so that the same is printed anew; null where results go elsewhere. */
  readonly clear: (() => void) | null
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process
  // A reader that has seen enough (`| head`) is no error: the command ends as if it had read on.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  // A log on a full disk, or on a terminal that was closed, ends no daemon and no command under a lock.
  stderr.on('error', () => {})
  return {
    print: (text) => void stdout.write(`${text}\n`),
    tell: (text) => void stderr.write(`${text}\n`),
    // Asked for a colour or not, a pipe is no terminal; isTTY is undefined there.
    paint: colours.createColors(colours.isColorSupported && (stdout.isTTY ?? false)),
    columns: stdout.columns ?? 100,
    clear: stdout.isTTY ? () => void stdout.write('\u001B[H\u001B[2J\u001B[3J') : null,
    redraw: stderr.isTTY ? (text) => void stderr.write(`\r\u001B[2K${text}`) : null,
  }
}

/** So many of them: "1 node", "2 nodes", "1 crash", "2 crashes". */
export function counted(count: number, thing: string): string {
  return `${figure(count)} ${thing}${count === 1 ? '' : thing.endsWith('sh') ? 'es' : 's'}`
}

/** A figure as people read it: at most three decimals, no trailing zeros, a dash where there is none. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–'
  if (Number.isInteger(value)) return value.toLocaleString('en-US')
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 })
}

export function verdict(
  { violations }: { readonly violations: readonly Violation[] },
  promise: string,
  paint: Terminal['paint'],
): string {
  if (violations.length === 0) return `${paint.green('held')}: ${promise}`
  const lines = violations.map(({ judge, at, text }) => `  ${paint.red(judge)} at ${figure(at)}: ${text}`)
  const most = 10
  const rest = lines.length > most ? [`  and ${lines.length - most} more`] : []
  return [`${paint.red(paint.bold('violated'))}:`, ...lines.slice(0, most), ...rest].join('\n')
}
