import Table from 'cli-table3'
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
}

export function processTerminal(): Terminal {
  const { stdout, stderr } = process
  // A reader that has seen enough (`| head`) is no error: the command ends as if it had read on.
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
  return {
    print: (text) => void stdout.write(`${text}\n`),
    tell: (text) => void stderr.write(`${text}\n`),
    // Asked for a colour or not, a pipe is no terminal; isTTY is undefined there.
    paint: colours.createColors(colours.isColorSupported && (stdout.isTTY ?? false)),
    columns: stdout.columns ?? 100,
    redraw: stderr.isTTY ? (text) => void stderr.write(`\r\u001B[2K${text}`) : null,
  }
}

/** A table without frames: heads in bold, numbers to the right. */
export function table(
  terminal: Terminal,
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const bare = Object.fromEntries(
    ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left']
      .concat(['left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
      .map((part) => [part, '']),
  )
  const numeric = heads.map((_, column) => rows.every((row) => /^([-–]|[\d.,]+.*)?$/.test(row[column])))
  const result = new Table({
    head: heads.map((head) => terminal.paint.bold(head)),
    colAligns: numeric.map((is, column) => (is && column > 0 ? 'right' : 'left')),
    chars: { ...bare, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  result.push(...rows.map((row) => [...row]))
  return result
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
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
