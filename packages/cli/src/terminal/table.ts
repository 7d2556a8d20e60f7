import { get } from '@turnwise/core/bounds'
import Table from 'cli-table3'
import type { Terminal } from './terminal.ts'

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
  const numeric = heads.map((_, column) => rows.every((row) => /^([-–]|[\d.,]+.*)?$/.test(get(row, column))))
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
