import { get, outOfBounds } from '../bounds.ts'

/** So much of each column, weighted by its coefficient, may be given in all; never less than nothing of a column. */
export interface Row {
  readonly coefficients: readonly number[]
  /** At least 0, so that giving nothing is allowed. */
  readonly limit: number
}

/**
 * The largest gain within the limits, which must bound it. By the simplex method from "nothing given", with Bland's
 * rule, so that it ends.
 */
export function largest(rows: readonly Row[], gains: readonly number[]): number {
  const columns = gains.length + rows.length
  const table = rows.map(({ coefficients, limit }, place) => {
    const cells = new Float64Array(columns + 1)
    cells.set(coefficients)
    cells[gains.length + place] = 1
    cells[columns] = limit
    return cells
  })
  const gain = new Float64Array(columns + 1)
  gain.set(gains)
  const basis = table.map((_, place) => gains.length + place)
  for (;;) {
    const column = gain.subarray(0, columns).findIndex((value) => value > 1e-9)
    if (column === -1) return -(gain[columns] ?? outOfBounds())
    const row = leavingRow(table, basis, column, columns)
    basis[row] = column
    const leaving = get(table, row)
    const pivot = leaving[column] ?? outOfBounds()
    for (const [i, cell] of leaving.entries()) leaving[i] = cell / pivot
    for (const other of [...table, gain]) {
      const factor = other[column] ?? outOfBounds()
      if (other === leaving || factor === 0) continue
      for (const [i, cell] of leaving.entries()) other[i] = (other[i] ?? outOfBounds()) - factor * cell
    }
  }
}

/** The row that limits the column most; of equals the one whose variable comes first. */
function leavingRow(table: Float64Array[], basis: number[], column: number, columns: number): number {
  let best = -1
  let least = Number.POSITIVE_INFINITY
  table.forEach((cells, row) => {
    const cell = cells[column] ?? outOfBounds()
    if (cell < 1e-9) return
    const ratio = (cells[columns] ?? outOfBounds()) / cell
    if (ratio < least - 1e-12 || (ratio < least + 1e-12 && get(basis, row) < get(basis, best))) {
      best = row
      least = ratio
    }
  })
  return best
}
