/** Rows of cells at fixed places: what changes from one moment to the next moves nothing else. */
import { get } from '@turnwise/core/bounds'

export type Ink = (text: string) => string

export interface Cell {
  readonly text: string
  readonly ink?: Ink
}

export interface Column<Row> {
  readonly head: string
  readonly width: number
  /** Where not all fit, those with the highest rank go first. */
  readonly rank: number
  readonly alignsRight?: boolean
  /** Takes what is left of the line. */
  readonly grows?: boolean
  readonly cell: (row: Row) => Cell
}

const GAP = '  '

/** The heads and the rows, each one line of at most `width` characters. */
export function grid<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
  head: Ink,
): string[] {
  const shown = fitting(columns, width)
  const left = width - widthOf(shown)
  const widths = shown.map((column) => column.width + (column.grows ? left : 0))
  const line = (cells: readonly Cell[]) =>
    cells
      .map(({ text, ink = plain }, i) => {
        const cut = clipped(text, get(widths, i))
        const padding = ' '.repeat(get(widths, i) - cut.length)
        if (cut === '') return padding
        return get(shown, i).alignsRight ? padding + ink(cut) : ink(cut) + padding
      })
      .join(GAP)
      .trimEnd()
  return [
    line(shown.map((column) => ({ text: column.head, ink: head }))),
    ...rows.map((row) => line(shown.map((column) => column.cell(row)))),
  ]
}

function fitting<Row>(columns: readonly Column<Row>[], width: number): readonly Column<Row>[] {
  let shown = columns
  while (shown.length > 1 && widthOf(shown) > width) {
    const last = Math.max(...shown.map(({ rank }) => rank))
    shown = shown.filter(({ rank }) => rank !== last)
  }
  return shown
}

function widthOf(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length)
}

function plain(text: string): string {
  return text
}

/** Of at most so many characters; an ellipsis tells that there are more. */
export function clipped(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`.slice(0, width)
}

/** As many items on a line as fit. */
export function wrapped(items: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const item of items) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 3 + item.length > width) lines.push(item)
    else lines[lines.length - 1] = `${last}   ${item}`
  }
  return lines
}
